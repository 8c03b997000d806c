// What the cases' functions have in common, in C and C++.
#include <stdint.h>

#ifdef __cplusplus
#define SHARED extern "C"
#define ALIGNED alignas(16)
#else
#define SHARED extern
#define ALIGNED _Alignas(16)
#endif
#define NEVER_INLINED SHARED __attribute__((noinline, used))

struct Node {
  struct Node *next;
  long value;
  int count;
  char name[16];
  long (*act)(struct Node *, long);
};

SHARED volatile long sink;
SHARED ALIGNED struct Node first, second;
SHARED long argument_read(struct Node *node);
SHARED void argument_write(struct Node *node, long value);
SHARED long member_read(struct Node *node);
SHARED long member_chain(struct Node *node);
SHARED void member_increment(struct Node *node);
SHARED long global_read();
SHARED long result_read(long key);
SHARED long element(long *values, long index);
SHARED long byte_at(const char *text, unsigned index);
SHARED double floating(double *values);
SHARED void copy(char *to, const char *from);
SHARED long pointer_call(long (*act)(long));
SHARED long member_call(struct Node *node);
#ifdef __x86_64__
SHARED void misaligned(float *values);
SHARED void privileged();
#endif
