// cpp-inline: a null pointer deep in inlined templates and a lambda, on a second thread.

#include <pthread.h>

namespace shop {

struct Item {
    long id;
    const char *name;
    long price;  // at 0x10
};

template <typename T>
struct Table {
    T *rows[4] = {};

    const T &at(unsigned index) const { return *rows[index]; }
};

namespace report {

template <typename Row, typename Function>
inline long sum(const Table<Row> &table, unsigned count, Function value) {
    long result = 0;
    for (unsigned i = 0; i < count; i++) {
        result += value(table.at(i));
    }
    return result;
}

__attribute__((noinline)) long total_price(const Table<Item> &table, unsigned count) {
    return sum(table, count, [](const Item &item) {
        return item.price * 119 / 100;  // with tax; the second row is null
    });
}

}  // namespace report
}  // namespace shop

static shop::Item only = {1, "only", 120};
shop::Table<shop::Item> items;

static void *work(void *count) {
    pthread_setname_np(pthread_self(), "price-worker");
    long total = shop::report::total_price(items, *static_cast<unsigned *>(count));
    return total > 100 ? count : nullptr;
}

int main() {
    items.rows[0] = &only;
    unsigned count = 2;
    pthread_t worker;
    pthread_create(&worker, nullptr, work, &count);
    pthread_join(worker, nullptr);
    return 0;
}
