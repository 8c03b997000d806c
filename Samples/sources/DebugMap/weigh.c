int puts(const char *);

// The same name as in main.c, and another function.
static __attribute__((noinline)) int check(int x) {
    puts("weigh");
    return x * 3;
}

int weigh(int x) { return check(x) + x; }
