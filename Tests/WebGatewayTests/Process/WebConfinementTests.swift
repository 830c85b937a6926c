import Glibc
import TestSupport
import Testing

@Suite("The worker's rights", .serialized)
struct WebConfinementTests {
    @Test(
        "Each thing that a taken-over worker would want kills it",
        arguments: ["open", "create", "socket", "connect", "execve", "fork", "kill", "unlink", "priority", "thread"])
    func refused(_ name: String) throws {
        let directory = try TemporaryDirectory()
        let child = try ChildProcess(
            ProgramPaths.directory + "/kibo-web", ["--try", name], environment: ["SWIFT_BACKTRACE": "enable=no"],
            outputPath: directory.file("log"))
        #expect(child.wait(.seconds(20)) == .signalled(SIGSYS), "\((try? TextFile.text(directory.file("log"))) ?? "")")
    }

    @Test("What the worker needs is left to it")
    func allowed() throws {
        let directory = try TemporaryDirectory()
        let child = try ChildProcess(
            ProgramPaths.directory + "/kibo-web", ["--try", "nothing"], environment: [:],
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

@Suite("Other users of the host", .serialized, .enabled(if: geteuid() == 0))
struct WebOtherUserTests {
    /// Sends a request from a program of that user: what it reads.
    private func ask(_ stage: GatewayStage, as user: Int, address: String = "127.0.0.1") throws -> String {
        let directory = try TemporaryDirectory()
        let request = stage.text("GET", "/", site: "none", more: "Connection: close\r\n").replacing(
            "\r\n", with: "\\r\\n")
        let script = "exec 3<>/dev/tcp/\(address)/\(stage.port); printf '\(request)' >&3; timeout 5 cat <&3"
        let child = try ChildProcess(
            "/usr/bin/setpriv", ["--reuid=\(user)", "--regid=\(user)", "--clear-groups", "/bin/bash", "-c", script],
            environment: ["PATH": "/usr/bin:/bin"], outputPath: directory.file("out"))
        _ = child.wait(.seconds(20))
        return (try? TextFile.text(directory.file("out"))) ?? ""
    }

    @Test("Another user's connection ends without a byte, on both loopbacks; our own is answered")
    func refused() throws {
        let stage = try GatewayStage(account: false)
        for address in ["127.0.0.1", "::1"] {
            #expect(try ask(stage, as: 0, address: address).contains("200 OK"), "\(address)")
            #expect(try ask(stage, as: 65_534, address: address).contains("HTTP/1.1") == false, "\(address)")
        }
    }

    @Test("Both loopbacks are held, so that no other program is asked first")
    func both() throws {
        let stage = try GatewayStage(account: false)
        #expect((try? RawListener(port: stage.port)) == nil)
    }
}
