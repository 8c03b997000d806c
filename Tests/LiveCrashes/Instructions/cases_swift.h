// The cases in Swift, by their numbers in cases.swift.
extern "C" void run_swift(long number);

struct Case {
  const char *name;
  void (*run)();
};

static struct Case cases[] = {
    {"swift_argumentRead", [] { run_swift(0); }},
    {"swift_argumentWrite", [] { run_swift(1); }},
    {"swift_element", [] { run_swift(2); }},
    {"swift_byte", [] { run_swift(3); }},
    {"swift_memberRead", [] { run_swift(4); }},
    {"swift_memberWrite", [] { run_swift(5); }},
    {"swift_structMember", [] { run_swift(6); }},
    {"swift_globalRead", [] { run_swift(7); }},
    {"swift_resultRead", [] { run_swift(8); }},
    {"swift_floating", [] { run_swift(9); }},
    {"swift_sum", [] { run_swift(10); }},
    {"swift_difference", [] { run_swift(11); }},
    {"swift_product", [] { run_swift(12); }},
    {"swift_smallSum", [] { run_swift(13); }},
    {"swift_quotient", [] { run_swift(14); }},
    {"swift_negated", [] { run_swift(15); }},
    {"swift_narrowed", [] { run_swift(16); }},
    {"swift_unsigned", [] { run_swift(17); }},
    {"swift_unwrapped", [] { run_swift(18); }},
    {"swift_unwrappedPointer", [] { run_swift(19); }},
    {"swift_elementOf", [] { run_swift(20); }},
    {"swift_part", [] { run_swift(21); }},
    {"swift_range", [] { run_swift(22); }},
    {"swift_demanded", [] { run_swift(23); }},
    {"swift_total", [] { run_swift(24); }},
};
