// Programs that crash, each in a way of which is known what failed and where the bad value came from.
//
// CASES is the header with the cases.
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

#include CASES

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
  const int numbers[] = {SIGSEGV, SIGBUS, SIGILL, SIGTRAP, SIGFPE};
  for (int number : numbers) sigaction(number, &action, nullptr);
  for (auto &one : cases) {
    if (count == 1) puts(one.name);
    if (count > 1 && !strcmp(one.name, arguments[1])) one.run();
  }
  return count > 1;
}
