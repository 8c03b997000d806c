@_exported public import CrashRead
