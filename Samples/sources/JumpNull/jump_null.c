// JumpNull: calls a function through a table that has an empty entry. The program counter is 0
// then, which is no code of anybody; only the link register tells where the call was.

typedef int (*handler)(int);

static int on_open(int event) { return event + 1; }
static int on_close(int event) { return event - 1; }

handler handlers[3] = {on_open, 0, on_close};  // "save" was forgotten

__attribute__((noinline)) int dispatch(int event) {
    int answer = handlers[event](event);  // jumps to 0
    return answer + event;
}

__attribute__((noinline)) int deliver(int event) {
    int answer = dispatch(event);
    return answer * 2;
}

int main(int argc, char **argv) {
    (void)argv;
    int answer = deliver(argc);
    return answer == 7;
}
