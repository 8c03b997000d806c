// What ThreadSanitizer must know of Swift's Mutex on Linux, for LD_PRELOAD.
//
// A lock that nobody holds is taken by code in our own modules, which the sanitizer sees. One that somebody holds is taken
// and given back in libswiftSynchronization, which isn't instrumented: all that is done under it then looks like a race.
// These functions stand in front of those two, and tell of the order that the lock makes.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>

#define SWIFT __attribute__((swiftcall))
#define SELF __attribute__((swift_context)) void *

extern void __tsan_acquire(void *) __attribute__((weak));
extern void __tsan_release(void *) __attribute__((weak));

// Synchronization._MutexHandle._lockSlow(UInt32), whose lock is the handle's first bytes.
SWIFT void lockSlow(uint32_t thread, SELF self) __asm__("$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF");
SWIFT void lockSlow(uint32_t thread, SELF self) {
  SWIFT void (*next)(uint32_t, SELF) = dlsym(RTLD_NEXT, "$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF");
  next(thread, self);
  if (__tsan_acquire) __tsan_acquire(self);
}

// Synchronization._MutexHandle._unlockSlow()
SWIFT void unlockSlow(SELF self) __asm__("$s15Synchronization12_MutexHandleV11_unlockSlowyyF");
SWIFT void unlockSlow(SELF self) {
  SWIFT void (*next)(SELF) = dlsym(RTLD_NEXT, "$s15Synchronization12_MutexHandleV11_unlockSlowyyF");
  if (__tsan_release) __tsan_release(self);
  next(self);
}
