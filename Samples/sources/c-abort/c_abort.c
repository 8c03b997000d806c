// c-abort: the program notices that its own data is wrong and gives up with abort().

#include <stdio.h>
#include <stdlib.h>

#include "check.h"

struct account {
    const char *owner;
    int balance;
};

static void withdraw(struct account *account, int amount) {
    account->balance -= amount;
    check(account->balance >= 0, "balance is negative");
}

int main(void) {
    struct account account = {"nobody", 100};
    withdraw(&account, 30);
    withdraw(&account, 90);
    printf("%s has %d\n", account.owner, account.balance);
    return 0;
}
