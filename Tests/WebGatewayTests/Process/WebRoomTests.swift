import ControlProtocol
import TestSupport
import Testing

/// Goal: connections that any page of the browser, or any program of this user, opens and leaves alone keep the page waiting not even
/// for a moment. How long they stay themselves is what `WebLimits` says.
@Suite("Connections that say nothing", .serialized)
struct WebRoomTests {
    private func isAnswered(_ stage: GatewayStage) throws -> Bool {
        try stage.answer(Array(stage.text("GET", "/", site: "none").utf8), within: .seconds(20))?.status == 200
    }

    @Test("Two hundred silent connections: the page is answered, and they end by themselves")
    func silent() throws {
        let stage = try GatewayStage(account: false)
        let idle = try (0..<200).map { _ in try stage.connect() }
        #expect(try isAnswered(stage))
        for socket in idle { #expect(socket.readToEnd(within: Patience.usual) == []) }
        #expect(try stage.door("web.logins")["refused"] == ["silent": 200])
        #expect(try isAnswered(stage))
    }

    @Test("A hundred heads that begin and don't end: each new connection finds room, and the oldest make way")
    func heads() throws {
        let stage = try GatewayStage(account: false)
        let begun = try (0..<100).map { _ in
            let socket = try stage.connect()
            #expect(socket.write(Array("GET / HT".utf8)))
            return socket
        }
        for _ in 0..<5 { #expect(try isAnswered(stage)) }
        #expect(begun.first?.readToEnd(within: Patience.usual) == [])
        let refused = try stage.door("web.logins")["refused"]?.object
        #expect(refused?["full"]?.integer ?? 0 >= 36)
    }

    @Test("A hundred connections that wait for another request make way for one that has it")
    func kept() throws {
        let stage = try GatewayStage(account: false)
        let kept = try (0..<100).map { _ in
            let socket = try stage.connect()
            let answer = try stage.answer(Array(stage.text("GET", "/login").utf8), on: socket, within: .seconds(20))
            #expect(answer?.status == 401)
            return socket
        }
        #expect(try isAnswered(stage))
        #expect(kept.first?.readToEnd(within: Patience.usual) == [])
        // Those that came last are still good.
        let last = try stage.answer(Array(stage.text("GET", "/login").utf8), on: kept.last, within: .seconds(20))
        #expect(last?.status == 401)
    }

    @Test("What the gate refuses keeps no connection: a page of another site can hold none")
    func refused() throws {
        let stage = try GatewayStage(account: false)
        for text in [
            stage.text("GET", "/", site: "cross-site"),
            stage.text("GET", "/").replacing(stage.host, with: "evil.example"),
            stage.text("POST", "/rpc", body: "{}", site: "cross-site"),
        ] {
            let socket = try stage.connect()
            #expect(socket.write(Array(text.utf8)))
            let answer = try #require(socket.readToEnd(within: Patience.usual), "the connection stays")
            #expect(String(decoding: answer, as: UTF8.self).hasPrefix("HTTP/1.1 403"))
        }
    }

    @Test("Streams keep their places while silent connections come and go")
    func streams() throws {
        let stage = try GatewayStage()
        let cookie = try stage.logIn()
        let stream = try stage.connect()
        #expect(stream.write(Array(stage.text("GET", "/events", cookie: cookie).utf8)))
        for _ in 0..<3 {
            let others = try (0..<90).map { index in
                let socket = try stage.connect()
                if index % 2 == 0 { #expect(socket.write([UInt8(ascii: "G")])) }
                return socket
            }
            #expect(try stage.call("account.get", cookie: cookie).status == 200)
            withExtendedLifetime(others) {}
        }
        _ = try stage.call("account.update", "{\"statusText\":\"still here\"}", cookie: cookie)
        var text = ""
        while !text.contains("still here"), case .bytes(let bytes) = stream.read(within: Patience.usual) {
            text += String(decoding: bytes, as: UTF8.self)
        }
        #expect(text.contains("still here"))
    }
}
