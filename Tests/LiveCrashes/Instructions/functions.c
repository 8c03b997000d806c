// Functions that crash, each in a way of which is known what failed and where the bad value came from. They need no library,
// and are compiled as C and as C++.
#include "functions.h"

volatile long sink;
ALIGNED struct Node first, second;
struct Node *global_node;

NEVER_INLINED struct Node *find(long key) { return key > 1000 ? &first : 0; }

NEVER_INLINED long argument_read(struct Node *node) { return node->value + 1; }
NEVER_INLINED void argument_write(struct Node *node, long value) { node->value = value; }
NEVER_INLINED long member_read(struct Node *node) { return node->next->value; }
NEVER_INLINED long member_chain(struct Node *node) { return node->next->next->count; }
NEVER_INLINED void member_increment(struct Node *node) { node->next->count += 2; }
NEVER_INLINED long global_read() { return global_node->value; }
NEVER_INLINED long result_read(long key) { return find(key)->value; }
NEVER_INLINED long element(long *values, long index) { return values[index]; }
NEVER_INLINED long byte_at(const char *text, unsigned index) { return text[index]; }
NEVER_INLINED double floating(double *values) { return values[2] * 2; }
NEVER_INLINED void copy(char *to, const char *from) { __builtin_memcpy(to, from, 16); }
NEVER_INLINED long pointer_call(long (*act)(long)) { return act(3) + 1; }
NEVER_INLINED long member_call(struct Node *node) { return node->act(node, 3) + 1; }
#ifdef __x86_64__
NEVER_INLINED void misaligned(float *values) {
  asm volatile("movaps %0, %%xmm0" : : "m"(*(const char(*)[16])values) : "xmm0");
}
NEVER_INLINED void privileged() { asm volatile("hlt"); }
#endif

