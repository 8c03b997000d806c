// causes-cpp: ways of dying that C++ adds, `causes-cpp NAME`; see causes.c for the marks.

#include <cstring>
#include <stdexcept>
#include <vector>

struct Shape {
    Shape() { describe(); }
    virtual ~Shape() {}
    virtual int sides() const = 0;
    __attribute__((noinline)) void describe() const;
    int known = 0;
};

struct Square : Shape {
    int sides() const override { return 4; }
};

void Shape::describe() const {
    const_cast<Shape *>(this)->known = sides() + 1;  // blame: pure-virtual pure-virtual-call likely
}

__attribute__((noinline)) static int parse(const char *text) {
    if (!*text) throw std::invalid_argument("nothing to parse");  // blame: throw cpp-terminate likely
    return *text - '0';
}

__attribute__((noinline)) static int third(const std::vector<int> &numbers) {
    return numbers.at(2) + 1;  // blame: vector cpp-terminate likely
}

int main(int argc, char **argv) {
    const char *cause = argc > 1 ? argv[1] : "";
    if (!strcmp(cause, "pure-virtual")) return Square().known;
    if (!strcmp(cause, "throw")) return parse("");
    if (!strcmp(cause, "vector")) return third({1, 2});
    return 0;
}
