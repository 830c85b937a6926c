import Basics
import ControlProtocol
import Glibc
import TestSupport
import Testing

/// A gateway whose sockets a service manager has bound.
@Suite("Inherited sockets", .serialized, .enabled(if: access("/usr/bin/python3", X_OK) == 0))
struct WebSocketUnitTests {
    /// Binds sockets as its first word says, and becomes the gateway.
    static let manager = """
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
                # As systemd does: a connection that has just ended there keeps nobody from the port.
                if kind in "46": s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
                s.bind((host, int(port)))
            if kind not in "dn": s.listen(16)
            held.append(s)
        for index, s in enumerate(held): os.dup2(s.fileno(), 40 + index, False)
        # As a service manager holds them: each gateway that ends is followed by another one with the same sockets.
        while "HOLDS" in os.environ and os.fork() != 0: os.wait()
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

    @Test(
        "The gateway ends and comes back: with the same sockets under the same name and with its logins, with others at the same port without them"
    )
    func held() throws {
        let stage = try GatewayStage(address: "kibo-abcdefghijkl \(try FreePort.tcp())\n", isHeld: true)
        let (cookie, host, port) = (try stage.logIn(), stage.host, stage.port)
        for _ in 0..<2 {
            let (broker, worker) = (try stage.broker(), try stage.worker())
            kill(broker, SIGKILL)
            try Patience.until("another gateway") { try stage.broker() != broker && kill(worker, 0) != 0 }
            try stage.meet()
            #expect(stage.host == host)
            #expect(try stage.call("account.get", cookie: cookie).status == 200)
        }
        try stage.end()
        try stage.start()
        #expect(stage.port == port && stage.host != host)
        #expect(try stage.call("account.get", cookie: cookie).status == 401)
        #expect(try stage.door("web.logins")["logins"] == [])
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
            #expect(gateway.wait(.seconds(20)) == .exited(78), "\(sockets)")
            #expect(try TextFile.text(daemon.directory.file("web.log")).contains("the sockets given"), "\(sockets)")
            for name in ["web.sock", "other.sock"] { unlink(daemon.directory.file(name)) }
        }
    }
}
