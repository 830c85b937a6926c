import Glibc
import TestSupport
import Testing

/// Runs the programs of `Tests/Network` in which devices with LocalSend give files to a host in another network namespace, and get some
/// from it. Each has a network of its own, and is a suite, so that they run at once.
private enum PhoneStory {
    private static let root = "/" + #filePath.split(separator: "/").dropLast(3).joined(separator: "/")
    private static let python: String? = getenv("KIBO_PYTHON").map { String(cString: $0) }
    static let unavailable: String? =
        TestNetwork.unavailable
        ?? (python == nil ? "KIBO_PYTHON is not set: scripts/test makes the environment and sets it" : nil)

    static func run(_ program: String) throws {
        let directory = try TemporaryDirectory()
        let output = directory.file("output")
        var environment = [
            "PATH": getenv("PATH").map { String(cString: $0) } ?? "/usr/sbin:/usr/bin:/sbin:/bin",
            "HOME": directory.path, "LANG": "C.UTF-8", "PYTHONDONTWRITEBYTECODE": "1",
            "KIBO_BIN_DIR": ProgramPaths.directory, "KIBO_LAN_DIR": directory.file("lan"),
            "KIBO_LAN_NAME": "kibo-\(program.prefix { $0 != "." })-\(getpid())",
        ]
        if Thorough.isWanted { environment["KIBO_THOROUGH"] = "1" }
        // It takes its network away itself, whatever happens but its own violent end.
        defer {
            let down = try? ChildProcess(
                root + "/scripts/lan", ["down"], environment: environment, outputPath: directory.file("down"))
            _ = down?.wait(.seconds(30))
        }
        let process = try ChildProcess(
            try #require(python), [root + "/Tests/Network/" + program], environment: environment, outputPath: output)
        // Some devices take ten minutes to answer.
        let status = process.wait(.seconds(Thorough.isWanted ? 2400 : 900))
        #expect(status == .exited(0), "\(TextFile.tail((try? TextFile.text(output)) ?? "", lines: 60))")
    }
}

extension Trait where Self == ConditionTrait {
    /// Only where network namespaces and the programs' Python are.
    fileprivate static var onNetwork: Self {
        .enabled(if: PhoneStory.unavailable == nil, "\(PhoneStory.unavailable ?? "")")
    }
}

@Suite("Phones on another host")
struct PhoneNetworkTests {
    @Test("A program of others gives files to a host", .onNetwork)
    func story() throws { try PhoneStory.run("phones.py") }
}

@Suite("Hostile phones on another host")
struct PhoneAttackNetworkTests {
    @Test("Hostile devices give files to a host, and cost it little", .onNetwork)
    func story() throws { try PhoneStory.run("phone_attacks.py") }
}

@Suite("Phones on another host that get files")
struct PhoneGiftNetworkTests {
    @Test("A host gives files to a program of others, and to a polite device", .onNetwork)
    func story() throws { try PhoneStory.run("phone_gifts.py") }
}

@Suite("Hostile phones on another host that get files")
struct PhoneTrapNetworkTests {
    @Test("A host gives files to hostile devices, which cost it little", .onNetwork)
    func story() throws { try PhoneStory.run("phone_traps.py") }
}

@Suite("Phones on another host that keeps multicast away")
struct PhoneScanNetworkTests {
    @Test("Devices are found by their addresses, polite ones and hostile ones", .onNetwork)
    func story() throws { try PhoneStory.run("phone_scan.py") }
}
