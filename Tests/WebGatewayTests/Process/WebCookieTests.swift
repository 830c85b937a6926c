import ControlProtocol
import TestSupport
import Testing

/// Goal: what another user's server under the page's name does to the browser's cookies keeps nobody out for good.
@Suite("Cookies of other servers of the same name", .serialized)
struct WebCookieTests {
    @Test("A second cookie of our name, before or behind ours, changes nothing; it is ours that is kept alive")
    func second() throws {
        let stage = try GatewayStage()
        let cookie = try stage.logIn()
        let foreign = String(repeating: "A", count: 43)
        let name = "kibo-\(stage.port)"
        for cookies in [
            "\(name)=\(foreign); \(name)=\(cookie)", "\(name)=\(cookie); \(name)=\(foreign)",
            "\(name)=; \(name)=x; a=b; \(name)=\(cookie)",
            Array(repeating: "\(name)=\(foreign)", count: 180).joined(separator: "; ") + "; \(name)=\(cookie)",
        ] {
            let answer = try stage.ask(stage.text("GET", "/login", more: "Cookie: \(cookies)\r\n"))
            #expect(answer.status == 200, "\(cookies)")
        }
        #expect(try stage.ask(stage.text("GET", "/login", more: "Cookie: \(name)=\(foreign)\r\n")).status == 401)
        let stream = try #require(
            try stage.answer(
                Array(stage.text("GET", "/events", more: "Cookie: \(name)=\(foreign); \(name)=\(cookie)\r\n").utf8)))
        #expect(stream.cookie == cookie)
    }

    @Test(
        "Cookies that make the head too large are taken away from the browser, where it is our name that they came under"
    )
    func large() throws {
        let stage = try GatewayStage(account: false)
        let stuffed = "Cookie: a=\(String(repeating: "x", count: 40_000))\r\n"
        let answer = try stage.ask(stage.text("GET", "/", site: "none", more: stuffed))
        #expect(answer.status == 431 && answer.head.contains("Clear-Site-Data: \"cookies\""))
        #expect(String(decoding: answer.body, as: UTF8.self).contains("kibo web"))
        let other = stage.text("GET", "/", site: "none", more: stuffed).replacing(stage.host, with: "evil.localhost:1")
        #expect(try stage.ask(other).status == 403)
    }
}
