import ControlProtocol
import Glibc
import TestSupport
import Testing

@Suite("Raw requests to a real worker", .serialized)
struct WebRequestTests {
    @Test("A head that is not written as browsers write it is not answered, at whatever place it is spoiled")
    func heads() throws {
        let stage = try GatewayStage(account: false)
        let cookie = try stage.logIn()
        let good = stage.text("GET", "/login", cookie: cookie)
        #expect(try stage.ask(good).status == 200)
        var bad: [(String, [UInt8])] = []
        func add(_ name: String, _ text: String) {
            bad.append((name, Array(text.utf8)))
        }
        let end = "\r\n\r\n"
        add("two hosts", good.replacing(end, with: "\r\nHost: \(stage.host)\(end)"))
        add("another host second", good.replacing(end, with: "\r\nHost: evil.example\(end)"))
        add(
            "length and chunks",
            good.replacing(end, with: "\r\nContent-Length: 0\r\nTransfer-Encoding: chunked\(end)0\(end)"))
        add("chunks", good.replacing(end, with: "\r\nTransfer-Encoding: chunked\(end)0\(end)"))
        let post = stage.text("POST", "/logout", body: "{}", cookie: cookie)
        add("two lengths", post.replacing("Content-Length: 2", with: "Content-Length: 2\r\nContent-Length: 2"))
        add("all line feeds", good.replacing("\r\n", with: "\n"))
        add("folded", good.replacing("Test/1", with: "Test\r\n 1"))
        add("folded by a tab", good.replacing("Test/1", with: "Test\r\n\t1"))
        add("two spaces", good.replacing("Host: ", with: "Host:  "))
        add("a tab", good.replacing("Host: ", with: "Host:\t"))
        add("no space", good.replacing("Host: ", with: "Host:"))
        add("space before the colon", good.replacing("Host:", with: "Host :"))
        add("space at the end", good.replacing("Test/1", with: "Test/1 "))
        add("two spaces in the first line", good.replacing("GET ", with: "GET  "))
        add("percent zero", good.replacing("/login ", with: "/login%00 "))
        add("percent", good.replacing("/login ", with: "/%6Cogin "))
        add("absolute", good.replacing("/login ", with: "http://\(stage.host)/login "))
        add("old version", good.replacing("HTTP/1.1", with: "HTTP/1.0"))
        add("large head", good.replacing("Test/1", with: String(repeating: "x", count: 33_000)))
        add("very large head", good.replacing("Test/1", with: String(repeating: "x", count: 200_000)))
        add("long target", good.replacing("/login", with: "/" + String(repeating: "a", count: 2_000)))
        add("another site", good.replacing("same-origin", with: "cross-site"))
        add("OPTIONS", good.replacing("GET", with: "OPTIONS"))
        for (index, byte) in good.utf8.enumerated() where byte == UInt8(ascii: "\r") {
            bad.append(
                ("line feed alone at \(index)", Array(good.utf8.prefix(index)) + Array(good.utf8.dropFirst(index + 1))))
        }
        for index in 0..<(good.utf8.count - end.utf8.count) {
            bad.append(("NUL at \(index)", Array(good.utf8.prefix(index)) + [0] + Array(good.utf8.dropFirst(index))))
        }
        for (name, bytes) in bad {
            let answer = try stage.answer(bytes, within: .seconds(3))
            // What the library itself refuses has a page of its own, which says nothing.
            #expect(answer == nil || [400, 403, 414, 431].contains(answer?.status), "\(name): \(answer?.head ?? "")")
            #expect(answer?.head.lowercased().contains("access-control") != true)
        }
        #expect(try stage.ask(good).status == 200)
    }

    @Test("A refused request hears nothing, an admitted one has every header that protects the page")
    func headers() throws {
        let stage = try GatewayStage(account: false)
        let refused = try stage.ask(stage.text("GET", "/", site: "cross-site"))
        #expect(refused.status == 403 && refused.body.isEmpty)
        #expect(try stage.door("web.logins")["refused"] == ["site": 1])
        let page = try stage.ask(stage.text("GET", "/", site: "none"))
        #expect(page.status == 200)
        for text in [
            "X-Content-Type-Options: nosniff", "Referrer-Policy: no-referrer",
            "Cross-Origin-Opener-Policy: same-origin",
            "Cross-Origin-Resource-Policy: same-origin", "frame-ancestors 'none'", "require-trusted-types-for 'script'",
            "default-src 'none'", "Cache-Control: no-store",
        ] { #expect(page.head.contains(text), "\(text)") }
    }

    @Test("A link works once; a cookie works until logout, in every place of this user, and not without one")
    func logins() throws {
        let stage = try GatewayStage()
        let token = try stage.token().letters
        let body = "{\"token\":\"\(token)\"}"
        let first = try stage.ask(stage.text("POST", "/login", body: body))
        let cookie = try #require(first.cookie)
        #expect(first.head.contains("HttpOnly; SameSite=Strict; Path=/"))
        #expect(try stage.ask(stage.text("POST", "/login", body: body)).status == 401)
        #expect(try stage.call("account.get", cookie: cookie).json["result"] != nil)
        #expect(try stage.call("account.get", cookie: nil).status == 401)
        let forged = String(cookie.dropLast()) + (cookie.hasSuffix("A") ? "E" : "A")
        #expect(try stage.call("account.get", cookie: forged).status == 401)
        let out = try stage.ask(stage.text("POST", "/logout", body: "{}", cookie: cookie))
        #expect(out.status == 200 && out.head.contains("Clear-Site-Data"))
        #expect(try stage.call("account.get", cookie: cookie).status == 401)
        let other = try stage.logIn()
        #expect(try stage.door("web.end", ["id": "all"])["ended"] == 1)
        #expect(try stage.call("account.get", cookie: other).status == 401)
    }

    @Test("Only a login hears how the daemon is started; where it is no unit, nothing is started, whatever is asked")
    func daemon() throws {
        let stage = try GatewayStage(account: false)
        let cookie = try stage.logIn()
        #expect(try stage.ask(stage.text("GET", "/daemon")).status == 401)
        #expect(try stage.ask(stage.text("POST", "/daemon", body: "{}")).status == 401)
        let way = try stage.ask(stage.text("GET", "/daemon", cookie: cookie)).json
        #expect(way == ["startable": false, "command": "kibod"])
        for body in ["{}", "", "[]", "{\"unit\":\"other.service\"}"] {
            let answer = try stage.ask(stage.text("POST", "/daemon", body: body, cookie: cookie))
            #expect(answer.status == 200 && answer.json == ["started": false], "\(body)")
        }
        let long = String(repeating: "x", count: 2_000)
        #expect(try stage.ask(stage.text("POST", "/daemon", body: long, cookie: cookie)).status == 413)
        #expect(try stage.call("system.status", cookie: cookie).status == 200)
    }

    @Test("Links are tried ten times a minute")
    func tries() throws {
        let stage = try GatewayStage(account: false)
        let statuses = try (0..<12).map { _ in
            try stage.ask(stage.text("POST", "/login", body: "{\"token\":\"x\"}")).status
        }
        #expect(statuses.prefix(10).allSatisfy { $0 == 401 })
        #expect(statuses.last == 429)
    }

    @Test("The worker is killed, then the daemon: the login stays, and all is served again")
    func kills() throws {
        let stage = try GatewayStage()
        let cookie = try stage.logIn()
        let worker = try stage.worker()
        kill(worker, SIGKILL)
        // The broker starts another one when the next connection comes.
        #expect(try stage.call("account.get", cookie: cookie).status == 200)
        #expect(try stage.worker() != worker)
        stage.daemon.kill()
        let away = try stage.call("account.get", cookie: cookie)
        #expect(away.status == 503 && away.json["error"]?["data"]?["kind"] == "away")
        try stage.daemon.start()
        try Patience.until("an answer") { try stage.call("account.get", cookie: cookie).status == 200 }
    }
}
