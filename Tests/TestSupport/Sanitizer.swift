import Foundation

/// Whether the tests, and the programs built along with them, run under AddressSanitizer or ThreadSanitizer, where all
/// takes many times as long and needs many times the memory.
package let isSanitized = unsafe dlsym(nil, "__asan_init") != nil || dlsym(nil, "__tsan_init") != nil
