// System calls whose C functions take any number of arguments, which Swift doesn't import.
#include <sys/prctl.h>

// prctl(2), PR_SET_PDEATHSIG: the kernel sends this signal when the parent ends, however that does.
static inline int signal_at_end_of_parent(int signal) { return prctl(PR_SET_PDEATHSIG, signal); }
