import Glibc
import TestSupport
import Testing

/// The commands of README and CONTRIBUTING, on the programs that the tests have built, without a terminal.
@Suite("Scripts that the documents name", .serialized)
struct ScriptTests {
    private static let root = "/" + #filePath.split(separator: "/").dropLast(3).joined(separator: "/")
    private let directory: TemporaryDirectory
    private let environment: [String: String]

    init() throws {
        directory = try TemporaryDirectory()
        environment = [
            // Swift, which some of them build with, may be anywhere.
            "PATH": getenv("PATH").map { String(cString: $0) } ?? "/usr/sbin:/usr/bin:/sbin:/bin",
            "HOME": directory.path, "KIBO_BIN_DIR": ProgramPaths.directory, "KIBO_LAN_DIR": directory.file("lan"),
            "KIBO_LAN_NAME": "kibo-script-\(getpid())",
        ]
    }

    private func run(
        _ script: String, _ words: [String] = [], within limit: Duration = .seconds(300)
    ) throws -> (status: ChildProcess.End?, text: String) {
        try run(program: Self.root + "/scripts/" + script, words, within: limit)
    }

    private func run(
        program: String, _ words: [String], within limit: Duration
    ) throws -> (status: ChildProcess.End?, text: String) {
        let output = directory.file("output")
        let process = try ChildProcess(program, words, environment: environment, outputPath: output)
        let status = process.wait(limit)
        return (status, (try? TextFile.text(output)) ?? "")
    }

    @Test("scripts/demo tells its story in a pipe")
    func demo() throws {
        let (status, text) = try run("demo")
        #expect(status == .exited(0), "\(TextFile.tail(text, lines: 20))")
        #expect(text.contains("Equal, byte for byte."))
    }

    @Test(
        "scripts/lan makes a network of hosts with people on them, and takes it away",
        .enabled(if: TestNetwork.unavailable == nil, "\(TestNetwork.unavailable ?? "")"))
    func lan() throws {
        defer { _ = try? run("lan", ["down"]) }
        let up = try run("lan", ["up", "2", "--delay", "5"])
        #expect(up.status == .exited(0), "\(up.text)")
        try Patience.until("host 1 to see host 2") { try run("lan", ["kibo", "1", "peers"]).text.contains("Host 2") }
        #expect(try run("lan", ["cut", "2"]).status == .exited(0))
        #expect(try run("lan", ["mend", "2"]).status == .exited(0))
        #expect(try run("lan", ["pull", "2"]).status == .exited(0))
        #expect(try run("lan", ["plug", "2"]).status == .exited(0))
        #expect(try run("lan", ["in", "1", "ip", "address"]).text.contains("10.73.0.1"))
        // Host 1's daemon has ended, and its process id has become another's.
        #expect(try run("lan", ["kill", "1"]).status == .exited(0))
        let bystander = try ChildProcess(
            "/bin/sleep", ["300"], environment: [:], outputPath: directory.file("bystander"))
        let noted = directory.file("lan/1/pid")
        let start = try TextFile.text(noted).split(whereSeparator: \.isWhitespace).dropFirst()
        let words = ["\(bystander.pid)"] + start.map(String.init)
        try TextFile.write("\(words.joined(separator: " "))\n".utf8, to: noted)
        // Where the kernel has netem, no program carries the frames.
        if let wire = try? TextFile.text(directory.file("lan/wire.pid")), let pid = pid_t(wire.prefix { $0 != " " }) {
            kill(pid, SIGKILL)
            try Patience.until("the end of the switch") { try run("lan", ["cut", "2"]).status != .exited(0) }
            #expect(try run("lan", ["mend", "2"]).text.contains("the switch has ended"))
        }
        let down = try run("lan", ["down"])
        #expect(down.status == .exited(0), "\(down.text)")
        #expect(bystander.end == nil, "scripts/lan has ended a process that it did not start")
        #expect(access(directory.file("lan"), F_OK) != 0)
    }

    @Test(
        "Three hosts of which two are on at a time: what one writes comes by a courier, and so does the answer",
        .enabled(if: TestNetwork.unavailable == nil, "\(TestNetwork.unavailable ?? "")"))
    func couriers() throws {
        defer { _ = try? run("lan", ["down"]) }
        let (status, text) = try run(
            program: "/usr/bin/env", ["python3", Self.root + "/Tests/Network/couriers.py"], within: .seconds(300))
        #expect(status == .exited(0), "\(TextFile.tail(text, lines: 60))")
    }

    struct Run: CustomStringConvertible {
        let words: [String]
        var description: String { words.joined(separator: " ") }
    }

    @Test(
        "The longer scripts do what they say, with the programs of the tests where they take them",
        .enabled(if: Thorough.isWanted && getuid() == 0, "scripts/test --thorough, as root"),
        arguments: [
            ["bench", "messages", "--rounds", "1"], ["bench", "idle"], ["soak", "1", "3"], ["pictures", "PLACE"],
            ["install", "--prefix", "PLACE"], ["install", "--remove", "--prefix", "PLACE"],
            ["build", "--web", "PLACE"], ["mixed"], ["package", "--test"], ["fuzz", "cbor", "5"],
        ].map(Run.init(words:)))
    func longer(script: Run) throws {
        let words = script.words.dropFirst().map { $0 == "PLACE" ? directory.file("place") : $0 }
        let (status, text) = try run(script.words[0], words, within: .seconds(3600))
        #expect(status == .exited(0), "\(TextFile.tail(text, lines: 20))")
    }

    @Test(
        "Each script says what it is for",
        arguments: [
            "bench", "build", "demo", "format", "fuzz", "install", "lan", "mixed", "package", "pictures", "soak",
            "test",
        ])
    func help(script: String) throws {
        let (status, text) = try run(script, ["--help"])
        #expect(status == .exited(0) && text.contains("scripts/\(script)"), "\(text)")
    }
}
