import Basics
import Crypto
import Glibc
import Reactor
import TestSupport
import Testing

@testable import HTTP

/// Goal: over TLS a server gives the same answers as without, to clients that nobody here wrote, and no address has more
/// connections than it may.
@Suite("The HTTP server below TLS", .serialized)
struct SecureServerTests {
    /// A server on loopback that answers each request with its method, target and the bytes of its body.
    @ReactorActor private final class Echo {
        private(set) var server: HTTPServer?
        /// Requests that were held and whose clients have gone.
        private var gone = 0
        let port: UInt16

        init(_ identity: TLSIdentity?, ofAddress: Int? = nil) throws {
            let socket = Glibc.socket(AF_INET, CInt(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
            var length = socklen_t(MemoryLayout<sockaddr_in>.size)
            withUnsafeMutablePointer(to: &address) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    _ = bind(socket, $0, length)
                    _ = getsockname(socket, $0, &length)
                }
            }
            listen(socket, 16)
            port = UInt16(bigEndian: address.sin_port)
            let limits = HTTPLimits(
                connections: 16, waiting: 16, ofAddress: ofAddress, fields: 32, connectionMemory: 64 << 10,
                silentSeconds: 2, headSeconds: 5, roomSeconds: 5, idleSeconds: 5, slowReaderSeconds: 5, bodySeconds: 30,
                largeBodySeconds: 30, sweepSeconds: 1, wake: 64 << 10)
            server = try HTTPServer(
                limits: limits, identity: identity, common: [("X-Test", "1")], objection: { _ in nil },
                begin: { [unowned self] exchange, head in
                    guard head.method == "POST" else {
                        let words = head.target == "/gone" ? "\(gone)" : "\(head.method) \(head.target)"
                        exchange.answer(Reply(200, [], .bytes(Array(words.utf8))))
                        return .answers
                    }
                    exchange.length = head.value("content-length").flatMap { Int64($0) }
                    if let most = head.value("x-most") {
                        (exchange.length, exchange.isOpenEnded) = (Int64(most), true)
                    }
                    switch head.target {
                    case "/refuse":
                        exchange.refusesEarly = true
                        Reactor.shared.schedule(at: Reactor.shared.now + .milliseconds(50)) {
                            exchange.intake = .dropped
                            exchange.answer(Reply(507))
                        }
                        return .waits
                    case "/hold":
                        exchange.endsWithPeer = true
                        exchange.whenEnded = { self.gone += 1 }
                        exchange.whenComplete = {}
                        return .takesBody
                    default: break
                    }
                    exchange.isLarge = true
                    var count = 0
                    exchange.intake = .passed { bytes in
                        count += bytes.count
                        return true
                    }
                    exchange.whenComplete = {
                        exchange.answer(
                            Reply(200, [], .bytes(Array("\(exchange.peer?.description ?? "?") \(count)".utf8))))
                    }
                    return .takesBody
                })
            try server?.listen(on: socket)
        }
    }

    private static let client = """
        import hashlib, http.client, socket, ssl, sys
        secure, port, work = sys.argv[1] == "tls", int(sys.argv[2]), sys.argv[3]
        context = ssl._create_unverified_context()
        def connect():
            return http.client.HTTPSConnection("127.0.0.1", port, context=context, timeout=20) if secure else http.client.HTTPConnection("127.0.0.1", port, timeout=20)
        if work == "talk":
            one = connect()
            one.request("GET", "/a?b=c")
            answer = one.getresponse()
            print(answer.status, answer.headers["X-Test"], answer.read().decode())
            for size in (0, 1, 70_000, 9_000_001):
                one.request("POST", "/", body=b"x" * size)
                print(one.getresponse().read().decode())
            if secure: print(hashlib.sha256(one.sock.getpeercert(True)).hexdigest(), one.sock.version())
        elif work == "chunked":
            one = connect()
            try:
                one.request("POST", "/", body=iter([b"x" * 9] * 9), headers={"Transfer-Encoding": "chunked"}, encode_chunked=True)
                print(one.getresponse().status)
            except (OSError, http.client.HTTPException): print("ended")
        elif work == "open":
            for pieces in ([], [b"x"], [b"x" * 9] * 9, [b"x" * 4096] * 9):
                one = connect()
                try:
                    one.request("POST", "/", body=iter(pieces), headers={"Transfer-Encoding": "chunked", "X-Most": "10000"}, encode_chunked=True)
                    print(one.getresponse().read().decode())
                except (OSError, http.client.HTTPException): print("ended")
        elif work == "refuse":
            one = connect()
            one.putrequest("POST", "/refuse"); one.putheader("Content-Length", "5000000000"); one.endheaders()
            print(one.getresponse().status)
        elif work == "hold":
            import time
            one = connect()
            one.request("POST", "/hold", body=b"x"); time.sleep(0.3)
            other = connect(); other.request("GET", "/gone"); print(other.getresponse().read().decode())
            one.sock.close(); one.close()
            for _ in range(100):
                other.request("GET", "/gone"); said = other.getresponse().read().decode()
                if said == "1": break
                time.sleep(0.05)
            print(said)
        elif work == "old":
            context.set_ciphers("ALL:@SECLEVEL=0")
            for version in (ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_1):
                context.minimum_version = context.maximum_version = version
                try:
                    one = connect(); one.request("GET", "/"); print(version.name, "is taken")
                except OSError as error: print(version.name, getattr(error, "reason", error))
        else:
            many, taken = [connect() for _ in range(8)], 0
            for one in many:
                try:
                    one.request("GET", "/"); one.getresponse().read(); taken += 1
                except (OSError, http.client.HTTPException): pass
            for one in many: one.close()
            import time
            for _ in range(100):
                try:
                    one = connect(); one.request("GET", "/"); one.getresponse().read(); break
                except (OSError, http.client.HTTPException): time.sleep(0.05)
            else: print("none gets in any more")
            print(taken)
        """

    private func said(_ identity: TLSIdentity?, _ work: String, ofAddress: Int? = nil) async throws -> [String] {
        let echo = try await Echo(identity, ofAddress: ofAddress)
        // A server lives as long as its process, in programs and so here.
        _ = Unmanaged.passRetained(echo)
        let port = echo.port
        let directory = try TemporaryDirectory()
        let output = directory.file("output")
        let client = try ChildProcess(
            "/usr/bin/python3",
            ["-W", "ignore", "-c", Self.client, identity == nil ? "plain" : "tls", "\(port)", work],
            environment: ["PATH": "/usr/bin:/bin"], outputPath: output)
        #expect(client.wait(.seconds(60)) == .exited(0))
        return try TextFile.text(output).split(separator: "\n").map(String.init)
    }

    @Test("Python's client is answered alike with and without TLS; the certificate is ours", arguments: [true, false])
    func answers(isSecure: Bool) async throws {
        let made = try SelfSignedCertificate(name: "Kibo")
        let identity = TLSIdentity(certificate: made.certificate, key: made.key)
        let said = try await said(isSecure ? identity : nil, "talk")
        let talk = ["200 1 GET /a?b=c"] + [0, 1, 70_000, 9_000_001].map { "127.0.0.1 \($0)" }
        #expect(said == talk + (isSecure ? ["\(Hex.encode(made.fingerprint)) TLSv1.3"] : []))
    }

    @Test("A body whose length was not told ends the connection")
    func chunked() async throws {
        #expect(try await said(nil, "chunked") == ["ended"])
    }

    @Test(
        "A body whose length was not told may be taken up to a limit; one of no bytes ends at once",
        arguments: [true, false])
    func openEnded(isSecure: Bool) async throws {
        let said = try await said(isSecure ? identity() : nil, "open")
        #expect(said == ["127.0.0.1 0", "127.0.0.1 1", "127.0.0.1 81", "ended"])
    }

    @Test("A request that waits can be refused before its body comes", arguments: [true, false])
    func refused(isSecure: Bool) async throws {
        #expect(try await said(isSecure ? identity() : nil, "refuse") == ["507"])
    }

    @Test(
        "A client that goes away while its request is held is noticed, if its owner wants that",
        arguments: [true, false])
    func gone(isSecure: Bool) async throws {
        #expect(try await said(isSecure ? identity() : nil, "hold") == ["0", "1"])
    }

    private func identity() throws -> TLSIdentity {
        let made = try SelfSignedCertificate(name: "Kibo")
        return TLSIdentity(certificate: made.certificate, key: made.key)
    }

    @Test("TLS 1.1 is refused")
    func old() async throws {
        let made = try SelfSignedCertificate(name: "Kibo")
        let said = try await said(TLSIdentity(certificate: made.certificate, key: made.key), "old")
        // The same client gets in with TLS 1.2.
        #expect(said.count == 2 && said.first == "TLSv1_2 is taken")
        #expect(said.last?.hasPrefix("TLSv1_1 ") == true && said.last?.hasSuffix("is taken") == false)
    }

    @Test(
        "Of eight connections of one address four are taken, and others once these are over", arguments: [true, false])
    func crowd(isSecure: Bool) async throws {
        let made = try SelfSignedCertificate(name: "Kibo")
        let identity = TLSIdentity(certificate: made.certificate, key: made.key)
        #expect(try await said(isSecure ? identity : nil, "crowd", ofAddress: 4) == ["4"])
    }
}
