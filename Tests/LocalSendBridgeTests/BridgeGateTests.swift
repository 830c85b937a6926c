import Basics
import HTTP
import LocalSend
import Testing

@testable import LocalSendBridge

/// A request as the app sends it, to be spoiled.
private func request(
    _ method: String = "POST", _ target: String = "/api/localsend/v2/register",
    change: (inout [RequestHead.Field]) -> Void = { _ in }
) -> RequestHead {
    var fields: [RequestHead.Field] = [
        .init("Host", "10.9.0.5:53317"), .init("User-Agent", "Dart/3.5 (dart:io)"),
        .init("Content-Type", "application/json"), .init("Content-Length", "2"),
    ]
    change(&fields)
    return RequestHead(method: method, target: target, fields: fields)
}

extension [RequestHead.Field] {
    fileprivate subscript(name: String) -> String? {
        get { first { $0.name == name }?.value }
        set {
            removeAll { $0.name == name }
            if let newValue { append(.init(name, newValue)) }
        }
    }
}

@Suite("The bridge's gate lets in devices nearby, and no pages of browsers")
struct BridgeGateTests {
    private let gate = BridgeGate(links: [.init(index: 2, address: .v4(0x5BC8_0105), prefix: 24)])

    private func refusal(_ head: RequestHead) -> BridgeGate.Refusal? {
        if case .failure(let refusal) = gate.admit(head) { refusal } else { nil }
    }

    // MARK: Hosts

    private func admits(_ host: String, _ gate: BridgeGate? = nil) throws -> Bool {
        (gate ?? self.gate).admits(try #require(IPAddress(host)))
    }

    private func serving(_ address: String, _ prefix: Int) throws -> BridgeGate {
        BridgeGate(links: [.init(index: 2, address: try #require(IPAddress(address)), prefix: prefix)])
    }

    @Test(
        "Private addresses may connect, on whatever network this host is",
        arguments: [
            "10.0.0.0", "10.255.255.255", "172.16.0.1", "172.31.255.255", "192.168.0.1", "192.168.255.255",
            "169.254.0.1", "169.254.255.255", "fe80::1", "::ffff:10.1.2.3",
        ])
    func privateHosts(_ host: String) throws {
        #expect(try admits(host))
        #expect(try admits(host, BridgeGate(links: [])))
    }

    @Test(
        "Addresses of the internet may not",
        arguments: [
            "0.0.0.0", "8.8.8.8", "9.255.255.255", "11.0.0.0", "172.15.255.255", "172.32.0.0", "192.167.255.255",
            "192.169.0.0", "169.253.255.255", "169.255.0.0", "100.64.0.1", "224.0.0.167", "255.255.255.255",
            "2001:db8::1", "::", "::ffff:8.8.8.8", "91.200.0.255", "91.200.2.0",
        ])
    func publicHosts(_ host: String) throws {
        #expect(try admits(host) == false)
    }

    @Test("Those on a network of this host may, and no neighbours of that network")
    func subnets() throws {
        #expect(try admits("91.200.1.0") && admits("91.200.1.255"))
        let one = try serving("91.200.1.5", 32)
        #expect(try admits("91.200.1.5", one) && !admits("91.200.1.4", one))
        let two = try serving("91.200.1.5", 31)
        #expect(try admits("91.200.1.4", two) && !admits("91.200.1.6", two))
        let half = try serving("91.200.1.5", 1)
        #expect(try admits("1.2.3.4", half) && !admits("200.2.3.4", half))
    }

    @Test("A network without bounds, or with more than there are, lets nobody in", arguments: [0, -1, 33, 128])
    func oddPrefixes(_ prefix: Int) throws {
        let odd = try serving("91.200.1.5", prefix)
        #expect(try !admits("91.200.1.5", odd) && !admits("8.8.8.8", odd))
    }

    @Test("Loopback may connect only where the bridge serves it")
    func loopback() throws {
        for host in ["127.0.0.1", "127.8.8.8", "::1"] {
            #expect(try admits(host) == false, "\(host)")
            #expect(try admits(host, serving("127.0.0.1", 8)), "\(host)")
        }
        #expect(try admits("10.1.2.3", serving("127.0.0.1", 8)))
    }

    // MARK: Requests

    @Test("A request of the app comes in with its route and the length of its body")
    func admitted() throws {
        let register = try gate.admit(request()).get()
        #expect(register.route == .register && register.length == 2)
        let info = try gate.admit(
            request("GET", "/api/localsend/v2/info?fingerprint=ab") { $0["content-length"] = nil }
        ).get()
        #expect(info.route == .info(fingerprint: "ab") && info.length == 0)
        let upload = try gate.admit(
            request("POST", "/api/localsend/v2/upload?sessionId=s&fileId=f&token=t") {
                $0["content-length"] = nil
                $0["transfer-encoding"] = "chunked"
            }
        ).get()
        #expect(upload.route == .upload(session: "s", file: "f", token: "t") && upload.length == nil)
    }

    @Test("A page in a browser is refused, whatever it asks for", arguments: ["null", "https://evil.example", ""])
    func origin(_ origin: String) {
        #expect(refusal(request { $0["origin"] = origin }) == .notAllowed)
        #expect(refusal(request("GET", "/") { $0["origin"] = origin }) == .notAllowed)
    }

    @Test(
        "So is everything that a browser sends",
        arguments: ["Sec-Fetch-Site", "sec-fetch-mode", "SEC-FETCH-DEST", "Sec-Fetch-User"])
    func fetch(_ name: String) {
        for value in ["none", "same-origin", "cross-site", ""] {
            #expect(refusal(request { $0.append(.init(name, value)) }) == .notAllowed)
        }
    }

    @Test(
        "A name in Host is refused, as a page's name may lead here (DNS rebinding)",
        arguments: [
            "", "evil.example", "evil.example:53317", "localhost", "localhost:53317", "phone.local", "a",
            "10.9.0.5.evil.example", "10.9.0.5.evil.example:53317", "evil.example:10.9.0.5", "user@10.9.0.5",
            "10.9.0.5 ", " 10.9.0.5", "10.9.0.5:", "10.9.0.5:99999", "10.9.0.5:1a", "10.9.0.5:+1", "10.9.0",
            "10.9.0.5.",
            "2130706433", "0x7f000001", "10.9.0.5/", "[evil.example]", "[evil.example]:53317", "[fe80::1", "fe80::1]",
            "10.9.0.5\u{0}", "10.9.0.5\u{0}.evil.example",
        ])
    func name(_ host: String) {
        #expect(refusal(request { $0["host"] = host }) == .notAllowed)
    }

    @Test(
        "An address in Host is fine, with a port or without; so is no Host",
        arguments: [
            nil, "10.9.0.5", "10.9.0.5:53317", "10.9.0.5:1", "192.168.0.1", "127.0.0.1:53317", "[fe80::1]",
            "[fe80::1]:53317", "fe80::1", "[::1]:53317",
        ])
    func address(_ host: String?) {
        #expect(refusal(request { $0["host"] = host }) == nil)
    }

    @Test(
        "An interface in Host is never looked for: the filter ends the bridge for that",
        arguments: [
            "fe80::1%lo", "[fe80::1%lo]", "[fe80::1%lo]:53317", "fe80::1%1", "[fe80::1%251]:53317", "fe80::1%",
            "10.9.0.5%lo", "%",
        ])
    func scope(_ host: String) {
        #expect(refusal(request { $0["host"] = host }) == .notAllowed)
    }

    @Test("What is not of the protocol is not found")
    func routes() {
        for (method, target) in [
            ("GET", "/"), ("GET", "/api/localsend/v2/register"), ("OPTIONS", "/api/localsend/v2/register"),
            ("POST", "/api/localsend/v3/register"), ("POST", "/api/localsend/v2/register/"),
            ("PUT", "/api/localsend/v2/upload"),
            ("POST", "http://10.9.0.5/api/localsend/v2/register"), ("POST", ""), ("post", "/api/localsend/v2/register"),
        ] {
            #expect(refusal(request(method, target)) == .notFound, "\(method) \(target)")
        }
    }

    @Test("A body has one length: two of them, or one beside an encoding, are refused")
    func smuggling() {
        let cases: [[RequestHead.Field]] = [
            [.init("Content-Length", "2"), .init("Content-Length", "2")],
            [.init("Content-Length", "2"), .init("content-length", "3")],
            [.init("Content-Length", "2"), .init("Transfer-Encoding", "chunked")],
            [.init("Transfer-Encoding", "chunked"), .init("Content-Length", "2")],
            [.init("Transfer-Encoding", "chunked"), .init("Transfer-Encoding", "chunked")],
            [.init("Transfer-Encoding", "identity"), .init("TRANSFER-ENCODING", "chunked")],
        ]
        for fields in cases {
            let head = request {
                $0["content-length"] = nil
                $0 += fields
            }
            #expect(refusal(head) == .malformed, "\(fields)")
        }
    }

    @Test("A length is digits, and not too many of them")
    func lengths() throws {
        for length in [
            "-1", "+1", " 1", "1 ", "0x10", "", "1,1", "1.0", "1e3", "٣", "1000000000000000000",
            "99999999999999999999",
        ] {
            #expect(refusal(request { $0["content-length"] = length }) == .malformed, "\(length)")
        }
        for (text, length) in [("0", 0), ("007", 7), ("999999999999999999", 999_999_999_999_999_999)]
            as [(String, Int64)]
        {
            let admitted = try gate.admit(request { $0["content-length"] = text }).get()
            #expect(admitted.length == length)
        }
    }
}
