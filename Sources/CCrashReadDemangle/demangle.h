// Two demanglers that every Swift program already carries. They are declared here, and not with @_silgen_name,
// because they use C's calling convention.
#include <stddef.h>

// libswiftCore (stdlib/public/runtime/Backtrace.cpp), what Swift's own backtraces are printed with: the short form
// that `swift-demangle --simplified` prints, where swift_demangle gives the long one only. With NULL for the buffer
// the result is malloc'd. A Swift name it can't read comes back as it is; NULL when the name is no Swift name.
char *_swift_backtrace_demangle(const char *mangledName, size_t mangledNameLength, char *outputBuffer,
                                size_t *outputBufferSize);

// libstdc++ (Itanium C++ ABI, section 3.4). The result is malloc'd; status is 0 when the name was demangled.
char *__cxa_demangle(const char *mangledName, char *outputBuffer, size_t *length, int *status);
