// Two demanglers that every Swift program already carries. They are declared here, and not with @_silgen_name,
// because they use C's calling convention.
#include <stddef.h>
#include <stdint.h>

// libswiftCore (stdlib/public/runtime/Demangle.cpp). With NULL for the buffer the result is malloc'd; NULL when the
// name is no Swift name.
char *swift_demangle(const char *mangledName, size_t mangledNameLength, char *outputBuffer,
                     size_t *outputBufferSize, uint32_t flags);

// libstdc++ (Itanium C++ ABI, section 3.4). The result is malloc'd; status is 0 when the name was demangled.
char *__cxa_demangle(const char *mangledName, char *outputBuffer, size_t *length, int *status);
