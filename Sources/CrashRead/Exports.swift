@_exported public import CrashReadCore
@_exported public import CrashReadDebugInfo
@_exported public import CrashReadRendering
@_exported public import CrashReadReports
@_exported public import CrashReadSymbolication
@_exported public import CrashReadVerdict
