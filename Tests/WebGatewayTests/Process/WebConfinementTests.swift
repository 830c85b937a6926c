import Basics
import ControlProtocol
import Glibc
import TestSupport
import Testing

/// Those that serve strangers under the filter: the worker of the gateway, and the bridge to devices that are no peers.
private let programs = ["kibo-web", "kibo-localsend"]

@Suite("The worker's rights", .serialized)
struct WebConfinementTests {
    @Test(
        "Each thing that a taken-over worker would want kills it",
        arguments: programs,
        [
            "open", "create", "socket", "connect", "execve", "fork", "kill", "unlink", "priority", "thread", "code",
            "turn", "own", "async", "lease", "fastopen",
        ])
    func refused(_ program: String, _ name: String) throws {
        let directory = try TemporaryDirectory()
        let child = try ChildProcess(
            ProgramPaths.directory + "/" + program, ["--try", name], environment: ["SWIFT_BACKTRACE": "enable=no"],
            outputPath: directory.file("log"))
        #expect(child.wait(.seconds(20)) == .signalled(SIGSYS), "\((try? TextFile.text(directory.file("log"))) ?? "")")
    }

    @Test(
        "What the worker needs is left to it, also where its reactor waits for long", arguments: programs,
        ["nothing", "wait"])
    func allowed(_ program: String, _ name: String) throws {
        let directory = try TemporaryDirectory()
        let child = try ChildProcess(
            ProgramPaths.directory + "/" + program, ["--try", name], environment: [:],
            outputPath: directory.file("log"))
        #expect(child.wait(.seconds(20)) == .exited(0))
    }

    @Test("The worker of a real gateway runs under the filter, and can't be looked into")
    func real() throws {
        let stage = try GatewayStage(account: false)
        let worker = try stage.worker()
        try Patience.until("the filter") { try TextFile.text("/proc/\(worker)/status").contains("Seccomp:\t2") }
        #expect(try TextFile.text("/proc/\(worker)/status").contains("NoNewPrivs:\t1"))
    }
}
