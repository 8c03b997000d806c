import Foundation

/// Whether the tests, and the programs built along with them, run under AddressSanitizer or ThreadSanitizer, where all
/// takes many times as long and needs many times the memory.
package let isSanitized = unsafe dlsym(nil, "__asan_init") != nil || dlsym(nil, "__tsan_init") != nil

/// Whether a signal reaches a program only when it next calls a function that ThreadSanitizer intercepts: never,
/// in a loop that calls none.
package let defersSignals = unsafe dlsym(nil, "__tsan_init") != nil
