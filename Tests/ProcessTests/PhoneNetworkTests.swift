import Glibc
import TestSupport
import Testing

/// Devices with LocalSend give files to a host in another network namespace, and get some from it: a program of others, and one that
/// keeps to nothing. Their steps are in `Tests/Network`.
@Suite("Phones on another host", .serialized)
struct PhoneNetworkTests {
    private static let root = "/" + #filePath.split(separator: "/").dropLast(3).joined(separator: "/")
    private static let python: String? = getenv("KIBO_PYTHON").map { String(cString: $0) }
    private static let unavailable: String? =
        TestNetwork.unavailable
        ?? (python == nil ? "KIBO_PYTHON is not set: scripts/test makes the environment and sets it" : nil)

    @Test(
        "A program of others and hostile devices give files to a host, get files from it, and are found by their addresses",
        .enabled(if: unavailable == nil, "\(unavailable ?? "")"),
        arguments: ["phones.py", "phone_attacks.py", "phone_gifts.py", "phone_traps.py", "phone_scan.py"])
    func story(program: String) throws {
        let directory = try TemporaryDirectory()
        let output = directory.file("output")
        var environment = [
            "PATH": getenv("PATH").map { String(cString: $0) } ?? "/usr/sbin:/usr/bin:/sbin:/bin",
            "HOME": directory.path, "LANG": "C.UTF-8", "PYTHONDONTWRITEBYTECODE": "1",
            "KIBO_BIN_DIR": ProgramPaths.directory, "KIBO_LAN_DIR": directory.file("lan"),
            "KIBO_LAN_NAME": "kibo-phones-\(getpid())",
        ]
        if Thorough.isWanted { environment["KIBO_THOROUGH"] = "1" }
        // It takes its network away itself, whatever happens but its own violent end.
        defer {
            let down = try? ChildProcess(
                Self.root + "/scripts/lan", ["down"], environment: environment, outputPath: directory.file("down"))
            _ = down?.wait(.seconds(30))
        }
        let process = try ChildProcess(
            try #require(Self.python), [Self.root + "/Tests/Network/" + program], environment: environment,
            outputPath: output)
        // Some devices take ten minutes to answer.
        let status = process.wait(.seconds(Thorough.isWanted ? 2400 : 900))
        #expect(status == .exited(0), "\(TextFile.tail((try? TextFile.text(output)) ?? "", lines: 60))")
    }
}
