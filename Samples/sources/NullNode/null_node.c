// NullNode: reads a member through a null pointer, inside two inlined functions.

#include "list.h"

struct node only = {1, "only", 0, 4};
struct node *volatile names = &only;

__attribute__((noinline)) long total_length(const struct node *list) {
    long total = list->length;
    total += list_second_length(list);
    return total;
}

int main(void) {
    long total = total_length(names);
    return total > 0 ? 0 : 1;
}
