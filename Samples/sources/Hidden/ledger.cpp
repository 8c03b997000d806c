// Its names are hidden in the debug information, as Apple did with apps that were uploaded as bitcode.
extern "C" int puts(const char *);

namespace bank {

class Ledger {
  public:
    int total = 0;
    __attribute__((noinline)) void deposit(int amount) {
        puts("deposit");
        total += amount;
    }
};

static inline __attribute__((always_inline)) int twice(Ledger &ledger, int amount) {
    ledger.deposit(amount);
    ledger.deposit(amount);
    return ledger.total;
}

} // namespace bank

extern "C" __attribute__((noinline)) int audit(int amount) {
    bank::Ledger ledger;
    return bank::twice(ledger, amount);
}

int main(int argc, char **argv) {
    (void)argv;
    return audit(argc);
}
