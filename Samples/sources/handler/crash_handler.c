// An in-app crash reporter for Linux on x86-64.
//
// Link this file into a program. When the program crashes, a report in the format of Apple's
// text reports is written to the file named by the environment variable CRASH_REPORT, and then
// the signal does what it always does. The handler allocates nothing and calls only write(2)
// and its like; backtrace(3) is called once beforehand, because its first call loads a library.
//
//   CRASH_IMAGE_ROOT    the directory to name for the program instead of the true one
//   SOURCE_DATE_EPOCH   for repeatable reports: this date, and always the same process number

#define _GNU_SOURCE
#include <dlfcn.h>
#include <elf.h>
#include <execinfo.h>
#include <fcntl.h>
#include <link.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#define FIXED_PID 1000

static const int signals[] = {SIGSEGV, SIGBUS, SIGILL, SIGTRAP, SIGABRT, SIGFPE};
static const char *report_path, *image_root, *fixed_date;
static char program_path[4096];
static int report;

// --- output ---------------------------------------------------------------------------------

static void put(const char *text) {
    ssize_t written = write(report, text, strlen(text));
    (void)written;
}

static void put_number(unsigned long value, unsigned base, int digits) {
    char text[32], *p = text + sizeof text - 1;
    *p = 0;
    while (value || digits > 0 || !*p) {
        *--p = "0123456789abcdef"[value % base];
        value /= base;
        digits--;
    }
    put(p);
}

static void put_hex(unsigned long value) { put("0x"); put_number(value, 16, 1); }
static void put_hex16(unsigned long value) { put("0x"); put_number(value, 16, 16); }
static void put_decimal(unsigned long value) { put_number(value, 10, 1); }

static void put_padded(const char *text, int width) {
    put(text);
    for (int i = strlen(text); i < width; i++) put(" ");
}

static const char *base_name(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

// --- images ---------------------------------------------------------------------------------

struct image {
    const char *path;
    unsigned long start, end;  // end: the last byte
    const unsigned char *build_id;
    unsigned build_id_size;
};

static struct image images[64];
static int image_count;

static int add_image(struct dl_phdr_info *info, size_t size, void *unused) {
    (void)size, (void)unused;
    if (image_count == 64) return 1;
    struct image *image = &images[image_count];
    memset(image, 0, sizeof *image);
    image->path = info->dlpi_name[0] ? info->dlpi_name : image_count == 0 ? program_path : "???";
    image->start = ~0ul;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *header = &info->dlpi_phdr[i];
        unsigned long start = info->dlpi_addr + header->p_vaddr;
        if (header->p_type == PT_LOAD) {
            if (image->start == ~0ul) image->start = start & ~0xffful;
            image->end = ((start + header->p_memsz + 0xfff) & ~0xffful) - 1;
        }
        if (header->p_type == PT_NOTE) {
            for (unsigned long at = start; at + 12 < start + header->p_memsz;) {
                const ElfW(Nhdr) *note = (const ElfW(Nhdr) *)at;
                const unsigned char *name = (const unsigned char *)(note + 1);
                const unsigned char *content = name + ((note->n_namesz + 3) & ~3u);
                if (note->n_type == NT_GNU_BUILD_ID && note->n_namesz == 4 && !memcmp(name, "GNU", 4)) {
                    image->build_id = content;
                    image->build_id_size = note->n_descsz;
                }
                at = (unsigned long)content + ((note->n_descsz + 3) & ~3u);
            }
        }
    }
    image_count++;
    return 0;
}

static const struct image *find_image(unsigned long address) {
    for (int i = 0; i < image_count; i++)
        if (images[i].start <= address && address <= images[i].end) return &images[i];
    return 0;
}

static void put_path(const struct image *image) {
    if (image == images && image_root) {
        put(image_root);
        put("/");
        put(base_name(image->path));
    } else {
        put(image->path);
    }
}

// --- sections of the report -----------------------------------------------------------------

static void put_date(void) {
    long now = fixed_date ? atol(fixed_date) : time(0);
    long days = now / 86400, seconds = now % 86400, year = 1970, month = 0;
    static const int lengths[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    for (;; year++) {
        long length = 365 + ((year % 4 == 0 && year % 100 != 0) || year % 400 == 0);
        if (days < length) break;
        days -= length;
    }
    for (;; month++) {
        long length = lengths[month] + (month == 1 && year % 4 == 0 && (year % 100 != 0 || year % 400 == 0));
        if (days < length) break;
        days -= length;
    }
    put_decimal(year);
    put("-"); put_number(month + 1, 10, 2);
    put("-"); put_number(days + 1, 10, 2);
    put(" "); put_number(seconds / 3600, 10, 2);
    put(":"); put_number(seconds / 60 % 60, 10, 2);
    put(":"); put_number(seconds % 60, 10, 2);
    put(".0000 +0000");
}

static void put_header(unsigned long pid) {
    put("Process:               "); put(base_name(program_path)); put(" ["); put_decimal(pid); put("]\n");
    put("Path:                  "); put_path(images); put("\n");
    put("Identifier:            "); put(base_name(program_path)); put("\n");
    put("Version:               0\n");
    put("Code Type:             X86-64\n");
    put("Parent Process:        ??? ["); put_decimal(fixed_date ? 1 : getppid()); put("]\n\n");
    put("Date/Time:             "); put_date(); put("\n");
    struct utsname system;
    uname(&system);
    system.release[strcspn(system.release, "-")] = 0;
    put("OS Version:            Linux "); put(system.release); put("\n");
    put("Report Version:        104\n\n");
}

static void put_exception(const siginfo_t *info) {
    const char *type = "EXC_BAD_ACCESS", *name = "SIGSEGV", *meaning = "Segmentation fault", *code = 0;
    switch (info->si_signo) {
    case SIGSEGV: code = info->si_code == SEGV_MAPERR ? "SEGV_MAPERR" : info->si_code == SEGV_ACCERR ? "SEGV_ACCERR" : 0; break;
    case SIGBUS: name = "SIGBUS"; meaning = "Bus error"; code = info->si_code == BUS_ADRALN ? "BUS_ADRALN" : "BUS_ADRERR"; break;
    case SIGILL: type = "EXC_BAD_INSTRUCTION"; name = "SIGILL"; meaning = "Illegal instruction"; code = "ILL_ILLOPN"; break;
    case SIGTRAP: type = "EXC_BREAKPOINT"; name = "SIGTRAP"; meaning = "Trace/BPT trap"; code = "TRAP_BRKPT"; break;
    case SIGFPE: type = "EXC_ARITHMETIC"; name = "SIGFPE"; meaning = "Floating point exception"; code = info->si_code == FPE_INTDIV ? "FPE_INTDIV" : 0; break;
    case SIGABRT: type = "EXC_CRASH"; name = "SIGABRT"; meaning = "Abort trap"; break;
    }
    put("Exception Type:        "); put(type); put(" ("); put(name); put(")\n");
    put("Exception Codes:       ");
    if (code) {
        put(code); put(" at "); put_hex16((unsigned long)info->si_addr); put("\n");
    } else {
        put("0x0000000000000000, 0x0000000000000000\n");
    }
    put("Termination Reason:    Namespace SIGNAL, Code "); put_decimal(info->si_signo);
    put(" "); put(meaning); put(": "); put_decimal(info->si_signo); put("\n\n");
}

static void put_frames(unsigned long rip, unsigned long rsp, bool is_jump) {
    void *addresses[64];
    int count = backtrace(addresses, 64), first = 0;
    // The first entries are this handler; the program starts at the interrupted instruction.
    while (first < count && (unsigned long)addresses[first] != rip) first++;
    if (first == count) addresses[first = 0] = (void *)rip, count = 1;
    // A jump to nowhere has just pushed the address of its caller.
    if (is_jump) addresses[first + 1] = *(void **)rsp, count = first + 2;
    for (int i = first; i < count; i++) {
        unsigned long address = (unsigned long)addresses[i];
        const struct image *image = find_image(address);
        char number[8] = "";
        int index = i - first, digits = 0;
        if (index >= 100) number[digits++] = '0' + index / 100;
        if (index >= 10) number[digits++] = '0' + index / 10 % 10;
        number[digits] = '0' + index % 10;
        put_padded(number, 4);
        put_padded(image ? base_name(image->path) : "???", 30);
        put("\t"); put_hex16(address);
        Dl_info symbol;
        // Libraries name what they export; the program's own names are the debug file's business.
        bool is_named = image && image != images && dladdr((void *)(address - 1), &symbol) && symbol.dli_sname;
        unsigned long start = is_named ? (unsigned long)symbol.dli_saddr : image ? image->start : 0;
        put(" ");
        if (is_named) put(symbol.dli_sname); else put_hex(start);
        put(" + "); put_decimal(address - start); put("\n");
    }
    put("\n");
}

static void put_registers(int thread, const greg_t *r, bool is_fault) {
    static const struct { const char *name; int index; } names[] = {
        {"rax", REG_RAX}, {"rbx", REG_RBX}, {"rcx", REG_RCX}, {"rdx", REG_RDX}, {"rdi", REG_RDI}, {"rsi", REG_RSI},
        {"rbp", REG_RBP}, {"rsp", REG_RSP}, {" r8", REG_R8}, {" r9", REG_R9}, {"r10", REG_R10}, {"r11", REG_R11},
        {"r12", REG_R12}, {"r13", REG_R13}, {"r14", REG_R14}, {"r15", REG_R15}, {"rip", REG_RIP}, {"rfl", REG_EFL},
        {"cr2", REG_CR2}};
    put("Thread "); put_decimal(thread); put(" crashed with X86 Thread State (64-bit):\n");
    for (unsigned i = 0; i < sizeof names / sizeof *names; i++) {
        unsigned long value = r[names[i].index];
        if (fixed_date && value == (unsigned long)syscall(SYS_gettid)) value = FIXED_PID;  // abort() has it in a register
        put("  "); put(names[i].name); put(": "); put_hex16(value);
        if (i % 4 == 3) put("\n");
    }
    put("\n\n");
    if (!is_fault) return;
    put("Error Code:      "); put_hex(r[REG_ERR]); put("\n");
    put("Trap Number:     "); put_decimal(r[REG_TRAPNO]); put("\n\n");
}

static void put_images(void) {
    put("Binary Images:\n");
    for (int i = 0; i < image_count; i++) {
        put_hex16(images[i].start); put(" - "); put_hex16(images[i].end);
        put(" "); put(base_name(images[i].path)); put(" x86_64  <");
        for (unsigned k = 0; k < images[i].build_id_size; k++) put_number(images[i].build_id[k], 16, 2);
        put("> "); put_path(&images[i]); put("\n");
    }
    put("\nEOF\n");
}

// The number of the calling thread: how many threads of the process are older.
static int thread_number(void) {
    int number = 0, self = syscall(SYS_gettid), directory = open("/proc/self/task", O_RDONLY | O_DIRECTORY);
    char entries[4096];
    long size;
    while ((size = syscall(SYS_getdents64, directory, entries, sizeof entries)) > 0)
        for (long at = 0; at < size; at += *(unsigned short *)(entries + at + 16)) {  // d_reclen
            int thread = atoi(entries + at + 19);  // d_name
            if (thread > 0 && thread < self) number++;
        }
    close(directory);
    return number;
}

// --- the handler ----------------------------------------------------------------------------

static void on_crash(int number, siginfo_t *info, void *context) {
    signal(number, SIG_DFL);
    report = open(report_path, O_WRONLY | O_CREAT | O_TRUNC, 0644);
    if (report >= 0) {
        const greg_t *registers = ((ucontext_t *)context)->uc_mcontext.gregs;
        char thread_name[16] = "";
        int thread = thread_number();
        prctl(PR_GET_NAME, thread_name);
        dl_iterate_phdr(add_image, 0);
        put_header(fixed_date ? FIXED_PID : getpid());
        put("Crashed Thread:        "); put_decimal(thread); put("  "); put(thread_name); put("\n\n");
        put_exception(info);
        for (int i = 0; i < thread; i++) {  // only the crashed thread can look at its own stack
            put("Thread "); put_decimal(i); put(":\n\n");
        }
        put("Thread "); put_decimal(thread); put(" Crashed:: "); put(thread_name); put("\n");
        put_frames(registers[REG_RIP], registers[REG_RSP], registers[REG_TRAPNO] == 14 && registers[REG_ERR] & 0x10);
        put_registers(thread, registers, number != SIGABRT);
        put_images();
        close(report);
    }
    raise(number);
}

__attribute__((constructor)) static void install(void) {
    report_path = getenv("CRASH_REPORT");
    image_root = getenv("CRASH_IMAGE_ROOT");
    fixed_date = getenv("SOURCE_DATE_EPOCH");
    if (!report_path) return;
    ssize_t length = readlink("/proc/self/exe", program_path, sizeof program_path - 1);
    if (length > 0) program_path[length] = 0;
    void *unused[1];
    backtrace(unused, 1);
    // A thread that has used up its stack needs another one for the handler.
    static char stack[1 << 16];
    sigaltstack(&(stack_t){.ss_sp = stack, .ss_size = sizeof stack}, 0);
    struct sigaction action = {.sa_sigaction = on_crash, .sa_flags = SA_SIGINFO | SA_ONSTACK};
    for (unsigned i = 0; i < sizeof signals / sizeof *signals; i++) sigaction(signals[i], &action, 0);
}
