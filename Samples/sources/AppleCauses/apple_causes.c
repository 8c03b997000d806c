// AppleCauses: places in an app for the composed reports of causes that only Apple's systems have.
//
// Nothing here runs: compose.py takes the return address of a marked call. A line marked
// `blame: NAME RULE CONFIDENCE` is the one to find in the report of that name.

extern int system_call(int);  // stands for whatever function of the system the report names

#define PLACE __attribute__((noinline)) int

PLACE send_message(int object) {
    return system_call(object) + 1;  // blame: freed-object use-after-free-objc likely
}

PLACE release_object(int object) {
    return system_call(object) + 2;  // blame: freed-swift-object use-after-free-swift likely
}

PLACE free_twice(int object) {
    return system_call(object) + 3;  // blame: heap heap-corruption certain
}

PLACE lock_twice(int lock) {
    return system_call(lock) + 4;  // blame: recursive-lock recursive-lock certain
}

PLACE sync_onto_own_queue(int queue) {
    return system_call(queue) + 5;  // blame: own-queue queue-waits-for-itself certain
}

PLACE update_label(int label) {
    return system_call(label) + 6;  // blame: wrong-queue wrong-queue certain
}

PLACE did_finish(int request) {
    return system_call(request) + 7;  // blame: isolation actor-isolation-frames certain
}

PLACE load_everything(int lock) {
    return system_call(lock) + 8;  // blame: watchdog watchdog-timeout certain
}

PLACE write_log(int lock) {
    return system_call(lock) + 9;
}

PLACE save_documents(int database) {
    return system_call(database) + 10;  // blame: database-lock lock-held-while-suspended certain
}

PLACE insert_item(int list) {
    return system_call(list) + 11;  // blame: unrecognized-selector unrecognized-selector certain
}

PLACE show_zombie(int object) {
    return system_call(object) + 12;  // blame: zombie zombie-message certain
}

PLACE read_freed(const int *node) {
    return node[4] + 13;  // blame: freed-memory freed-memory-value likely
}

PLACE read_text(const int *node) {
    return node[4] + 14;  // blame: text-as-pointer text-as-pointer likely
}

PLACE read_signed(const int *node) {
    return node[4] + 15;  // blame: pointer-authentication pointer-authentication likely
}

PLACE throw_error(int code) {
    return system_call(code) + 16;  // blame: cpp-exception uncaught-cpp-exception certain
}

PLACE test_totals(int total) {
    return system_call(total) + 17;  // blame: test swift-precondition-failed certain
}

PLACE overlapping_access(int value) {
    return system_call(value) + 18;  // blame: exclusivity swift-exclusivity certain
}

PLACE start_workers(int count) {
    return system_call(count) + 19;  // blame: threads too-many-threads certain
}

PLACE resume_twice(int continuation) {
    return system_call(continuation) + 20;  // blame: continuation swift-continuation-misuse certain
}

PLACE visit(const int *tree) {  // blame: guard-page stack-guard-page likely
    return visit(tree + 1) + tree[0];
}

int main(int argc, char **argv) {
    (void)argv;
    static int numbers[8];
    return send_message(argc) + release_object(argc) + free_twice(argc) + lock_twice(argc)
         + sync_onto_own_queue(argc) + update_label(argc) + did_finish(argc) + load_everything(argc)
         + write_log(argc) + save_documents(argc) + insert_item(argc) + show_zombie(argc) + read_freed(numbers)
         + read_text(numbers) + read_signed(numbers) + throw_error(argc) + test_totals(argc)
         + overlapping_access(argc) + start_workers(argc) + resume_twice(argc) + visit(numbers);
}
