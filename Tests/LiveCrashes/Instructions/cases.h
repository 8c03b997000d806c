// Functions that crash, each in a way of which is known what failed and where the bad value came from. They need no library.
#include <stdint.h>

#define NEVER_INLINED extern "C" __attribute__((noinline, used))

struct Node {
  struct Node *next;
  long value;
  int count;
  char name[16];
  long (*act)(struct Node *, long);
};

struct Shape {
  virtual long area(long scale) { return scale; }
  virtual long edge(long scale) { return scale + 1; }
  long size = 0;
};

volatile long sink;
alignas(16) struct Node first, second;
struct Node *global_node;

NEVER_INLINED struct Node *find(long key) { return key > 1000 ? &first : nullptr; }

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
NEVER_INLINED long virtual_call(Shape *shape) { return shape->edge(3) + 1; }
NEVER_INLINED long pointer_call(long (*act)(long)) { return act(3) + 1; }
NEVER_INLINED long member_call(struct Node *node) { return node->act(node, 3) + 1; }
#ifdef __x86_64__
NEVER_INLINED void misaligned(float *values) {
  asm volatile("movaps %0, %%xmm0" : : "m"(*(const char(*)[16])values) : "xmm0");
}
NEVER_INLINED void privileged() { asm volatile("hlt"); }
#endif

struct Case {
  const char *name;
  void (*run)();
};

static Shape real;
static Shape *volatile shape = &real;
static void *table[4];

static struct Case cases[] = {
    {"argument_read", [] { sink = argument_read(nullptr); }},
    {"argument_write", [] { argument_write((Node *)0x10, 4); }},
    {"member_read", [] { sink = member_read(&first); }},
    {"member_chain", [] { first.next = &second; sink = member_chain(&first); }},
    {"member_increment", [] { member_increment(&first); }},
    {"global_read", [] { sink = global_read(); }},
    {"result_read", [] { sink = result_read(sink); }},
    {"element", [] { sink = element(nullptr, 5); }},
    {"byte_at", [] { sink = byte_at(nullptr, 7); }},
    {"floating", [] { sink = floating((double *)0x20); }},
    {"copy_to", [] { copy((char *)0x30, (const char *)&first); }},
    {"copy_from", [] { copy((char *)&first, (const char *)0x40); }},
    {"virtual_call", [] { void **words = table; __builtin_memcpy((void *)shape, &words, sizeof words); sink = virtual_call(shape); }},
    {"pointer_call", [] { sink = pointer_call(nullptr); }},
    {"member_call", [] { sink = member_call(&first); }},
#ifdef __x86_64__
    {"misaligned", [] { misaligned((float *)((char *)&first + 4)); }},
    {"privileged", [] { privileged(); }},
    {"argument_noncanonical", [] { sink = argument_read((Node *)0x1f00600001d54120); }},
    {"member_noncanonical", [] { first.next = (Node *)0x4141414141414141; sink = member_read(&first); }},
#endif
};
