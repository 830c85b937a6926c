import Basics
import ControlProtocol
import Glibc
import TestSupport

/// A desktop of the test's own: a message bus, and on it a notification server that tells what it was asked to show.
final class FakeDesktop {
    /// What the server was called with.
    struct Call {
        let json: JSONValue
        var name: String { json["call"]?.string ?? "" }
        var id: Int64 { json["id"]?.integer ?? 0 }
        var title: String { json["title"]?.string ?? "" }
        var body: String { json["body"]?.string ?? "" }
        var actions: [String] { (json["actions"]?.array ?? []).compactMap(\.string) }
        var expires: Int64? { json["expires"]?.integer }
        func hint(_ name: String) -> JSONValue? { json["hints"]?[name] }
    }

    private let directory: TemporaryDirectory
    private let bus: ChildProcess
    private var server: ChildProcess?
    private var servers = 0
    private let capabilities: [String]

    static var isThere: Bool {
        ChatProcessTests.python != nil && access("/usr/bin/dbus-daemon", X_OK) == 0
            && access(ProgramPaths.directory + "/kibo-notify", X_OK) == 0
    }

    private static let root: String = "/" + #filePath.split(separator: "/").dropLast(4).joined(separator: "/")

    init(capabilities: [String] = ["actions", "body"], hasServer: Bool = true) throws {
        self.capabilities = capabilities
        directory = try TemporaryDirectory()
        let configuration = """
            <!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN" "">
            <busconfig><type>session</type><listen>unix:path=\(directory.file("bus"))</listen>
            <policy context="default"><allow send_destination="*" eavesdrop="true"/><allow eavesdrop="true"/>
            <allow own="*"/></policy></busconfig>
            """
        try TextFile.write(configuration.utf8, to: directory.file("bus.conf"))
        bus = try ChildProcess(
            "/usr/bin/dbus-daemon", ["--config-file=" + directory.file("bus.conf"), "--nofork", "--nopidfile"],
            environment: [:], outputPath: directory.file("bus.log"))
        let path = directory.file("bus")
        try Patience.until("the bus to listen") { access(path, F_OK) == 0 }
        guard mkfifo(directory.file("orders"), 0o600) == 0 else { throw SystemError("mkfifo") }
        if hasServer { try startServer() }
    }

    /// What a daemon's environment has to say.
    var environment: [String: String] { ["DBUS_SESSION_BUS_ADDRESS": "unix:path=" + directory.file("bus")] }

    func startServer() throws {
        servers += 1
        let python = ChatProcessTests.python ?? "python3"
        server = try ChildProcess(
            python,
            [Self.root + "/Tests/Interop/fake_desktop.py", environment["DBUS_SESSION_BUS_ADDRESS"] ?? ""]
                + [directory.file("orders")] + capabilities,
            environment: ["PATH": "/usr/bin:/bin"], outputPath: directory.file("calls"))
        let wanted = servers
        try Patience.until("the server to be there", report: text) {
            calls.filter { $0.name == "ready" }.count == wanted
        }
    }

    func endServer() { server?.kill() }
    func endBus() {
        bus.kill()
        server?.kill()
    }

    /// Stops the server as SIGSTOP does: it takes calls and answers none.
    func freezeServer(_ isFrozen: Bool) { server?.signal(isFrozen ? SIGSTOP : SIGCONT) }

    private var text: String { (try? TextFile.text(directory.file("calls"))) ?? "" }

    /// All calls so far, in their order.
    var calls: [Call] {
        text.split(separator: "\n").compactMap { line in
            (try? JSONParser.parse(String(line))).map { Call(json: $0) }
        }
    }

    var shown: [Call] { calls.filter { $0.name == "show" } }

    /// Waits for a call.
    func wait(_ what: String, report: @autoclosure () -> String, _ isIt: (Call) -> Bool) throws -> Call {
        try Patience.until(what, report: report() + text) { calls.last(where: isIt) }
    }

    /// The user does something: `press ID ACTION`, `reply ID TEXT`, `dismiss ID`.
    func user(_ order: String) throws {
        let pipe = open(directory.file("orders"), O_WRONLY | O_CLOEXEC)
        guard pipe >= 0 else { throw SystemError("open") }
        defer { close(pipe) }
        let bytes = Array((order + "\n").utf8)
        guard write(pipe, bytes, bytes.count) == bytes.count else { throw SystemError("write") }
    }
}
