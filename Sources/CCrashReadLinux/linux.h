// What Swift's module of Glibc lacks.
#include <stddef.h>
#include <sys/prctl.h>

// prctl(2), PR_SET_PDEATHSIG: the kernel sends this signal when the parent ends, however that does. The function takes any
// number of arguments, which Swift doesn't import.
static inline int signal_at_end_of_parent(int signal) { return prctl(PR_SET_PDEATHSIG, signal); }

// pipe2(2), which unistd.h declares for GNU sources only.
int pipe2(int *ends, int flags);

// memmem(3) and memrchr(3), which string.h declares for GNU sources only.
void *memmem(const void *haystack, size_t haystack_count, const void *needle, size_t needle_count);
void *memrchr(const void *bytes, int byte, size_t count);

// curl_easy_setopt(3) and curl_easy_getinfo(3) take any number of arguments, which Swift doesn't call. The functions are
// those of the library that was opened at run time.
static inline int curl_set_pointer(void *setopt, void *handle, int option, const void *value) {
  return ((int (*)(void *, int, ...))setopt)(handle, option, value);
}
static inline int curl_set_number(void *setopt, void *handle, int option, long value) {
  return ((int (*)(void *, int, ...))setopt)(handle, option, value);
}
static inline int curl_get_number(void *getinfo, void *handle, int info, long *value) {
  return ((int (*)(void *, int, ...))getinfo)(handle, info, value);
}
