import ControlProtocol
import Glibc
import TestSupport
import Testing

/// Completes command lines in a real bash, zsh and fish, driven by Tests/Terminal, which has the lines.
@Suite("Completion in shells")
struct CompletionProcessTests {
    private static let program: String = {
        let parts = #filePath.split(separator: "/").dropLast(2)
        return "/" + parts.joined(separator: "/") + "/Terminal/shells.py"
    }()

    private static let shells = ["bash", "zsh", "fish"].filter { access("/usr/bin/\($0)", X_OK) == 0 }

    @Test(
        "Tab completes commands, names, files, actions and values, in quotes and without; a name is never run",
        .enabled(if: ChatProcessTests.python != nil, "there is no Python: scripts/test installs it"),
        .enabled(if: shells.count == 3, "zsh or fish is missing: scripts/test installs them"))
    func tab() throws {
        let options = DaemonProcess.Options(discoveryPort: try FreePort.udp())
        let anna = try DaemonProcess.launch(name: "Anna", options: options)
        let cleo = try DaemonProcess.launch(name: "Cleo Ünal", options: options)
        let evil = try DaemonProcess.launch(name: "Evil $(touch pwned)", options: options)
        let dora = try DaemonProcess.launch(name: "Dora", options: options)
        try anna.befriend(cleo)
        try anna.befriend(evil)
        try dora.call("contact.request", ["address": .string(try anna.listenAddress)])
        for name in ["Hikers", "Big Walk"] {
            #expect(try anna.kibo("group", "create", name, "Cleo Ünal").isDone)
        }
        let plan = cleo.directory.file("plan.txt")
        try TextFile.write(SampleFiles.text("x"), to: plan)
        #expect(try cleo.kibo("send", "Anna", plan).isDone)
        try Patience.until("a request and an offer", report: anna.logTail) {
            try anna.kibo("completions", "declinable").text == "Dora\nplan.txt\n"
        }
        let directory = try TemporaryDirectory()
        let output = directory.file("output")
        let process = try ChildProcess(
            try #require(ChatProcessTests.python),
            [
                Self.program, "--kibo", ProgramPaths.kibo, "--socket", anna.socketPath, "--other", cleo.socketPath,
                "--directory", directory.path,
            ]
                + Self.shells,
            environment: ["PATH": "/usr/bin:/bin", "LANG": "C.UTF-8", "PYTHONDONTWRITEBYTECODE": "1"],
            outputPath: output)
        let end = process.wait(.seconds(90))
        if end != .exited(0) {
            Issue.record("\(end.map { "\($0)" } ?? "still running")\n\((try? TextFile.text(output)) ?? "")")
        }
    }
}
