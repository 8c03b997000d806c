// What Swift's module of Glibc lacks.
#include <stddef.h>
#include <sys/prctl.h>

// prctl(2), PR_SET_PDEATHSIG: the kernel sends this signal when the parent ends, however that does. The function takes any
// number of arguments, which Swift doesn't import.
static inline int signal_at_end_of_parent(int signal) { return prctl(PR_SET_PDEATHSIG, signal); }

// memmem(3), which string.h declares for GNU sources only.
void *memmem(const void *haystack, size_t haystack_count, const void *needle, size_t needle_count);
