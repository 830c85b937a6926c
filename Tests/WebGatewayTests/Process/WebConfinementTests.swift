import Basics
import ControlProtocol
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

    @Test("Both loopbacks are held or neither, so that no other program is asked first")
    func both() throws {
        let (four, six) = (try RawListener(), try #require(SixListener()))
        for taken in [four.port, six.port] {
            let stage = try GatewayStage(account: false, address: "kibo-abcdefghijkl \(taken)\n")
            #expect(stage.host == "kibo-abcdefghijkl.localhost:\(stage.port)" && stage.port != taken)
            #expect((try? RawListener(port: stage.port)) == nil && SixListener(port: stage.port) == nil)
        }
        withExtendedLifetime((four, six)) {}
    }
}

/// A listening TCP port on ::1.
private final class SixListener {
    private let descriptor: CInt
    let port: UInt16

    /// Nil if another socket has it.
    init?(port wanted: UInt16 = 0) {
        descriptor = socket(AF_INET6, CInt(SOCK_STREAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_in6()
        var length = socklen_t(MemoryLayout<sockaddr_in6>.size)
        (address.sin6_family, address.sin6_port) = (sa_family_t(AF_INET6), wanted.bigEndian)
        address.sin6_addr = in6addr_loopback
        let number = descriptor
        let code = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(number, $0, length) == 0 && listen(number, 16) == 0 ? getsockname(number, $0, &length) : -1
            }
        }
        port = UInt16(bigEndian: address.sin6_port)
        if code != 0 { return nil }
    }

    deinit { close(descriptor) }
}

/// A gateway whose sockets a service manager has bound.
@Suite("Inherited sockets", .serialized, .enabled(if: access("/usr/bin/python3", X_OK) == 0))
struct WebSocketUnitTests {
    /// Binds sockets as its first word says, and becomes the gateway.
    private static let manager = """
        import os, socket, sys
        held = []
        for word in sys.argv[1].split(","):
            kind, place = word[0], word[1:]
            if kind == "u":
                s = socket.socket(socket.AF_UNIX); s.bind(place)
            else:
                host, port = place.rsplit(":", 1)
                s = socket.socket(socket.AF_INET6 if kind == "6" else socket.AF_INET, socket.SOCK_DGRAM if kind == "d" else socket.SOCK_STREAM)
                if kind == "6": s.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
                s.bind((host, int(port)))
            if kind not in "dn": s.listen(16)
            held.append(s)
        for index, s in enumerate(held): os.dup2(s.fileno(), 40 + index, False)
        for index in range(len(held)): os.dup2(40 + index, 3 + index, True)
        os.environ.update(LISTEN_PID=str(os.getpid()), LISTEN_FDS=str(len(held)))
        os.execv(sys.argv[2], sys.argv[2:])
        """

    private func start(_ sockets: [String], _ daemon: DaemonProcess) throws -> ChildProcess {
        try ChildProcess(
            "/usr/bin/python3",
            [
                "-c", Self.manager, sockets.joined(separator: ","), ProgramPaths.directory + "/kibo-web", "--socket",
                daemon.socketPath,
            ],
            environment: ["XDG_STATE_HOME": daemon.directory.file("state"), "HOME": daemon.directory.path],
            outputPath: daemon.directory.file("web.log"))
    }

    @Test("The sockets of the unit are served, and the port is that of the links")
    func served() throws {
        let daemon = try DaemonProcess(name: "Anna", options: .init())
        try daemon.start()
        let port = try FreePort.tcp()
        let door = daemon.directory.file("web.sock")
        let gateway = try start(["4127.0.0.1:\(port)", "6::1:\(port)", "u\(door)"], daemon)
        let link = try Patience.until("the door") {
            let client = try? ControlClient.connect(path: door, patience: Patience.usual)
            return try client?.call("web.link", timeout: Patience.usual)["link"]?.string
        }
        #expect(link.contains(".localhost:\(port)/#t="))
        let host = String(try #require(link.split(separator: "/").dropFirst().first))
        let socket = try RawSocket(to: SocketAddress(.loopback, port: port))
        #expect(socket.write(Array("GET / HTTP/1.1\r\nHost: \(host)\r\nSec-Fetch-Site: none\r\n\r\n".utf8)))
        guard case .bytes(let bytes) = socket.read(within: .seconds(10)) else {
            Issue.record("no answer")
            return
        }
        #expect(String(decoding: bytes, as: UTF8.self).hasPrefix("HTTP/1.1 200 OK"))
        gateway.kill()
    }

    @Test("One loopback alone, an address that others reach, two ports, and what is no such socket are refused")
    func refused() throws {
        let daemon = try DaemonProcess(name: "Anna", options: .init())
        let port = try FreePort.tcp()
        let (four, six, door) = ("4127.0.0.1:\(port)", "6::1:\(port)", "u" + daemon.directory.file("web.sock"))
        for sockets in [
            [four, door], [six, door], [four, six], ["40.0.0.0:\(port)", six, door], [four, "6:::\(port)", door],
            [four, "6::1:\(try FreePort.tcp())", door], ["d127.0.0.1:\(port)", four, six, door],
            ["n127.0.0.1:\(port)", six, door], [four, six, door, "u" + daemon.directory.file("other.sock")],
        ] {
            let gateway = try start(sockets, daemon)
            #expect(gateway.wait(.seconds(20)) == .exited(1), "\(sockets)")
            #expect(try TextFile.text(daemon.directory.file("web.log")).contains("the sockets given"), "\(sockets)")
            for name in ["web.sock", "other.sock"] { unlink(daemon.directory.file(name)) }
        }
    }
}
