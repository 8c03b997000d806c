// Linked from three objects, one of them in a static library, and never given a dSYM: its lines are in the objects.
int puts(const char *);
int weigh(int);
int price(int);

static int total;

static __attribute__((noinline)) int check(int x) {
    total += x;
    puts("main");
    return total;
}

static inline __attribute__((always_inline)) int both(int x) { return check(x) + weigh(x); }

int main(int argc, char **argv) {
    (void)argv;
    return both(argc) + price(argc);
}
