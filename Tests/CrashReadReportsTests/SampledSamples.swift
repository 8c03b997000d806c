/// What `sample` writes about a small invented app.
let sampleText = """
  Analysis of sampling Tide Table (pid 812) every 1 millisecond
  Process:         Tide Table [812]
  Path:            /Applications/Tide Table.app/Contents/MacOS/Tide Table
  Load Address:    0x100000000
  Identifier:      org.example.tides
  Version:         2.5 (118)
  Code Type:       ARM64
  Parent Process:  launchd [1]

  Date/Time:       2024-03-01 09:15:00.123 +0900
  OS Version:      macOS 14.2 (23C64)
  Report Version:  7
  Analysis Tool:   /usr/bin/sample
  ----

  Call graph:
      100 Thread_28139   DispatchQueue_1: com.apple.main-thread  (serial)
      + 100 start  (in dyld) + 462  [0x190000200]
      +   100 main  (in Tide Table) + 40  [0x100001028]  main.m:15
      +     60 -[Moon phase:]  (in Tide Table) + 8  [0x100002008,0x10000200c,...]  Moon.m:0
      +     ! 60 ???  (in Tide Table)  load address 0x100000000 + 0x3e30  [0x100003e30]
      +     40 run (fast) loop  (in Core (Private)) + 3,7,...  [0x180000003]
      +       40 ???  [0x12345678]
      7 Thread_28145: com.apple.NSEventThread
      + 7 _pthread_start  (in libsystem_pthread.dylib) + 125  [0x1a000007d]
      3 Thread_28146: worker   DispatchQueue_9: org.example.moon  (concurrent)
      +

  Total number in stack (recursive counted multiple, when >=5):
          5       start  (in dyld) + 462  [0x190000200]

  Sort by top of stack, same collapsed (when >= 5):
          mach_msg_trap  (in libsystem_kernel.dylib)        2397

  Binary Images:
         0x100000000 -        0x100007fff +org.example.tides (2.5 - 118) <00112233-4455-6677-8899-AABBCCDDEEFF> /Applications/Tide Table.app/Contents/MacOS/Tide Table
         0x190000000 -        0x19000ffff  dyld (1.0) <FFEEDDCC-BBAA-9988-7766-554433221100> /usr/lib/dyld
  """

/// A report about a hang, in the layout of `spindump`, with a second process in front of the target.
let hangText = """
  Date/Time:        2024-03-01 09:15:00.123 +0900
  End time:         2024-03-01 09:15:02.123 +0900
  OS Version:       macOS 14.2 (Build 23C64)
  Architecture:     arm64e
  Report Version:   40

  Data Source:      Stackshots
  Shared Cache:     3E6C1144-E4B6-381C-92D1-0A3396DD3BB0 slid base address 0x7ff8065db000, slide 0x65db000

  Command:          Tide Table
  Path:             /Applications/Tide Table.app/Contents/MacOS/Tide Table
  Version:          2.5 (118)
  PID:              812

  Event:            hang
  Duration:         2.00s
  Steps:            20 (100ms sampling interval)

  Hardware model:   Mac14,2

  Heaviest stack for the target process:
    20  start + 4 (dyld + 516) [0x190000204]
    20  main + 40 (Tide Table + 4136) [0x100001028]

  Process:          moond [90]
  UUID:             0102030405060708090A0B0C0D0E0F10
  Path:             /usr/libexec/moond
  Num samples:      20 (1-20)

    Thread 0x1    20 samples (1-20)    priority 31 (base 31)
   *20  ??? (kernel + 16) [0xffffff8000200010]

    Binary Images:
             0x400000000 -        0x400000fff  moond <01020304-0506-0708-090A-0B0C0D0E0F10>  /usr/libexec/moond

  Process:          Tide Table [812]
  UUID:             00112233-4455-6677-8899-AABBCCDDEEFF
  Parent:           launchd [1]
  Note:             2 idle work queue threads omitted

    Thread 0xeac    DispatchQueue "com.apple.main-thread"(1)    Thread name "the "main" one"    20 samples (1-20)    priority 31 (base 31)
    <thread QoS user interactive (requested user interactive)>
    20  start + 4 (dyld + 516) [0x190000204]
      20  main + 40 (main.m:15,7 in Tide Table + 4136) [0x100001028]
        14  -[Moon phase:] + 8 (Tide Table + 8200) [0x100002008]
          14  __psynch_mutexwait + 10 (libsystem_kernel.dylib + 22) [0x1a0000016]
           *14  ??? (kernel + 16) [0xffffff8000200010] (blocked by turnstile waiting for moond [90] [unique pid 90] thread 0x1)
           *10  ??? [0xffffff8000200020]
        6   ??? (<4540B641-4362-33B5-952B-C1F6465EEF3F> + 32732) [0x20000ffdc] (running) 3
          6   <User mode>

    Thread 0xeb0,0xeb1    2 samples (1-2)    priority 31 (base 31)
    2   ??? [0]

    Binary Images:
             0x100000000 -        0x100007fff  Tide Table (2.5)       <00112233-4455-6677-8899-AABBCCDDEEFF>  /Applications/Tide Table.app/Contents/MacOS/Tide Table
             0x190000000 -        0x19000ffff  dyld (1.0)             <FFEEDDCC-BBAA-9988-7766-554433221100>  /usr/lib/dyld
             0x200008000 -                ???  ??? <4540B641-4362-33B5-952B-C1F6465EEF3F>
    *0xffffff8000200000 - 0xffffff80002fffff  kernel (1.2.3)         <0F0E0D0C-0B0A-0908-0706-050403020100>  /System/Library/Kernels/kernel

  Kextstat:
    114    6 0xffffff7f951c6000 0x4000     0x4000     org.example.driver (1.0) 0102 <113 17 9>
  """

/// What `leaks` writes.
let leaksText = """
  Process:         Tide Table [812]
  Identifier:      org.example.tides
  Code Type:       ARM64
  OS Version:      macOS 14.2 (23C64)
  Report Version:  7
  Analysis Tool:   /usr/bin/leaks
  ----

  leaks Report Version: 4.0, multi-line stacks
  Process 812: 33822 nodes malloced for 6005 KB
  Process 812: 3 leaks for 96 total leaked bytes.

  STACK OF 2 INSTANCES OF 'ROOT LEAK: <Moon's Phase>':
  3   dyld                                  0x190000204 start + 4
  2   org.example.tides                     0x100001028 main + 40  main.m:15
  1   org.example.tides                     0x100002008 0x100000000 + 8200
  0   libsystem_malloc.dylib                0x1b0000010 malloc + 16  <compiler-generated>:0
  ====
      2 (64 bytes) << TOTAL >>
        1 (32 bytes) ROOT LEAK: <Phase 0x600001431a40> [32]
        1 (32 bytes) ROOT LEAK: 0x600001440440 [32]

  Binary Images:
         0x100000000 -        0x100007fff +org.example.tides (2.5 - 118) <00112233-4455-6677-8899-AABBCCDDEEFF> /Applications/T
  """

/// A panic of a machine with an ARM processor.
let panicText = """
  panic(cpu 1 caller 0xfffffe001f5bd638): "Moon(0)::rise " "no answer in 20s\\n" @driver.cpp:12
  second line of the message: text
  Debugger message: panic
  OS version: 22D68
  Kernel UUID: 7A07282F-D9FA-3782-A45A-8F8BB52FD37D
  Kernel slide:      0x0000000015a18000
  Kernel text base:  0xfffffe001ca1c000
  Panicked task 0xfffffe2508e09660: 0 pages, 524 threads: pid 7: moond
  Panicked thread: 0xfffffe203ab8b808, backtrace: 0xfffffe8c1a27b280, tid: 96515
  \t\t  lr: 0xfffffe001cb66834  fp: 0xfffffe8c1a27b2f0
  \t\t  lr: 0xfffffe001f5bd638  fp: 0xfffffe8c1a27b370
        Kernel Extensions in backtrace:
           org.example.Moon(1.0)[0C99D617-AE94-37F4-B1DB-0FE51C1CC8BA]@0xfffffe001f587990->0xfffffe001f5c244f
              dependency: com.apple.iokit.IOPCIFamily(2.9)[5B2BF24D-844F-3037-8AF6-DFC6046CA4E2]@0xfffffe001ef61c30->0xfffffe001ef8ccb3

  loaded kexts:
  com.apple.iokit.SCSITaskUserClient\t476.81.2
  """
