import ControlProtocol
import Glibc
import TestSupport
import Testing

/// Starts a peer in Python, written from the protocol documents alone, against a real daemon. Its checks are in
/// `Tests/Interop`.
@Suite("Another program speaks the protocol of the documents", .serialized)
struct InteropProcessTests {
    private static let python: String? = getenv("KIBO_PYTHON").map { String(cString: $0) }

    private static let folder: String = {
        // The path goes from Tests/ProcessTests/InteropProcessTests.swift to Tests/Interop.
        let parts = #filePath.split(separator: "/").dropLast(2)
        return "/" + parts.joined(separator: "/") + "/Interop"
    }()

    /// Runs a program of Tests/Interop to its end. If it fails, its output and the daemon's log are shown.
    private func run(
        _ program: String, _ arguments: [String], in directory: TemporaryDirectory, daemon: DaemonProcess?
    ) throws {
        let output = directory.file("\(program).output")
        let process = try ChildProcess(
            try #require(Self.python), ["\(Self.folder)/\(program)"] + arguments,
            environment: ["PATH": "/usr/bin:/bin", "LANG": "C.UTF-8", "PYTHONDONTWRITEBYTECODE": "1"],
            outputPath: output)
        // The programs give up by themselves after 60 s.
        let end = process.wait(.seconds(90))
        if end != .exited(0) {
            let ending = end.map { "\($0)" } ?? "still running after 90 s"
            Issue.record("\(program): \(ending)\n\(try TextFile.text(output))\n\(daemon?.logTail ?? "")")
        }
    }

    @Test(
        "The vectors of the documents are computed again by other libraries",
        .enabled(if: python != nil, "KIBO_PYTHON is not set: scripts/test makes the environment and sets it"))
    func vectors() throws {
        let directory = try TemporaryDirectory()
        try run("check_vectors.py", ["\(Self.folder)/../../docs"], in: directory, daemon: nil)
    }

    @Test(
        "What rpc.discover answers is OpenRPC by another program, and what methods answer is as it says",
        .enabled(if: python != nil, "KIBO_PYTHON is not set: scripts/test makes the environment and sets it"))
    func schema() throws {
        let (anna, bert) = try MessageProcessTests.friends()
        _ = try MessageProcessTests.send("Hello", from: anna, to: try bert.account.id)
        let schema = try anna.call("rpc.discover")
        #expect(try anna.call("system.schema") == schema)
        let methods = [
            "system.hello", "system.status", "account.get", "account.link", "contact.list", "conversation.list",
            "conversation.totals", "message.recent", "settings.list", "transfer.list", "peer.list",
        ]
        let answers = try methods.map { name in
            (name, try anna.call(name, name == "system.hello" ? ["client": "tests", "version": "1"] : [:]))
        }
        let given = anna.directory.file("schema.json")
        let json: JSONValue = ["schema": schema, "answers": .object(JSONObject(answers))]
        try TextFile.write(json.text.utf8, to: given)
        try run("check_schema.py", [given], in: anna.directory, daemon: anna)
    }

    @Test(
        "A daemon and a peer in Python do a handshake, become friends, and exchange messages and files",
        .enabled(if: python != nil, "KIBO_PYTHON is not set: scripts/test makes the environment and sets it"),
        arguments: ["dials.py", "is_dialled.py", "takes_files.py", "gives_files.py", "groups.py", "rings.py"])
    func scenario(_ program: String) throws {
        let port = try FreePort.udp()
        let daemon = try DaemonProcess.launch(name: "Daemon", options: .init(discoveryPort: port))
        let files = try daemon.directory.makeDirectory("files")
        try run(
            program, ["--socket", daemon.socketPath, "--discovery-port", "\(port)", "--directory", files],
            in: daemon.directory, daemon: daemon)
        #expect(daemon.isRunning, "the daemon ended\n\(daemon.logTail)")
        try daemon.stop()
    }

    @Test(
        "The peer is away, comes back, and has a message and a file from a courier, to whom it gives its answer",
        .enabled(if: python != nil, "KIBO_PYTHON is not set: scripts/test makes the environment and sets it"))
    func courier() throws {
        let options = DaemonProcess.Options(discoveryPort: try FreePort.udp())
        let daemon = try DaemonProcess.launch(name: "Daemon", options: options)
        let courier = try DaemonProcess.launch(name: "Courier", options: options)
        try daemon.befriend(courier)
        let files = try daemon.directory.makeDirectory("files")
        try run(
            "comes_back.py", ["--socket", daemon.socketPath, "--courier", courier.socketPath, "--directory", files],
            in: daemon.directory, daemon: daemon)
        #expect(daemon.isRunning, "the daemon ended\n\(daemon.logTail)")
        #expect(courier.isRunning, "the courier ended\n\(courier.logTail)")
    }
}
