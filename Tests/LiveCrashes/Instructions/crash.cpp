// Programs that crash, each in a way of which is known what failed and where the bad value came from.
//
//   crash NAME: writes the registers, the code around the program counter and the stack's top as JSON, and ends.
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

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
NEVER_INLINED void copy(char *to, const char *from) { memcpy(to, from, 16); }
NEVER_INLINED long virtual_call(Shape *shape) { return shape->edge(3) + 1; }
NEVER_INLINED long pointer_call(long (*act)(long)) { return act(3) + 1; }
NEVER_INLINED long member_call(struct Node *node) { return node->act(node, 3) + 1; }
NEVER_INLINED void misaligned(float *values) {
  asm volatile("movaps %0, %%xmm0" : : "m"(*(const char(*)[16])values) : "xmm0");
}
NEVER_INLINED void privileged() { asm volatile("hlt"); }

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
    {"argument_noncanonical", [] { sink = argument_read((Node *)0x1f00600001d54120); }},
    {"member_read", [] { sink = member_read(&first); }},
    {"member_noncanonical", [] { first.next = (Node *)0x4141414141414141; sink = member_read(&first); }},
    {"member_chain", [] { first.next = &second; sink = member_chain(&first); }},
    {"member_increment", [] { member_increment(&first); }},
    {"global_read", [] { sink = global_read(); }},
    {"result_read", [] { sink = result_read(sink); }},
    {"element", [] { sink = element(nullptr, 5); }},
    {"byte_at", [] { sink = byte_at(nullptr, 7); }},
    {"floating", [] { sink = floating((double *)0x20); }},
    {"copy_to", [] { copy((char *)0x30, (const char *)&first); }},
    {"copy_from", [] { copy((char *)&first, (const char *)0x40); }},
    {"virtual_call", [] { void **words = table; memcpy((void *)shape, &words, sizeof words); sink = virtual_call(shape); }},
    {"pointer_call", [] { sink = pointer_call(nullptr); }},
    {"member_call", [] { sink = member_call(&first); }},
    {"misaligned", [] { misaligned((float *)((char *)&first + 4)); }},
    {"privileged", [] { privileged(); }},
};

static const char *names[] = {"r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15", "rdi", "rsi", "rbp", "rbx", "rdx",
                              "rax", "rcx", "rsp", "rip", "rflags", 0, "err", "trap", 0, "cr2"};

static void bytes(const char *name, uint64_t address, int count) {
  printf("\"%s\":[", name);
  unsigned char read[256];
  int pipes[2];
  // A pipe refuses to read what isn't mapped.
  if (pipe(pipes) == 0 && write(pipes[1], (void *)address, count) == count && ::read(pipes[0], read, count) == count)
    for (int i = 0; i < count; i++) printf("%s%d", i ? "," : "", read[i]);
  printf("]");
}

static void handler(int number, siginfo_t *, void *context) {
  greg_t *registers = ((ucontext_t *)context)->uc_mcontext.gregs;
  printf("{\"signal\":%d,\"registers\":{", number);
  bool isFirst = true;
  for (int i = 0; i < 23; i++)
    if (names[i]) {
      printf("%s\"%s\":%llu", isFirst ? "" : ",", names[i], (unsigned long long)registers[i]);
      isFirst = false;
    }
  printf("},");
  bytes("before", registers[REG_RIP] - 96, 96);
  printf(",");
  bytes("at", registers[REG_RIP], 96);
  printf(",");
  bytes("stack", registers[REG_RSP], 8);
  extern char __executable_start;
  printf(",\"base\":%llu}\n", (unsigned long long)&__executable_start);
  fflush(stdout);
  _exit(0);
}

int main(int count, char **arguments) {
  static char stack[65536];
  stack_t other = {};
  other.ss_sp = stack;
  other.ss_size = sizeof stack;
  sigaltstack(&other, nullptr);
  struct sigaction action = {};
  action.sa_sigaction = handler;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  sigaction(SIGSEGV, &action, nullptr);
  sigaction(SIGBUS, &action, nullptr);
  for (auto &one : cases) {
    if (count == 1) puts(one.name);
    if (count > 1 && !strcmp(one.name, arguments[1])) one.run();
  }
  return count > 1;
}
