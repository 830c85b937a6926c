import Basics
import ControlProtocol
import Glibc
import TestSupport
import Testing

/// A real gateway with a real daemon behind it, and requests to it byte by byte.
final class GatewayStage {
    /// What came back.
    struct Answer {
        let status: Int
        let head: String
        let body: [UInt8]

        var json: JSONValue { (try? JSONParser.parse(body)) ?? .null }
        var cookie: String? { head.firstMatch(of: /Set-Cookie: kibo-\d+=([^;]*);/).map { String($0.1) } }
    }

    let daemon: DaemonProcess
    private(set) var gateway: ChildProcess?
    private(set) var host = ""
    private(set) var port: UInt16 = 0

    /// Whether a program in the place of the service manager holds the sockets.
    private let isHeld: Bool

    /// - Parameter address: what an earlier gateway has kept as its address; needed with `isHeld`, which takes the port from it.
    init(account: Bool = true, address: String? = nil, isHeld: Bool = false) throws {
        self.isHeld = isHeld
        daemon = account ? try DaemonProcess.launch(name: "Anna") : try DaemonProcess(name: "Anna", options: .init())
        if !account { try daemon.start() }
        if let address {
            for name in ["state", "state/kibo", "state/kibo/web"] { _ = try daemon.directory.makeDirectory(name) }
            try TextFile.write(Array(address.utf8), to: daemon.directory.file("state/kibo/web/address"))
            port = address.split(whereSeparator: \.isWhitespace).last.flatMap { UInt16($0) } ?? 0
        }
        try start()
    }

    deinit {
        // The manager would end before its child.
        if isHeld, let broker = try? broker() {
            gateway?.kill()
            kill(broker, SIGKILL)
        }
    }

    var door: String { daemon.directory.file("web.sock") }
    var logPath: String { daemon.directory.file("web.log") }

    func start() throws {
        try launch()
        try meet()
    }

    /// Starts the gateway, and waits for nothing.
    func launch() throws {
        var environment = [
            "XDG_STATE_HOME": daemon.directory.file("state"), "HOME": daemon.directory.path,
            // What is named is the usual place.
            "KIBO_SOCKET": daemon.socketPath,
        ]
        var words = [ProgramPaths.directory + "/kibo-web", "--socket", daemon.socketPath]
        if isHeld {
            environment["HOLDS"] = "1"
            let sockets = "4127.0.0.1:\(port),6::1:\(port),u\(door)"
            unlink(door)
            words = ["/usr/bin/python3", "-c", WebSocketUnitTests.manager, sockets] + words
        }
        gateway = try ChildProcess(words[0], Array(words[1...]), environment: environment, outputPath: logPath)
    }

    /// Waits for the gateway, and asks where the page is.
    func meet() throws {
        let address = try token().address
        host = String(address.dropFirst("http://".count))
        port = try #require(host.split(separator: ":").last.flatMap { UInt16($0) })
    }

    /// Ends broker and worker, and what holds their sockets, so that the port is free.
    func end() throws {
        let (broker, worker) = (try broker(), try worker())
        gateway?.kill()
        if isHeld { kill(broker, SIGKILL) }
        try Patience.until("the worker's end") { kill(broker, 0) != 0 && kill(worker, 0) != 0 }
    }

    /// The process id of the broker.
    func broker() throws -> pid_t {
        let started = try #require(gateway).pid
        return isHeld ? try child(of: started) : started
    }

    /// The process id of the worker.
    func worker() throws -> pid_t { try child(of: broker()) }

    private func child(of process: pid_t) throws -> pid_t {
        try Patience.until("a child") {
            guard let text = try? TextFile.text("/proc/\(process)/task/\(process)/children") else { return nil }
            return text.split(separator: " ").first.flatMap { pid_t($0) }
        }
    }

    /// What `kibo web` asks.
    func door(_ method: String, _ params: JSONObject = [:]) throws -> JSONValue {
        let client = try ControlClient.connect(path: door, patience: Patience.usual)
        return try client.call(method, params, timeout: Patience.usual)
    }

    func token() throws -> (address: String, letters: String) {
        let link = try #require(try door("web.link")["link"]?.string)
        let parts = link.split(separator: "#t=", maxSplits: 1).map(String.init)
        return (String(try #require(parts.first).dropLast()), try #require(parts.last))
    }

    /// A login: its cookie.
    func logIn() throws -> String {
        let answer = try ask(text("POST", "/login", body: "{\"token\":\"\(try token().letters)\"}"))
        return try #require(answer.cookie, "\(answer)")
    }

    /// A request as a page sends it.
    func text(
        _ method: String, _ target: String, body: String? = nil, cookie: String? = nil, site: String = "same-origin",
        more: String = ""
    ) -> String {
        var text = "\(method) \(target) HTTP/1.1\r\nHost: \(host)\r\nSec-Fetch-Site: \(site)\r\nUser-Agent: Test/1\r\n"
        if let cookie { text += "Cookie: kibo-\(port)=\(cookie)\r\n" }
        if method != "GET" {
            text += "Origin: http://\(host)\r\nX-Kibo: 1\r\nContent-Length: \(body?.utf8.count ?? 0)\r\n"
        }
        if method == "POST" { text += "Content-Type: application/json\r\n" }
        return text + more + "\r\n" + (body ?? "")
    }

    func connect() throws -> RawSocket { try RawSocket(to: SocketAddress(.loopback, port: port)) }

    /// Sends bytes and reads one answer; nil if the connection ends without one.
    func answer(_ bytes: [UInt8], on socket: RawSocket? = nil, within limit: Duration = .seconds(10)) throws -> Answer?
    {
        let socket = try socket ?? connect()
        guard socket.write(bytes) else { return nil }
        var all: [UInt8] = []
        let clocks = SystemClocks()
        let deadline = clocks.now + limit
        while clocks.now < deadline {
            if let answer = Self.read(all) { return answer }
            guard case .bytes(let more) = socket.read(within: deadline - clocks.now) else { return nil }
            all += more
        }
        return nil
    }

    func ask(_ text: String) throws -> Answer { try #require(try answer(Array(text.utf8))) }

    func call(_ method: String, _ params: String = "{}", cookie: String?) throws -> Answer {
        try ask(text("POST", "/rpc", body: "{\"method\":\"\(method)\",\"params\":\(params)}", cookie: cookie))
    }

    private static func read(_ bytes: [UInt8]) -> Answer? {
        let end: [UInt8] = [0x0D, 0x0A, 0x0D, 0x0A]
        guard let place = bytes.indices.first(where: { bytes[$0...].starts(with: end) }) else { return nil }
        let (head, start) = (String(decoding: bytes[..<place], as: UTF8.self), place + end.count)
        let status = head.split(separator: " ").dropFirst().first ?? ""
        let length = head.firstMatch(of: /Content-Length: (\d+)/).flatMap { Int($0.1) } ?? 0
        guard bytes.count >= start + length || head.contains("chunked") else { return nil }
        return Answer(status: Int(status) ?? 0, head: head, body: Array(bytes[start...]))
    }
}
