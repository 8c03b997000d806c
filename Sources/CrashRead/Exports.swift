@_exported public import BinaryIdentity
@_exported public import CrashDiagnosis
@_exported public import CrashReports
@_exported public import DebugInfo
@_exported public import Rendering
@_exported public import Symbolication
