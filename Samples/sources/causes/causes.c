// causes: a program for each way of dying that a Linux program has, `causes NAME`.
//
// A line marked `blame: NAME RULE CONFIDENCE` is the one to find in the report of that name.

#define _GNU_SOURCE
#include <assert.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define CAUSE __attribute__((noinline)) static int

struct node {
    int value, weight;
    const char *name, *kind;
    struct node *next;
};

static volatile uintptr_t nothing;  // so that the compiler can't see what comes

static void *pointer(uintptr_t value) { return (void *)(nothing + value); }

CAUSE null_read(const int *p) {
    return *p + 1;  // blame: null-read null-dereference certain
}

CAUSE null_member(const struct node *node) {
    return node->next->next == node;  // blame: null-member null-offset-dereference likely
}

CAUSE freed_pattern(const struct node *node) {
    return node->value + node->weight;  // blame: freed-pattern non-canonical-address likely
}

CAUSE text_pointer(const struct node *node) {
    return node->value + node->weight;  // blame: text-pointer non-canonical-address likely
}

CAUSE unmapped(int *p) {
    *p = 1;  // blame: unmapped invalid-address certain
    return *p;
}

CAUSE write_literal(char *text) {
    text[0] = 'x';  // blame: write-literal write-to-protected-memory certain
    return text[0];
}

CAUSE jump_null(int (*function)(int)) {
    return function(1) + 1;  // blame: jump-null jump-to-null certain
}

CAUSE jump_data(int (*function)(int)) {
    return function(1) + 1;  // blame: jump-data jump-to-bad-address likely
}

CAUSE recursion(volatile int *depth) {
    volatile char frame[4096];
    frame[0] = (char)++*depth;  // blame: recursion stack-limit likely
    return recursion(depth) + frame[0];
}

CAUSE odd(volatile int *depth);

CAUSE even(volatile int *depth) {
    volatile char frame[4096];
    frame[0] = (char)++*depth;  // blame: mutual-recursion stack-limit likely
    return odd(depth) + frame[0];
}

CAUSE odd(volatile int *depth) {
    return even(depth) + *depth;
}

CAUSE assertion(int count) {
    assert(count > 3);  // blame: assertion assertion-frames likely
    return count;
}

CAUSE stack_smash(const char *text, size_t length) {
    char copy[8];
    for (volatile size_t i = 0; i < length; i++) copy[i] = text[i];
    puts(copy);
    return copy[0];
}  // blame: stack-smash stack-smashed likely

CAUSE double_free(int *numbers) {
    int *same = pointer((uintptr_t)numbers);
    free(numbers);
    free(same);  // blame: double-free heap-corruption-frames likely
    return 1;
}

CAUSE divide(int sum, int count) {
    return sum / count;  // blame: divide integer-division certain
}

CAUSE trap(int state) {
    if (state != 1) __builtin_trap();  // blame: trap trap-instruction-x86 likely
    return state;
}

CAUSE short_file(void) {
    int file = memfd_create("short", 0);
    if (ftruncate(file, 8192)) return 1;
    volatile char *bytes = mmap(0, 8192, PROT_READ, MAP_SHARED, file, 0);
    if (ftruncate(file, 1)) return 1;
    return bytes[4096];  // blame: short-file mapped-file-too-short likely
}

CAUSE give_up(int state) {
    if (state != 1) abort();  // blame: give-up abort-frames likely
    return state;
}

int main(int argc, char **argv) {
    const char *cause = argc > 1 ? argv[1] : "";
    volatile int depth = 0;
    static struct node node;
    int result = 0;
    if (!strcmp(cause, "null-read")) result = null_read(pointer(0));
    if (!strcmp(cause, "null-member")) result = null_member(&node);
    if (!strcmp(cause, "freed-pattern")) result = freed_pattern(pointer(0x5555555555555555));
    if (!strcmp(cause, "text-pointer")) result = text_pointer(pointer(0x646c726f57206f6c));  // "lo World"
    if (!strcmp(cause, "unmapped")) result = unmapped(pointer(0x600000001000));
    if (!strcmp(cause, "write-literal")) result = write_literal(pointer((uintptr_t) "literal"));
    if (!strcmp(cause, "jump-null")) result = jump_null(pointer(0));
    if (!strcmp(cause, "jump-data")) result = jump_data(pointer((uintptr_t)&node));
    if (!strcmp(cause, "recursion")) result = recursion(&depth);
    if (!strcmp(cause, "mutual-recursion")) result = even(&depth);
    if (!strcmp(cause, "assertion")) result = assertion(argc);
    if (!strcmp(cause, "stack-smash")) result = stack_smash("longer text!", 12);
    if (!strcmp(cause, "double-free")) result = double_free(malloc(4096));
    if (!strcmp(cause, "divide")) result = divide(argc, (int)nothing);
    if (!strcmp(cause, "trap")) result = trap(argc);
    if (!strcmp(cause, "short-file")) result = short_file();
    if (!strcmp(cause, "give-up")) result = give_up(argc);
    return result;
}
