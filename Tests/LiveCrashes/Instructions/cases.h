// The cases in C and C++: who calls which function with what.
#include "functions.h"

struct Shape {
  virtual long area(long scale) { return scale; }
  virtual long edge(long scale) { return scale + 1; }
  long size = 0;
};

NEVER_INLINED long virtual_call(Shape *shape) { return shape->edge(3) + 1; }

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
