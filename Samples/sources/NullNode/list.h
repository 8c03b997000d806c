// A linked list. Its functions are small and inlined into their callers.

struct node {
    long id;
    const char *name;
    struct node *next;
    long length;  // at 0x18: the address a null node is read at
};

__attribute__((always_inline)) static inline long node_length(const struct node *node) {
    return node->length;  // crashes here when the node is null
}

__attribute__((always_inline)) static inline const struct node *list_second(const struct node *list) {
    return list->next;
}

__attribute__((always_inline)) static inline long list_second_length(const struct node *list) {
    const struct node *second = list_second(list);
    return node_length(second);  // nobody asks whether there is a second node
}
