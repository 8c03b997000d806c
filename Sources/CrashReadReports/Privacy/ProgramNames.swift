internal import CrashReadCore

/// The names of a program, its files and its functions, which stay in an anonymous report.
struct ProgramNames {
  /// Names of files: of images, of the process, of bundles.
  private(set) var files: Set<String> = []
  /// Words of names, whatever they name.
  private(set) var words: Set<String> = []
  /// Identities of images, in upper case.
  private(set) var identities: Set<String> = []

  /// The names in some reports.
  init(_ reports: [CrashReport]) {
    for report in reports { take(report) }
    words.formUnion(files)
  }

  private mutating func take(_ report: CrashReport) {
    if let process = report.header.process { files.insert(process) }
    for image in report.images {
      for name in [image.name, image.path.map(fileName)].compactMap(\.self) {
        files.insert(name)
        addWords(name)
      }
      if let id = image.id { identities.insert(id.description.uppercased()) }
    }
    addWords(report.header.bundleID)
    report.forEachFrame { frame in
      addWords(frame.reportedSymbol)
      addWords(frame.reportedFile.map(fileName))
    }
    for thread in report.threads { for text in [thread.name, thread.queue] { addWords(text) } }
  }

  private mutating func addWords(_ text: String?) {
    guard let text else { return }
    for word in text.utf8.split(whereSeparator: { !$0.isPartOfName }) where words.count < 1 << 20 {
      words.insert(String(decoding: word, as: UTF8.self))
    }
  }

  /// Names of folders that exist on every machine.
  static let knownFolders = Set(
    """
    Library Developer Xcode DerivedData Build Products Intermediates.noindex ArchiveIntermediates Debug Release Profile \
    CoreSimulator Devices data Containers Bundle Application Data Shared AppGroup Applications Desktop Documents \
    Downloads Movies Music Pictures Public Caches Preferences Logs tmp src Sources Source Tests test usr lib bin include \
    Contents MacOS Frameworks Resources PlugIns XPCServices Versions Current A .build checkouts SourcePackages \
    Index.noindex Carthage Pods node_modules .cargo registry .rustup toolchains .swiftpm .pub-cache opt local share \
    DiagnosticReports Archives Symbols Runtimes RuntimeRoot System Private FrameworksPrivate Mobile com.apple.xcode \
    Debug-iphonesimulator Release-iphonesimulator Debug-iphoneos Release-iphoneos debug release x86_64 arm64
    """.split(separator: " ").map(String.init) + [
      "Application Support", "iOS DeviceSupport", "Mobile Documents",
    ])

  /// Suffixes of program names.
  static let bundleSuffixes: Set = [
    "app", "appex", "framework", "dsym", "xctest", "bundle", "xpc", "xcarchive", "dylib", "so", "kext",
    "plugin",
    "xcodeproj", "xcworkspace", "build", "platform", "sdk", "xctoolchain", "simruntime", "a", "o", "noindex",
    "debug",
  ]
  /// Suffixes of source files.
  static let codeSuffixes: Set = [
    "swift", "m", "mm", "c", "cc", "cpp", "cxx", "h", "hh", "hpp", "hxx", "s", "rs", "go", "kt", "java", "cs",
    "dart",
    "js", "ts", "py", "rb", "zig", "inc", "def", "metal", "hs", "ml", "vb", "fs",
  ]

  /// Words in lower case that occur in the position of a person's name and aren't one.
  static let commonWords = Set(
    """
    admin administrator all and app apple bot build builder ci contact dev developer device email example feedback for \
    hello help home info iphone ipad mac macbook mail mobile mobileuser news noreply office old orders own pro root runner \
    sales server service shared staff support system team test tester testing the user users web work default guest \
    unknown anonymous nobody phone name serial number null nil none true false com org net local watch studio mini air thread process crash error \
    exception main image binary
    """.split(separator: " ").map(String.init))

  /// Fields that identify a device or a person, in lower case without blanks and underscores.
  static let personalFields: [String: Pseudonyms.Kind] = {
    let identifiers =
      "crashreporterkey reporterkey anonymousuuid betaidentifier serialnumber udid hardwareuuid deviceapphash "
      + "deviceidentifierforvendor advertisingidentifier installationid deviceuniqueidentifier userid bootsessionuuid"
      + " serial serialno imei meid iccid idfa idfv deviceid deviceidentifier accountid customerid memberid personid"
      + " installid clientid sessionid iosdeviceid ecid"
    let names =
      "devicename computername username loginname fullname firstname lastname middlename givenname familyname surname "
      + "nickname displayname realname owner ownername contactname customername accountname customer author"
    let secrets =
      "password passwd passphrase passcode secret apikey accesstoken authtoken refreshtoken authorization cookie pin "
      + "streetaddress homeaddress postaladdress postalcode zipcode birthday birthdate dateofbirth ssn ssid bssid"
    var fields: [String: Pseudonyms.Kind] = [
      "hostname": .host, "servername": .host, "ipaddress": .address, "email": .mail, "mail": .mail,
      "emailaddress": .mail, "useremail": .mail, "contactemail": .mail, "phone": .phone,
      "phonenumber": .phone,
      "mobile": .phone, "telephone": .phone, "tel": .phone,
    ]
    for name in secrets.split(separator: " ") { fields[String(name)] = .secret }
    for name in identifiers.split(separator: " ") { fields[String(name)] = .identifier }
    for name in names.split(separator: " ") { fields[String(name)] = .name }
    return fields
  }()
}
