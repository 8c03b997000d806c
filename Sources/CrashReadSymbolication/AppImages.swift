internal import CrashReadCore
internal import CrashReadReports

/// Distinguishes the app's own images from those of the system and of language runtimes, by what the report states.
struct AppImages {
  private let bundle: String?
  /// Whether the app is part of the system, so that its images are in the system's folders, too.
  private let isSystemApp: Bool
  private let process: String?
  private let isPanic: Bool
  private let isSimulated: Bool
  /// The start of the shared region with the system's libraries; nil for a CPU without a fixed one.
  private let sharedRegion: UInt64?
  /// The names of images for which frames state source lines, if the report has no paths; otherwise empty.
  private let imagesWithSource: Set<String>

  init(_ report: CrashReport) {
    let bundle = report.header.path.flatMap { enclosingBundle($0) }
    self.bundle = bundle
    isSystemApp = bundle.map { path in systemFolders.contains { path.hasPrefix($0) } } ?? false
    process = report.header.process
    isPanic = report.kind == .panic
    isSimulated = report.header.path?.holds("/CoreSimulator/") ?? false
    sharedRegion = report.architecture.map(sharedRegionStart) ?? report.observedSharedRegion
    let named = report.images.allSatisfy { $0.path == nil } ? report.imagesWithSource : []
    // Apple's own tools state source files of the system, too.
    imagesWithSource = named.contains(where: isSystemLibrary) ? [] : named
  }

  /// Whether a frame whose image isn't listed belongs to the app, by the image name that it states.
  func contains(_ frame: Frame) -> Bool {
    guard let name = frame.imageName, !isPanic else { return false }
    return isAppName(name: name, at: frame.address)
  }

  /// Whether an image outside the app is certainly Apple's and the same in all processes of a system: by its path, not
  /// by its name.
  func isSystemImage(_ image: BinaryImage) -> Bool {
    guard let path = image.path, image.id?.byteCount == 16 else { return false }
    return Self.isInSystemFolder(path) || isSimulatorLibrary(image)
  }

  /// Whether a path is in a folder that only the system can write to.
  static func isInSystemFolder(_ path: String) -> Bool { systemRoots.contains(where: path[...].begins) }

  /// Whether an image belongs to the app. Without a path, its name and address decide.
  func contains(_ image: BinaryImage) -> Bool {
    if hasSystemPath(image) { return false }
    let name = image.name ?? ""
    guard !isRuntime(lastComponent(image.path ?? name)), !name.hasPrefix("com.apple.") else { return false }
    if isKernel(image), !isPanic { return false }
    // Most images are the system's, so the more expensive checks are rarely reached.
    return (image.isMarkedAsApp || isOutsideSystem(image)) && !isSimulatorLibrary(image)
  }

  /// A fast test of the path alone, which identifies nearly all images of the system.
  private func hasSystemPath(_ image: BinaryImage) -> Bool {
    guard !image.isMarkedAsApp, !isSystemApp, let path = image.path else { return false }
    return path.utf8.span.begins(with: "/System/") || path.utf8.span.begins(with: "/usr/lib/")
  }

  private func isOutsideSystem(_ image: BinaryImage) -> Bool {
    guard let path = image.path, path.utf8.contains(UInt8(ascii: "/")) else {
      return image.name.map { isAppName(name: $0, at: image.start) } ?? false
    }
    if let bundle, path.hasPrefix(bundle) { return true }
    return !systemFolders.contains { path.hasPrefix($0) }
  }

  /// Whether a name without a path belongs to the app, judged by name and address.
  private func isAppName(name: String, at address: RuntimeAddress?) -> Bool {
    if name == process { return true }
    if name.hasPrefix("com.apple.") || name.hasPrefix("???") || name.hasPrefix("<") { return false }
    if isRuntime(name[...]) || isSystemLibrary(name) { return false }
    // Extensions of interpreters; large ones lie behind the system's libraries.
    if name.holds(".cpython-") || name.hasSuffix(".abi3.so") || name.hasSuffix(".node") { return true }
    // Only the author of an image has a debug file for it.
    if !imagesWithSource.isEmpty { return imagesWithSource.contains(name) }
    guard let address, let sharedRegion else { return true }
    return address.rawValue < sharedRegion
  }

  /// Whether an image is a library of the simulator's runtime, which reports also mark as the app's.
  private func isSimulatorLibrary(_ image: BinaryImage) -> Bool {
    guard let path = image.path else { return false }
    // Up to Xcode 8 the runtime of the simulator was in the SDK. The path may be anonymised; newer ones are on a volume of
    // their own.
    return path.holds("/RuntimeRoot/")
      || image.name != process && path.holds("Simulator.platform/Developer/SDKs/")
      || isSimulated && path.hasPrefix("/Volumes/VOLUME/*/")
  }
}

extension CrashReport {
  /// The names of images for which frames state a source file.
  fileprivate var imagesWithSource: Set<String> {
    Set(threads.flatMap(\.frames).lazy.filter { $0.reportedFile != nil }.compactMap(\.imageName))
  }

  /// Where the shared region begins in a report that doesn't state the CPU, judged by libraries that are certainly the
  /// system's; nil if one of them lies below, as in a simulator.
  fileprivate var observedSharedRegion: UInt64? {
    let frames = threads.flatMap(\.frames) + lastExceptionBacktrace
    let addresses = frames.lazy.filter { $0.imageName.map(isSystemCore) ?? false }
      .compactMap { $0.address?.rawValue }
    let starts = [Architecture.x86_64, .arm64].compactMap(sharedRegionStart)
    guard let lowest = addresses.min(), let start = starts.first(where: { $0 <= lowest }) else { return nil }
    // A program's own code lies below; where nothing does, the addresses were shifted.
    let hasOwnCode = frames.contains { frame in
      frame.imageName != nil && frame.address.map { $0.rawValue < start } ?? false
    }
    return hasOwnCode ? start : nil
  }
}

/// The outermost bundle of an executable, with a trailing slash: `/x/A.app/` for `/x/A.app/PlugIns/B.appex/B`.
private func enclosingBundle(_ path: String) -> String? {
  if let end = path.range(of: ".app/") { return String(path[..<end.upperBound]) }
  return path.hasSuffix(".app") ? path + "/" : nil
}

/// The kernel and its extensions are in the upper half of the address space; apps never are.
private func isKernel(_ image: BinaryImage) -> Bool { image.start.rawValue >> 63 == 1 }

/// Language runtimes that apps bundle, and the other libraries of Swift's toolchain for Linux.
private func isRuntime(_ file: Substring) -> Bool {
  guard file.begins(with: "lib") else { return false }
  let name = file.dropFirst(3)
  return runtimePrefixes.contains { name.begins(with: $0) }
}

/// Without the prefix `lib`.
private let runtimePrefixes = [
  "swift", "_swift", "_InternalSwift", "c++", "stdc++", "clang_rt.", "Foundation", "_Foundation",
  "dispatch.so", "BlocksRuntime.so", "XCTest.so", "Testing.so", "_Testing_",
]

/// The lowest address of dyld's shared cache: `SHARED_REGION_BASE_*` of xnu's `mach/shared_region.h`.
private func sharedRegionStart(_ architecture: Architecture) -> UInt64? {
  if architecture == .arm64_32 { return nil }
  if architecture.isARM64 { return 0x1_8000_0000 }
  switch architecture {
  case .x86_64, .x86_64h: return 0x7ff8_0000_0000
  case .i386: return 0x9000_0000
  default: return nil
  }
}

/// Whether a library is in the shared region of every process.
private func isSystemCore(_ name: String) -> Bool {
  ["libobjc.A.dylib", "libsystem_kernel.dylib", "libdispatch.dylib", "CoreFoundation"].contains(name)
}

/// Whether a file name is that of a library of Apple's systems.
package func isSystemLibrary(_ name: String) -> Bool {
  systemFrameworks.contains(name)
    || name.hasPrefix("lib") && systemLibraryPrefixes.contains { name.dropFirst(3).hasPrefix($0) }
    || graphicsDrivers.contains(where: name.begins)
}

/// Drivers of GPUs, which are named after the chip: `AGXMetalG15X_M1`, `AMDRadeonX6000MTLDriver`.
private let graphicsDrivers = [
  "AGXMetal", "AGXGL", "IMGSGX", "GLEngine", "AMDRadeonX", "AMDMTLBronze", "AppleIntel", "GeForce",
  "AppleMetalOpenGL",
]

/// Libraries in `/usr/lib`, without the prefix `lib`.
private let systemLibraryPrefixes = [
  "system_", "System.", "objc", "dispatch", "dyld", "c++", "xpc", "sqlite3", "z.1", "icucore",
  "network", "boringssl", "xml2", "MobileGestalt", "BNNS", "bsm", "AVFAudio", "AudioToolbox",
  "EmbeddedSystemAUs", "GPUSupport", "RPAC", "MainThreadChecker", "BacktraceRecording",
  "ViewDebugger", "usrtcp", "auto", "mecab", "AccessibilityUtilities", "cache", "commonCrypto",
  "corecrypto", "launch", "macho", "unwind", "GL", "CGInterfaces", "JPEG", "PNG", "TIFF",
  "RosettaRuntime", "RosettaAot", "ffi-trampolines", "MTLHud", "vDSP", "vMisc", "BLAS.", "LAPACK.",
  "FontParser", "FontRegistry", "RIP.A", "TrueTypeScaler", "CGXType.A", "CMSBuiltin.A",
  "CVMSPluginSupport", "CoreFSCache", "CoreVMClient", "GFXShared", "GIF.", "JP2.", "Png.", "Radiance",
  "GSFont", "LinearAlgebra", "Sparse", "Quadrature", "metal_timestamp", "faceCore", "copyfile",
  "removefile", "notify.", "quarantine", "dnsinfo", "keymgr",
]

/// Apple's frameworks that occur in backtraces, by the name of their executable.
private let systemFrameworks: Set<String> = Set(
  """
  dyld dyld_sim kernel mach_kernel UIKit UIKitCore UIKitMacHelper AppKit Foundation CoreFoundation \
  AE AOSKit APFS ATS ATSUI AccessibilityUI AccessibilitySharedSupport AccountsDaemon AppSSO AppSSOCore \
  AppSandbox AppStoreDaemon Apple80211 AppleAccount AppleCVA AppleFSCompression AppleGVA AppleHDAHALPlugIn \
  AppleIDAuthSupport AppleIDSSOAuthentication AppleJPEG AppleSauce AppleSystemInfo AppleVA AppleVPA \
  ApplicationServices AuthKit AuthKitUI BackgroundTaskManagement BaseBoardUI BezelServices BiomeFoundation \
  BiomePubSub BiomeStorage BiometricKit BridgeXPC CMCaptureCore CMImaging CMPhoto CalendarUIKit \
  CarPlayUIServices ChatKit ChronoServices CinematicFraming CloudKitDistributedSync CloudPhotoServices \
  ColorSyncLegacy CommerceCore CommerceKit CommonPanels ConfigurationProfiles ContactsAutocomplete \
  ContactsUICore CoreAUC CoreAVCHD CoreAccessories CoreBrightness CoreCDP CoreEmoji CoreGlyphs \
  CoreHandwriting CoreKDL CoreMaterial CoreMediaAuthoring CoreMediaStream CoreNLP CoreRecents CoreRecognition \
  CoreSDB CoreServicesStore CoreSpeech CoreSurface CoreUtils CrashReporterSupport DFRFoundation \
  DSExternalDisplay DataAccessExpress DataDetectors DictationServices DictionaryServices DifferentialPrivacy \
  DirectoryService DiskManagement DisplayServices DoNotDisturb EmbeddedAcousticRecognition FMCoreLite \
  FMCoreUI FSEvents FTClientServices FTServices FaceCoreLight FinderKit FontServices GPUWrangler GSS \
  GenerationalStorage GeoServicesCore HIServices HearingUtilities IDSKVStore IMAVCore IMCore IMDPersistence \
  IMSharedUI IMTranscoding IOAccelMemoryInfo IOPresentment IOSurfaceAccelerator ITMLKit IconFoundation \
  ImageCapture ImageKit InternetAccounts JasperDepth KeychainCircle LangAnalysis LinguisticData \
  LocalAuthenticationUI LoginUICore MLAssetIO MMCS MPSFunctions MPUFoundation MallocStackLogging \
  MediaExperience MediaLibraryCore MediaPlaybackCore MediaPlayerUI MediaSafetyNet MessageProtection \
  MobileActivation MobileSpotlightIndex MobileSystemServices NetworkServiceProxy NetworkStatistics \
  OSAServicesClient OSAnalytics OSServices OctagonTrust OpenAL OpenCL OpenScripting PackageKit ParsecUI \
  PerformanceAnalysis PersonaUI PersonalizationPortrait PhotosImagingFoundation PhotosPlayer PowerLog \
  PrintCore ProtectedCloudStorage QTKit Quartz QuartzComposer QuartzFilters QuickLookIosmac \
  QuickLookNonBaseSystem QuickLookUIIosmac RemoteServiceDiscovery RemoteViewServices RemoteXPC SAObjects \
  SafariCore SafariFoundation ScreenReaderCore ScreenReaderOutput ScreenTimeCore SearchKit SecCodeWrapper \
  SecurityHI ShareSheet SharedFileList SharedWebCredentials SidecarUI SignpostCollection SignpostMetrics \
  SignpostSupport SiriActivation SiriFoundation SiriTTS SiriTasks SiriUICore SoftLinking SpeechObjects \
  SpotlightIndex SpotlightLinguistics SpotlightServices SpringBoardUI SpringBoardUIServices StreamingZip \
  SymptomAnalytics SymptomPresentationFeed TelephonyUI TextureIO ToneKit ToneLibrary UIKitSystemAppServices \
  UserNotificationServices ViceroyTrace VoiceServices WatchdogClient WebBookmarks WebInspector \
  WindowManagement XCTTargetBootstrap kperf kperfdata ktrace \
  GraphicsServices CFNetwork HIToolbox QuartzCore JavaScriptCore WebKit WebKitLegacy WebCore SwiftUI \
  SwiftUICore UpdateCycle AttributeGraph Combine CoreData SwiftData CoreGraphics CoreImage CoreText CoreUI \
  CoreMedia CoreVideo CoreAudio CoreMIDI CoreML CoreMotion CoreLocation CoreBluetooth CoreServices \
  CoreTelephony CoreSymbolication CoreServicesInternal CarbonCore CoreAutoLayout CoreHaptics \
  CoreSpotlight CoreNFC CoreDAV AVFoundation AVFAudio AVFCore AVFCapture AVKit AudioToolbox \
  AudioToolboxCore MediaToolbox MediaPlayer VideoToolbox CoreMediaIO MediaAccessibility CMCapture \
  Celestial ImageIO Metal MetalKit MetalPerformanceShaders MetalPerformanceShadersGraph MPSCore \
  MPSNeuralNetwork IOKit IOSurface IOGPU IOAccelerator SceneKit SpriteKit RealityKit \
  RealityFoundation ARKit ARKitCore GameController GameKit GameplayKit GLKit OpenGL OpenGLES ModelIO \
  Vision VisionKit VisionCore Espresso NaturalLanguage Speech Network NetworkExtension \
  SystemConfiguration Security LocalAuthentication CryptoKit CryptoTokenKit Accounts Contacts \
  ContactsUI EventKit EventKitUI Photos PhotosUI PhotosUICore PhotoLibrary PhotoLibraryServices \
  AssetsLibraryServices HealthKit HomeKit MapKit GeoServices VectorKit PassKit PassKitCore StoreKit \
  MessageUI Messages UserNotifications UserNotificationsUI BackgroundTasks PushKit CallKit Intents \
  IntentsUI AppIntents WidgetKit ActivityKit CloudKit CloudDocs WatchConnectivity WatchKit ClockKit \
  QuickLook QuickLookUI PDFKit PencilKit SafariServices SharedUtils BaseBoard BoardServices FrontBoard \
  FrontBoardServices RunningBoardServices UIFoundation TextInput TextInputUI TextInputCore TextKit \
  AccessibilityUtilities AXCoreUtilities AXRuntime ViewBridge SkyLight LaunchServices \
  MobileCoreServices AggregateDictionary PrototypeTools UIAccessibility DocumentManager \
  DocumentManagerCore RemoteManagement ManagedConfiguration MobileInstallation SpringBoard \
  SpringBoardServices SpringBoardFoundation BackBoardServices DeviceCheck DiskArbitration DiskImages \
  Accelerate vImage vecLib libvDSP MultipeerConnectivity ReplayKit ScreenCaptureKit SensorKit Symbols \
  Symbolication SoundAnalysis ServiceManagement SystemExtensions UniformTypeIdentifiers Virtualization \
  Hypervisor XPC XCTest XCTestCore XCTAutomationSupport XCTestSupport Testing caulk WeatherKit \
  WorkflowKit LinkPresentation LinkServices TipKit Translation Charts RegexBuilder OSLog \
  LoggingSupport MetricKit DebugSymbols PowerlogCore PersonaKit DesktopServicesPriv DataDetectorsCore \
  ProtocolBuffer TCC TelephonyUtilities SiriInstrumentation AssistantServices CarPlay CarPlayServices CarPlaySupport \
  AuthenticationServices AuthenticationServicesCore \
  AdServices AdSupport AppTrackingTransparency AppAttest AssetsLibrary AudioUnit AudioSession AudioSessionServer \
  BusinessChat CFOpenDirectory ClassKit ColorSync CompositorServices CoreAudioKit CoreAudioTypes \
  CoreDisplay CoreFollowUp CoreHAP CoreIDV CoreParsec CorePhoneNumbers CorePrediction CoreRE \
  CoreRoutine CoreSuggestions CoreSVG CoreTransferable CoreWLAN CoreWiFi CoreThemeDefinition CoreDuet \
  CoreDuetContext CoreAnalytics DataDetectorsUI DeveloperToolsSupport DeviceActivity DiscRecording \
  DocumentCamera ExecutionPolicy ExposureNotification ExtensionFoundation ExtensionKit \
  ExternalAccessory FMCore FamilyControls FileProvider FileProviderUI FinanceKit ForceFeedback \
  FoundationModels GameCenterUI GameCenterFoundation GameCenterCore GroupActivities HealthKitUI \
  HeartRhythmUI IdentityLookup IdentityLookupUI ImageCaptureCore ImagePlayground InputMethodKit \
  iTunesCloud JournalingSuggestions KernelManagement LatentSemanticMapping LightweightCodeRequirements \
  LinkMetadata LiveCommunicationKit LockedCameraCapture ManagedSettings MailKit MatterSupport \
  MediaRemote MLCompute MobileAsset MobileBackup MobileIcons MobileWiFi MobileKeyBag MusicKit \
  MultitouchSupport NearbyInteraction NewsstandKit OpenDirectory PhotoFoundation \
  PHASE PlugInKit PlugInKitDaemon PreferencePanes PrintKit PrintKitUI PushToTalk ProximityReader \
  QuickLookSupport QuickLookThumbnailing QuickLookUICore RoomPlan ReflectionInternal RenderBox \
  SafariSafeBrowsing SafariShared ScreenTime ScriptingBridge SecurityFoundation SecurityInterface \
  SensitiveContentAnalysis ShazamKit SharedWithYou SharedWithYouCore SiriKitFlow SpeechRecognitionCore \
  SyncedDefaults SoundAnalysisInternal StickerKit StickerFoundation TextToSpeech ThreadNetwork \
  TrustEvaluationAgent TVMLKit TVServices TVUIKit TwitterKitInternal UIIntelligenceSupport \
  VideoSubscriberAccount VisionKitCore VoiceTrigger WatchListKit WebContentAnalysis WebCoreInternals \
  WiFiKit WirelessDiagnostics iAd IconServices IMFoundation IMSharedUtilities IntentsCore IOBluetooth \
  IOUSBHost IOMobileFramebuffer AppleMediaServices AppleNeuralEngine AppServerSupport AppProtection \
  AXMediaUtilities AccessibilityPlatformTranslation AccessibilitySettingsLoader ARKitUI AVRouting \
  AVConference ANECompiler ANEServices AddressBook AddressBookUI AirPlaySupport AirPlaySync \
  AirPlayReceiver AirTraffic ApplePushService AssertionServices BackgroundTasksInternal \
  BluetoothManager BoardServicesUI BulletinBoard CacheDelete ChunkingLibrary ClockKitUI \
  CloudPhotoLibrary ContactsFoundation ContactsPersistence CryptoKitPrivate DuetActivityScheduler \
  EAP8021X EmojiFoundation FaceCore FrontBoardUI GPURawCounter GPUCompiler HangTracer MapsSupport \
  MetadataUtilities MetalTools MetalPerformancePrimitives MPSImage MPSMatrix MPSNDArray \
  MPSRayIntersector MPSBenchmarkLoop NetAppsUtilities NetFS PassKitUI PassKitUIFoundation \
  PersistentConnection PhotosFormats PhotosIntelligence PointerUIServices PhotoAnalysis PhotoVision \
  PlatterKit ProactiveSupport RemoteTextInput RTCReporting SidecarCore SiriUI SplashBoard StatusBarUI \
  SymptomDiagnosticReporter URLFormatting VisualIntelligence WritingTools WritingToolsUI XCTestUI \
  IDSFoundation AudioAnalytics AudioDSPManager BiomeStreams BiomeLibrary InertiaCam IntlPreferences \
  InternationalSupport LoggingSupportUI MIDIPlugin ParsecSubscriptionServiceSupport TouchController \
  UIKitServices vmnet CVNLP GLRenderer GLRendererFloat GLDriver \
  CMIOBaseUnits CMIOUnits CMIOVCUnits CMIOHardwareUnits AUSpeechSynthesis AudioCodecs AppleGVAHEVCDecoder \
  AppleVideoDecoder AppleVAHEVC RawCamera HIDEventServicePlugin IOHIDLib heimdalodpac PrintingUI
  """.utf8.split(separator: UInt8(ascii: " ")).map { String(Substring($0)) })

private let systemRoots = ["/System/", "/usr/lib/", "/private/preboot/Cryptexes/"]

private let systemFolders = [
  "/System/", "/usr/lib", "/usr/libexec/", "/usr/bin/", "/bin/", "/sbin/", "/usr/sbin/", "/lib/", "/lib64/",
  "/Library/Apple/", "/Applications/Xcode", "/Developer/", "/private/preboot/", "/private/var/db/", "[vdso]",
  // What reports have in place of the linker's path if the process was ended before the linker ran.
  "/dyld_path_missing",
]
