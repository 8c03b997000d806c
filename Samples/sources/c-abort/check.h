// Ends the program when a condition does not hold.

static void check(int condition, const char *message) {
    if (!condition) {
        fprintf(stderr, "check failed: %s\n", message);
        abort();
    }
}
