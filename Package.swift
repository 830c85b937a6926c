// swift-tools-version: 6.2
import PackageDescription

// CI sets KIBO_WARNINGS=error: a warning is then a failed build. On a user's machine, with a compiler that may be
// newer than ours, a new warning must not stop the build.
let strict: [SwiftSetting] =
    [
        .swiftLanguageMode(.v6), .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    ]
    + (Context.environment["KIBO_WARNINGS"] == "error" ? [.treatAllWarnings(as: .error)] : [])

// What a fault in memory finds of its way barred, as Debian builds C: the parts in C and C++ watch their stacks and, when
// optimised, the sizes of what they copy to; what is linked is resolved at the start and read-only from then on.
// Tests/ProcessTests/HardeningTests looks at the programs.
let hardened: [CSetting] = [
    .unsafeFlags(["-fstack-protector-strong"]), .define("_FORTIFY_SOURCE", to: "2", .when(configuration: .release)),
]
let hardenedCXX: [CXXSetting] = [
    .unsafeFlags(["-fstack-protector-strong"]), .define("_FORTIFY_SOURCE", to: "2", .when(configuration: .release)),
    .define("_GLIBCXX_ASSERTIONS"),
]
let resolved: LinkerSetting = .unsafeFlags(["-Xlinker", "-z", "-Xlinker", "relro", "-Xlinker", "-z", "-Xlinker", "now"])

func program(_ name: String, _ dependencies: [Target.Dependency], linkerSettings: [LinkerSetting] = []) -> Target {
    .executableTarget(
        name: name, dependencies: dependencies, swiftSettings: strict, linkerSettings: linkerSettings + [resolved])
}

func library(_ name: String, _ dependencies: [Target.Dependency], resources: [Resource]? = nil) -> Target {
    .target(name: name, dependencies: dependencies, resources: resources, swiftSettings: strict)
}

// For a whole run, scripts/test builds for release. Most tests stay unoptimised: optimising them takes longer than it saves.
let unoptimised: SwiftSetting = .unsafeFlags(["-Onone"], .when(configuration: .release))

func test(
    _ name: String, _ dependencies: [Target.Dependency], resources: [Resource]? = nil, isOptimised: Bool = false
) -> Target {
    .testTarget(
        name: name, dependencies: dependencies + ["TestSupport"], resources: resources,
        swiftSettings: strict + (isOptimised ? [] : [unoptimised]))
}

func system(_ name: String, pkgConfig: String?, apt: String) -> Target {
    .systemLibrary(name: name, pkgConfig: pkgConfig, providers: [.apt([apt])])
}

// The table of docs/decisions/0002-modules.md; Tests/ShapeTests compares every import with it.
let package = Package(
    name: "kibo",
    products: [
        .executable(name: "kibod", targets: ["kibod"]),
        .executable(name: "kibo", targets: ["kibo"]),
        .executable(name: "kibo-media", targets: ["kibo-media"]),
        .executable(name: "kibo-web", targets: ["kibo-web"]),
        .executable(name: "kibo-notify", targets: ["kibo-notify"]),
        .executable(name: "kibo-localsend", targets: ["kibo-localsend"]),
        .executable(name: "kibo-hook", targets: ["kibo-hook"]),
        .library(name: "kibo-text", type: .dynamic, targets: ["kibo-text"]),
    ],
    targets: [
        system("CSodium", pkgConfig: "libsodium", apt: "libsodium-dev"),
        system("COpenSSL", pkgConfig: "libcrypto", apt: "libssl-dev"),
        system("CSQLite", pkgConfig: "sqlite3", apt: "libsqlite3-dev"),
        system("CXXHash", pkgConfig: "libxxhash", apt: "libxxhash-dev"),
        system("CZstd", pkgConfig: "libzstd", apt: "libzstd-dev"),
        system("CJansson", pkgConfig: "jansson", apt: "libjansson-dev"),
        system("CMagic", pkgConfig: "libmagic", apt: "libmagic-dev"),
        system("CGD", pkgConfig: nil, apt: "libgd-dev"),
        system("CSeccomp", pkgConfig: "libseccomp", apt: "libseccomp-dev"),
        system("CQREncode", pkgConfig: "libqrencode", apt: "libqrencode-dev"),
        system("CLibnotify", pkgConfig: "libnotify", apt: "libnotify-dev"),
        .target(name: "CLinux", cSettings: hardened),
        // A shim over libnotify's and GLib's macros and functions with variable arguments.
        .target(name: "CNotify", dependencies: ["CLibnotify"], cSettings: hardened),
        // Loads kibo-text when it is needed.
        .target(name: "CText", cSettings: hardened),
        // A library of its own in C++, installed as libphonenumber-dev and libicu-dev; neither has a file for pkg-config in all
        // Debians.
        .target(
            name: "kibo-text", dependencies: ["CText"], cxxSettings: hardenedCXX,
            linkerSettings: [
                resolved,
                .linkedLibrary("phonenumber"), .linkedLibrary("icui18n"), .linkedLibrary("icuuc"),
                // There is no Swift in this one, so it doesn't need the runtime that the compiler links to all it makes.
                .unsafeFlags(["-nostartfiles", "-static-stdlib"]),
            ]),
        // Shims over functions with variable arguments, which Swift can't call; installed as libcurl4-openssl-dev and libmicrohttpd-dev.
        .target(
            name: "CCurl", cSettings: hardened,
            linkerSettings: [.linkedLibrary("curl"), .linkedLibrary("ssl"), .linkedLibrary("crypto")]),
        .target(name: "CMicrohttpd", cSettings: hardened, linkerSettings: [.linkedLibrary("microhttpd")]),
        // A shim in C++, installed as libzxing-dev.
        .target(name: "CZXing", cxxSettings: hardenedCXX, linkerSettings: [.linkedLibrary("ZXing")]),

        library("Basics", []),
        library("Arguments", ["Basics"]),
        library("Vocabulary", ["Basics"]),
        library("Threads", ["Basics", "CLinux"]),
        library("Crypto", ["Basics", "Threads", "CSodium", "COpenSSL"]),
        library("Backup", ["Basics", "Crypto", "CZstd"]),
        library("PeerProtocol", ["Basics", "Vocabulary", "Threads", "Crypto"]),
        library("AddressBook", ["Basics", "Vocabulary", "CText"]),
        library("Transfer", ["Basics", "Vocabulary", "Threads", "Crypto", "CLinux", "CXXHash"]),
        library("Store", ["Basics", "Vocabulary", "Threads", "CSQLite"]),
        library("ControlProtocol", ["Basics", "Vocabulary", "CJansson", "CLinux"]),
        library("Reactor", ["Basics", "Threads", "CLinux"]),
        library("Runtime", ["Basics", "Threads", "Store", "ControlProtocol", "Reactor", "CLinux"]),
        library(
            "Messaging",
            ["Basics", "Vocabulary", "Threads", "Crypto", "PeerProtocol", "Transfer", "Store", "CText"]),
        library(
            "Account",
            ["Basics", "Threads", "Crypto", "Store", "ControlProtocol", "Reactor", "Runtime", "Messaging"]),
        library(
            "Media",
            ["Basics", "Vocabulary", "Threads", "PeerProtocol", "Transfer", "Store", "Runtime", "Messaging", "CLinux"]),
        library(
            "Network",
            [
                "Basics", "Vocabulary", "Threads", "Crypto", "PeerProtocol", "Transfer", "Store", "ControlProtocol",
                "Reactor", "Runtime", "Messaging", "Account", "Media",
            ]),
        library(
            "TransferService",
            [
                "Basics", "Vocabulary", "Threads", "Crypto", "PeerProtocol", "Transfer", "Store", "ControlProtocol",
                "Reactor", "Runtime", "Messaging", "Media", "Network", "CLinux",
            ]),
        library(
            "Control",
            [
                "Basics", "Vocabulary", "Threads", "Crypto", "PeerProtocol", "Transfer", "Store", "ControlProtocol",
                "Reactor", "Runtime", "AddressBook", "Messaging", "Account", "Media", "CLinux", "CQREncode",
            ]),
        library(
            "AddressBookService",
            [
                "Basics", "Vocabulary", "Threads", "Crypto", "Store", "ControlProtocol", "Reactor", "Runtime",
                "AddressBook", "Media", "Control", "CLinux",
            ]),
        library(
            "BackupService",
            [
                "Basics", "Threads", "Crypto", "Backup", "Store", "ControlProtocol", "Reactor", "Runtime", "Messaging",
                "Account", "Control",
            ]),
        library(
            "Notifications",
            [
                "Basics", "Vocabulary", "Threads", "Store", "ControlProtocol", "Reactor", "Runtime", "Messaging",
                "Media", "Control", "CLinux",
            ]),
        library(
            "GuestService",
            [
                "Basics", "Vocabulary", "Threads", "Crypto", "Transfer", "Store", "ControlProtocol", "Reactor",
                "Runtime",
                "Messaging", "Media", "Account", "Network", "LocalSend",
            ]),
        library(
            "CallService",
            [
                "Basics", "Vocabulary", "Crypto", "PeerProtocol", "Store", "ControlProtocol", "Reactor", "Runtime",
                "Messaging", "Account", "Network", "Control",
            ]),
        library(
            "Doctor",
            [
                "Basics", "PeerProtocol", "Store", "ControlProtocol", "Reactor", "Runtime", "Messaging", "Account",
                "Media", "Network",
            ]),
        library(
            "Daemon",
            [
                "Basics", "Vocabulary", "Threads", "Crypto", "PeerProtocol", "Transfer", "Store", "ControlProtocol",
                "Reactor", "Runtime", "Messaging", "Account", "Media", "Network", "TransferService", "Control",
                "AddressBookService", "BackupService", "Notifications", "CallService", "GuestService", "Doctor",
                "Arguments",
                "CLinux",
            ]),
        program(
            "kibod", ["Daemon"],
            linkerSettings: [.unsafeFlags(["-use-ld=lld", "-Xlinker", "-z", "-Xlinker", "pack-relative-relocs"])]),
        program("kibo", ["ControlProtocol", "Vocabulary", "Arguments", "Basics", "CLinux"]),
        library("HTTP", ["Basics", "Threads", "Reactor", "CMicrohttpd", "CLinux", "CSeccomp"]),
        library(
            "WebGateway",
            ["Basics", "Threads", "Crypto", "ControlProtocol", "Reactor", "HTTP", "CLinux"]),
        program("kibo-web", ["WebGateway"]),
        library("LocalSend", ["Basics", "ControlProtocol"]),
        library("LocalSendBridge", ["Basics", "Crypto", "ControlProtocol", "Reactor", "LocalSend", "HTTP"]),
        library("LocalSendGiver", ["Basics", "ControlProtocol", "LocalSend", "HTTP", "CCurl", "CLinux"]),
        program("kibo-localsend", ["LocalSendBridge", "LocalSendGiver"]),
        program("kibo-media", ["CMagic", "CGD", "CZXing", "CSeccomp", "CLinux"]),
        program("kibo-notify", ["ControlProtocol", "CLinux", "CNotify"]),
        program("kibo-hook", ["CLinux"]),
        library("TestSupport", ["Basics", "Vocabulary", "Threads", "ControlProtocol", "CLinux"]),
        library("DiscoverySimulation", ["Basics", "Crypto", "PeerProtocol"]),
        program(
            "kibo-bench",
            [
                "DiscoverySimulation", "TestSupport", "ControlProtocol", "PeerProtocol", "Store", "Crypto", "Threads",
                "Vocabulary", "Arguments", "Basics",
            ]),

        test("ArgumentsTests", ["Arguments"]),
        test("BasicsTests", ["Basics"]),
        test("VocabularyTests", ["Vocabulary"]),
        test("ThreadsTests", ["Threads", "Basics"]),
        test("CryptoTests", ["Crypto", "Basics", "CSodium"]),
        test("BackupTests", ["Backup", "Crypto", "Basics"]),
        test("PeerProtocolTests", ["Vocabulary", "PeerProtocol", "DiscoverySimulation", "Crypto", "Basics"]),
        test("DiscoverySimulationTests", ["DiscoverySimulation", "PeerProtocol", "Basics"]),
        test("AddressBookTests", ["AddressBook", "Vocabulary", "Basics"]),
        test("TransferTests", ["Vocabulary", "Transfer", "Crypto", "Basics"]),
        test("StoreTests", ["Vocabulary", "Store", "Basics", "Threads"]),
        test("ControlProtocolTests", ["Vocabulary", "ControlProtocol", "Basics"]),
        test("KiboTests", ["Vocabulary", "kibo", "Control", "Store", "ControlProtocol", "Basics"]),
        test("HTTPTests", ["HTTP", "Reactor", "Crypto", "Basics"]),
        test("WebGatewayTests", ["WebGateway", "HTTP", "ControlProtocol", "Basics"]),
        test("LocalSendTests", ["LocalSend", "ControlProtocol", "Basics"]),
        test("LocalSendBridgeTests", ["LocalSendBridge", "LocalSend", "HTTP", "Basics"]),
        test("GuestServiceTests", ["GuestService", "LocalSend", "ControlProtocol", "Vocabulary", "Basics"]),
        test("MediaTests", ["kibo-media", "Basics", "CLinux", "CQREncode"]),
        test("BenchTests", ["kibo-bench", "Arguments", "Basics"]),
        test("ReactorTests", ["Reactor", "Threads", "Basics", "CLinux"]),
        test(
            "DaemonTests",
            [
                "Vocabulary", "Daemon", "Doctor", "AddressBookService", "Notifications", "CallService", "Account",
                "Control",
                "Runtime",
                "Messaging", "Media",
                "Network", "TransferService", "Reactor", "Arguments", "Basics", "Threads", "Crypto",
                "ControlProtocol", "PeerProtocol", "Store", "Transfer", "AddressBook",
            ]),
        test(
            "ProcessTests",
            [
                "Vocabulary", "Basics", "ControlProtocol", "CLinux", "Crypto", "Backup", "PeerProtocol", "Store",
                "Transfer",
            ]),
        test("ShapeTests", ["Basics"], isOptimised: true),
        test("TestSupportTests", ["Basics"]),
    ],
    cxxLanguageStandard: .cxx17
)
