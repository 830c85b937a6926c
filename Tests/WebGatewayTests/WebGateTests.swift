import HTTP
import Testing

@testable import WebGateway

/// A request as a page of ours sends it, to be spoiled.
private func request(
    _ method: String = "POST", _ target: String = "/rpc", change: (inout [RequestHead.Field]) -> Void = { _ in }
) -> RequestHead {
    var fields: [RequestHead.Field] = [
        .init("Host", "kibo-abcdefghijkl.localhost:15427"), .init("Sec-Fetch-Site", "same-origin"),
        .init("User-Agent", "Test/1"), .init("Cookie", "other=1; kibo-15427=SECRET; more=2"),
    ]
    if method != "GET" {
        fields += [
            .init("Origin", "http://kibo-abcdefghijkl.localhost:15427"), .init("X-Kibo", "1"),
            .init("Content-Type", "application/json"), .init("Content-Length", "2"),
        ]
    }
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

@Suite("The gate lets in what our own page sends, and nothing else")
struct WebGateTests {
    private let gate = Gate(name: "kibo-abcdefghijkl", port: 15_427)

    private func refusal(_ head: RequestHead) -> GateRefusal? {
        do throws(GateRefusal) {
            _ = try gate.admit(head)
            return nil
        } catch {
            return error
        }
    }

    @Test("A request of our page comes in with its route, cookie and length")
    func admits() throws {
        let admitted = try gate.admit(request())
        #expect(
            admitted.method == .post && admitted.route == .rpc && admitted.cookies == ["SECRET"] && admitted.length == 2
        )
        #expect(refusal(request("GET", "/events?since=3")) == nil)
        #expect(refusal(request("PUT", "/upload/a?at=0") { $0["content-type"] = nil }) == nil)
    }

    @Test(
        "Another name in Host is refused: a page whose name was bound to this host (DNS rebinding)",
        arguments: [
            nil, "", "evil.example:15427", "localhost:15427", "127.0.0.1:15427",
            "kibo-abcdefghijkl.localhost.evil.example",
            "kibo-abcdefghijkl.localhost:", "kibo-abcdefghijkl.localhost:0", "kibo-abcdefghijkl.localhost:99999",
            "kibo-abcdefghijkl.localhost:1a", "x.kibo-abcdefghijkl.localhost", "KIBO-abcdefghijkl.localhost",
            "kibo-abcdefghijkm.localhost:15427", "kibo-abcdefghijkl.localhost.",
        ])
    func host(_ host: String?) {
        #expect(refusal(request("GET", "/events") { $0["host"] = host }) == .host)
    }

    @Test("The port may be another one, as behind ssh -L")
    func port() {
        #expect(refusal(request("GET", "/events") { $0["host"] = "kibo-abcdefghijkl.localhost:8080" }) == nil)
        #expect(refusal(request("GET", "/events") { $0["host"] = "kibo-abcdefghijkl.localhost" }) == nil)
    }

    @Test(
        "Another origin is refused (CSRF by script)",
        arguments: [
            "null", "http://evil.example", "https://kibo-abcdefghijkl.localhost:15427",
            "http://kibo-abcdefghijkl.localhost:15428", "http://kibo-abcdefghijkl.localhost", "",
        ])
    func origin(_ origin: String) {
        #expect(refusal(request { $0["origin"] = origin }) == .origin)
    }

    @Test(
        "Only our own page asks; a person who types the address gets the page",
        arguments: [
            nil, "none", "cross-site", "same-site", "", "same-origin, none",
        ])
    func site(_ site: String?) {
        #expect(refusal(request { $0["sec-fetch-site"] = site }) == .site)
        #expect(refusal(request("GET", "/events") { $0["sec-fetch-site"] = site }) == .site)
        #expect(refusal(request("GET", "/assets/a.js") { $0["sec-fetch-site"] = site }) == .site)
        let page = refusal(request("GET", "/") { $0["sec-fetch-site"] = site })
        #expect(page == (site == "none" ? nil : .site))
    }

    @Test("Without X-Kibo nothing is posted or put: no form can send it")
    func marker() {
        #expect(refusal(request { $0["x-kibo"] = nil }) == .method)
        #expect(refusal(request { $0["x-kibo"] = "0" }) == .method)
        #expect(refusal(request("PUT", "/upload/a?at=0") { $0["x-kibo"] = nil }) == .method)
        #expect(refusal(request { $0["content-type"] = "text/plain" }) == .method)
        #expect(refusal(request { $0["content-type"] = "application/x-www-form-urlencoded" }) == .method)
    }

    @Test(
        "Methods that are not served are refused", arguments: ["OPTIONS", "HEAD", "DELETE", "CONNECT", "TRACE", "get"])
    func methods(_ method: String) {
        #expect(refusal(request(method, "/rpc")) == .method)
    }

    @Test("A field that stands twice is refused, whichever it is")
    func duplicates() {
        for name in ["Host", "Content-Length", "Origin", "Cookie", "X-Kibo", "Sec-Fetch-Site", "Accept"] {
            let head = request {
                $0[name.lowercased()] = $0[name.lowercased()] ?? "x"
                $0.append(.init(name.uppercased(), $0[name.lowercased()] ?? ""))
            }
            #expect(refusal(head) == .field, "\(name)")
        }
    }

    @Test("What changes how a body is read is refused")
    func smuggling() {
        for name in ["Transfer-Encoding", "Upgrade", "Expect", "Trailer"] {
            #expect(refusal(request { $0.append(.init(name, "chunked")) }) == .field, "\(name)")
        }
        for length in ["-1", "+1", "1 ", "0x10", "", "1,1", "99999999999999999999"] {
            #expect(refusal(request { $0["content-length"] = length }) == .field, "\(length)")
        }
        #expect(refusal(request("GET", "/events") { $0["content-length"] = "5" }) == .method)
    }

    @Test("A strange byte in a name or value is refused")
    func bytes() {
        for byte in UInt8.min...UInt8.max {
            let character = String(UnicodeScalar(byte))
            let isFine = byte >= 0x20 && byte != 0x7F
            #expect((refusal(request { $0.append(.init("A", "x\(character)y")) }) == nil) == isFine, "\(byte)")
            let isName = Route.isLetterOrDigit(byte) || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_")
            #expect((refusal(request { $0.append(.init("a\(character)b", "")) }) == nil) == isName, "\(byte)")
        }
    }

    @Test("A strange byte in the target is refused, and so is each percent sign")
    func targets() {
        for byte in UInt8.min...UInt8.max {
            let isFine = Route.isLetterOrDigit(byte) || "/._~?=&-".utf8.contains(byte)
            let head = request("GET", "/events/\(String(UnicodeScalar(byte)))")
            #expect((refusal(head) == nil) == isFine, "\(byte)")
        }
        for target in ["*", "http://kibo-abcdefghijkl.localhost:15427/", "", "/%00", "/%2e%2e/", "/a#b"] {
            #expect(refusal(request("GET", target)) == .target, "\(target)")
        }
        #expect(refusal(request("GET", "/" + String(repeating: "a", count: WebLimits.targetBytes))) == .target)
    }

    @Test("A head that is not as browsers write it is refused, and one that is too large or of another version")
    func form() {
        var head = request()
        head.isPlain = false
        #expect(refusal(head) == .form)
        head = request()
        head.size = WebLimits.headBytes + 1
        #expect(refusal(head) == .form)
        for version in ["HTTP/1.0", "HTTP/1.2", "HTTP/2", "", "HTTP/0.9"] {
            head = request()
            head.version = version
            #expect(refusal(head) == .form)
        }
        let many = request { for index in 0..<WebLimits.fields { $0.append(.init("a\(index)", "")) } }
        #expect(refusal(many) == .form)
    }

    @Test("Cookies are found among those of other servers, by the port in their name; each of several is one to try")
    func cookies() {
        #expect(gate.cookies(in: "kibo-15427=A") == ["A"])
        #expect(gate.cookies(in: "a=kibo-15427=B; kibo-15427=A;b=c") == ["A"])
        #expect(gate.cookies(in: "xkibo-15427=A; kibo-154270=B; kibo=C; kibo-15428=D").isEmpty)
        #expect(gate.cookies(in: "kibo-15427=A; kibo-15427=; kibo-15427=B") == ["A", "", "B"])
        #expect(gate.cookies(in: "").isEmpty)
        let many = Array(repeating: "kibo-15427=A", count: 1_000).joined(separator: "; ")
        #expect(gate.cookies(in: many).count == WebLimits.cookies)
    }

    @Test(
        "A ticket counts only in a window that was opened from outside of the browser, and only at the address without the name"
    )
    func opening() {
        func ask(_ change: (inout [RequestHead.Field]) -> Void = { _ in }) -> GateRefusal? {
            refusal(
                request("GET", "/go/" + String(repeating: "A", count: 43)) {
                    $0["host"] = "127.0.0.1:15427"
                    $0["sec-fetch-site"] = "none"
                    $0["sec-fetch-mode"] = "navigate"
                    $0["sec-fetch-dest"] = "document"
                    change(&$0)
                })
        }
        #expect(ask() == nil)
        for host in [
            nil, "", "127.0.0.1", "127.0.0.1:15428", "localhost:15427", "[::1]:15427", gate.host, gate.host + ":15427",
        ] { #expect(ask { $0["host"] = host } == .host, "\(host ?? "none")") }
        for site in [nil, "same-origin", "same-site", "cross-site"] {
            #expect(ask { $0["sec-fetch-site"] = site } == .site)
        }
        for mode in [nil, "no-cors", "cors", "same-origin"] { #expect(ask { $0["sec-fetch-mode"] = mode } == .site) }
        for kind in [nil, "iframe", "image", "empty", "object"] {
            #expect(ask { $0["sec-fetch-dest"] = kind } == .site)
        }
        #expect(ask { $0["origin"] = "http://127.0.0.1:15427" } == .origin)
        // Nothing else is served there.
        for target in ["/", "/login", "/assets/a.js", "/rpc", "/daemon", "/go/", "/go/a/b", "/go/a?b=c"] {
            let head = request("GET", target) {
                $0["host"] = "127.0.0.1:15427"
                $0["sec-fetch-site"] = "none"
            }
            #expect(refusal(head) == .host, "\(target)")
        }
    }

    @Test("A head of the page that the cookies of another server have made too large is known as that")
    func overloaded() {
        var head = request("GET", "/")
        #expect(!gate.isOverloaded(head))
        head.size = WebLimits.headBytes + 1
        #expect(gate.isOverloaded(head) && refusal(head) == .form)
        var other = request("GET", "/") { $0["host"] = "evil.example" }
        other.size = head.size
        #expect(!gate.isOverloaded(other))
    }

    @Test("A head for a name that the page may have had is known as that, and nothing else is")
    func past() {
        func isPast(_ host: String) -> Bool { gate.isPast(request("GET", "/") { $0["host"] = host }) }
        let past = "kibo-zzzzzzzzzzzz.localhost"
        for host in [past, past + ":1", past + ":65535"] {
            #expect(isPast(host), "\(host)")
        }
        for host in [
            gate.host, gate.host + ":15427", past + ":0", past + ":65536", past + ".evil", "kibo-zzzzzzzzzzzz",
            "kibo-zzzzzzzzzzz.localhost", "kibo-zzzzzzzzzzzZ.localhost", "kibo-zzzzzzzzzzzz.evil", "evil.localhost",
            "127.0.0.1:15427", "",
        ] {
            #expect(!isPast(host), "\(host)")
        }
    }
}

@Suite("Targets")
struct RouteTests {
    @Test("Each route reads its parts")
    func routes() {
        #expect(Route(target: "/") == .page)
        #expect(Route(target: "/assets/main-AB12.js") == .asset("main-AB12.js"))
        #expect(Route(target: "/login") == .login)
        #expect(Route(target: "/logout") == .logout)
        #expect(Route(target: "/rpc") == .rpc)
        #expect(Route(target: "/daemon") == .daemon)
        #expect(Route(target: "/events") == .events(since: nil, epoch: nil, notifies: false))
        #expect(Route(target: "/events?notifies=1") == .events(since: nil, epoch: nil, notifies: true))
        #expect(Route(target: "/events?notifies=0") == nil)
        #expect(Route(target: "/events?since=12&epoch=01a2-b") == .events(since: 12, epoch: "01a2-b", notifies: false))
        #expect(Route(target: "/upload/u1?at=0") == .upload(id: "u1", offset: 0))
        #expect(Route(target: "/file/t1") == .file(transfer: "t1", entry: nil, saves: false))
        #expect(Route(target: "/file/t1/4?save=1") == .file(transfer: "t1", entry: 4, saves: true))
        #expect(Route(target: "/thumb/t1/320") == .thumbnail(transfer: "t1", entry: nil, side: 320))
        #expect(Route(target: "/thumb/t1/7/1280") == .thumbnail(transfer: "t1", entry: 7, side: 1280))
        #expect(Route(target: "/picture/kibo1abc/d1g") == .picture(id: "kibo1abc", digest: "d1g"))
        #expect(Route(target: "/export/c1") == .export(id: "c1"))
    }

    @Test(
        "Anything else has none",
        arguments: [
            "", "//", "/x", "/rpc/", "/rpc?a=1", "/daemon/", "/daemon?a=1", "/daemon/a", "/?x=1", "/assets/",
            "/assets/..", "/assets/.a", "/assets/a/b",
            "/events?since=", "/events?since=-1", "/events?since=1&since=2", "/events?x=1", "/events?since",
            "/events?since=9999999999999999999", "/upload/u1", "/upload/u1?at=x", "/upload//a?at=0",
            "/upload/../a?at=0", "/export/c1?format=text",
            "/file/", "/file/t1/x", "/file/t1?save=0", "/file/t1/1/2", "/thumb/t1/64", "/thumb/t1", "/thumb/t1/1/2/320",
            "/picture/a", "/export/c1?format=html", "/export/", "/login/", "/logout?x=1",
        ])
    func none(_ target: String) { #expect(Route(target: target) == nil) }
}

@Suite("Ranges of files")
struct ByteRangeTests {
    @Test("One range is served, several and other units count as none")
    func ranges() {
        #expect(ByteRange(nil, size: 10) == .whole)
        #expect(ByteRange("bytes=0-", size: 10) == .part(first: 0, count: 10))
        #expect(ByteRange("bytes=2-4", size: 10) == .part(first: 2, count: 3))
        #expect(ByteRange("bytes=2-99", size: 10) == .part(first: 2, count: 8))
        #expect(ByteRange("bytes=-3", size: 10) == .part(first: 7, count: 3))
        #expect(ByteRange("bytes=-30", size: 10) == .part(first: 0, count: 10))
        #expect(ByteRange("bytes=10-", size: 10) == .outside)
        #expect(ByteRange("bytes=-0", size: 10) == .outside)
        #expect(ByteRange("bytes=0-0", size: 0) == .outside)
        for text in [
            "bytes=0-1,3-4", "items=0-1", "bytes=4-2", "bytes=a-b", "bytes=-", "bytes=", "bytes=1", "bytes=-1-2",
        ] {
            #expect(ByteRange(text, size: 10) == .whole, "\(text)")
        }
    }
}

@Suite("What is said of a file")
struct FileAnswerTests {
    private func fields(
        _ type: String, name: String = "a.bin", range: String? = nil, saves: Bool = false
    ) -> [String: String] {
        let answer = FileAnswer(name: name, mediaType: type, size: 10, range: range, saves: saves)
        return Dictionary(answer.fields.map { ($0.name, $0.value) }, uniquingKeysWith: { $1 })
    }

    @Test(
        "Pictures, audio and videos are shown; what could run or be drawn as a page is only saved",
        arguments: [
            "image/svg+xml", "text/html", "application/xhtml+xml", "text/xml", "application/xml", "application/pdf",
            "text/plain", "", "image/png; charset=x", "IMAGE/PNG", "application/javascript",
        ])
    func saved(_ type: String) {
        #expect(fields(type)["Content-Type"] == "application/octet-stream")
        #expect(fields(type)["Content-Disposition"]?.hasPrefix("attachment") == true)
        #expect(fields(type)["Content-Security-Policy"]?.contains("; sandbox") == true)
    }

    @Test("A picture is shown, unless it is to be saved")
    func shown() {
        #expect(fields("image/png")["Content-Type"] == "image/png")
        #expect(fields("image/png")["Content-Disposition"]?.hasPrefix("inline") == true)
        #expect(fields("image/png")["Content-Security-Policy"]?.contains("; sandbox") == true)
        #expect(fields("image/png", saves: true)["Content-Disposition"]?.hasPrefix("attachment") == true)
        #expect(fields("image/png", saves: true)["Content-Type"] == "application/octet-stream")
    }

    @Test("A name can't end its field or begin another one")
    func names() {
        let name = "a\"; x=y\r\nSet-Cookie: k=v\u{0}é/../\u{202E}"
        let value = fields("image/png", name: name)["Content-Disposition"] ?? ""
        #expect(value.hasPrefix("inline; filename*=UTF-8''a%22%3B%20x%3Dy%0D%0ASet-Cookie%3A"))
        #expect(value.utf8.allSatisfy { 0x21...0x7E ~= $0 || $0 == 0x20 })
    }

    @Test("A range is told with the size, and one outside is refused")
    func ranges() {
        let part = FileAnswer(name: "a", mediaType: "video/mp4", size: 10, range: "bytes=2-3", saves: false)
        #expect(part.status == 206 && part.part?.offset == 2 && part.part?.count == 2)
        #expect(fields("video/mp4", range: "bytes=2-3")["Content-Range"] == "bytes 2-3/10")
        let outside = FileAnswer(name: "a", mediaType: "video/mp4", size: 10, range: "bytes=10-", saves: false)
        #expect(outside.status == 416 && outside.part == nil)
        #expect(fields("video/mp4", range: "bytes=10-")["Content-Range"] == "bytes */10")
    }
}
