import Glibc
import TestSupport
import Testing

/// Runs `kibo chat` in a real terminal, driven by Tests/Terminal, which has the steps. They need Python's standard
/// library only.
@Suite("A conversation in a terminal", .serialized)
struct ChatProcessTests {
    static let python: String? = {
        let candidates: [String?] = [getenv("KIBO_PYTHON").map { String(cString: $0) }, "/usr/bin/python3"]
        return candidates.compactMap { $0 }.first { access($0, X_OK) == 0 }
    }()

    private static let program: String = {
        // The path goes from Tests/ProcessTests/ChatProcessTests.swift to Tests/Terminal.
        let parts = #filePath.split(separator: "/").dropLast(2)
        return "/" + parts.joined(separator: "/") + "/Terminal/talks.py"
    }()

    @Test(
        "Typing, receiving and scrolling work, a daemon may restart, and the terminal is always given back",
        .enabled(if: python != nil, "there is no Python: scripts/test installs it"))
    func talks() throws {
        let options = DaemonProcess.Options(discoveryPort: try FreePort.udp())
        let anna = try DaemonProcess.launch(name: "Anna", options: options)
        let ben = try DaemonProcess.launch(name: "Ben", options: options)
        try anna.befriend(ben)
        let directory = try TemporaryDirectory()
        let output = directory.file("output")
        let process = try ChildProcess(
            try #require(Self.python),
            [
                Self.program, "--kibo", ProgramPaths.kibo, "--socket", anna.socketPath, "--other", ben.socketPath,
                "--directory", directory.path,
            ],
            environment: ["PATH": "/usr/bin:/bin", "LANG": "C.UTF-8", "PYTHONDONTWRITEBYTECODE": "1"],
            outputPath: output)
        func report() -> String { "\((try? TextFile.text(output)) ?? "")\n\(anna.logTail)\n\(ben.logTail)" }
        func wait(for file: String) throws {
            try Patience.until("\(file), or an end", within: .seconds(90), report: report()) {
                access(directory.file(file), F_OK) == 0 || process.end != nil
            }
        }
        try wait(for: "kill")
        if process.end == nil {
            anna.kill()
            try wait(for: "start")
            try anna.start()
        }
        let end = process.wait(.seconds(90))
        if end != .exited(0) { Issue.record("\(end.map { "\($0)" } ?? "still running")\n\(report())") }
        try ben.stop()
        if anna.isRunning { try anna.stop() }
    }
}
