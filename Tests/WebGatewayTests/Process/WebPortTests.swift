import ControlProtocol
import Glibc
import TestSupport
import Testing

/// Goal: another user's program that takes the port while no gateway runs gets nothing of the page's name but what was sent there
/// before, leaves nothing behind that counts later, and people are told.
@Suite("A port that was taken", .serialized)
struct WebPortTests {
    @Test(
        "The page moves under a new name and ends all logins; log, kibo web and the page say so, and it stays where it is"
    )
    func taken() throws {
        // Gateways of other tests look for the first port that is free.
        let stage = try GatewayStage(address: "kibo-abcdefghijkl \(try FreePort.tcp())\n")
        let (cookie, host, port) = (try stage.logIn(), stage.host, stage.port)
        #expect(try stage.door("web.link")["moved"] == nil)
        try stage.end()
        let thief = try RawListener(port: port)
        try stage.start()
        #expect(stage.port != port && stage.host.prefix(17) != host.prefix(17))
        #expect(try TextFile.text(stage.logPath).contains("port \(port) can't be had any more"))
        for name in ["kibo-\(port)", "kibo-\(stage.port)"] {
            #expect(try stage.ask(stage.text("GET", "/login", more: "Cookie: \(name)=\(cookie)\r\n")).status == 401)
        }
        #expect(try stage.door("web.logins")["logins"] == [])
        let old = stage.text("GET", "/", site: "none").replacing(stage.host, with: host)
        #expect(try stage.ask(old).status == 401)
        let said = try stage.daemon.kibo("web", "--print").text
        #expect(
            said.contains("Port \(port) is in use by another program")
                && said.contains("port \(stage.port), with a new address"))
        let moved = try #require(try stage.door("web.open")["moved"])
        #expect(moved["from"]?.integer == Int64(port) && moved["to"]?.integer == Int64(stage.port))
        let welcome = try stage.ask(stage.text("POST", "/login", body: "{\"token\":\"\(try stage.token().letters)\"}"))
        #expect(welcome.status == 200 && welcome.json["moved"] == moved)
        // It stays at that port, whoever leaves the old one, and this is still told.
        let stays = stage.port
        withExtendedLifetime(thief) {}
        try stage.end()
        try stage.start()
        #expect(stage.port == stays && stage.port != port)
        #expect(try stage.door("web.link")["moved"] == moved)
    }

    @Test(
        "Another program had the port between two runs and has let it go, before the second or while that one still tries: another name and no logins",
        arguments: [false, true])
    func lent(_ isLate: Bool) throws {
        let stage = try GatewayStage(address: "kibo-abcdefghijkl \(try FreePort.tcp())\n")
        let (cookie, host, port) = (try stage.logIn(), stage.host, stage.port)
        try stage.end()
        var thief: RawListener? = try RawListener(port: port)
        if isLate {
            try stage.launch()
            // It holds its door before it looks for a port.
            try Patience.until("the gateway's door") { access(stage.door, F_OK) == 0 }
        }
        withExtendedLifetime(thief) {}
        thief = nil
        if !isLate { try stage.launch() }
        try stage.meet()
        #expect(stage.port == port && stage.host != host)
        #expect(try stage.call("account.get", cookie: cookie).status == 401)
        #expect(try stage.door("web.logins")["logins"] == [])
        #expect(try TextFile.text(stage.logPath).contains("the page has a new name"))
        // A tab that is still open, and a bookmark, are told what to do.
        for target in ["/", "/events", "/login"] {
            let old = stage.text("GET", target, cookie: cookie).replacing(stage.host, with: host)
            let answer = try stage.ask(old)
            #expect(answer.status == 401 && String(decoding: answer.body, as: UTF8.self).contains("kibo web"))
        }
    }

    @Test("A gateway that never ran takes the next free port, and there is nothing to tell")
    func first() throws {
        // Port 15427 is taken in most runs of the tests, by a gateway of another one.
        let stage = try GatewayStage(account: false)
        #expect(try stage.door("web.link")["moved"] == nil)
        #expect(try !TextFile.text(stage.logPath).contains("can't be had"))
    }

    @Test("A gateway of the same user beside another daemon has a name, a port and logins of its own")
    func second() throws {
        let first = try GatewayStage(account: false, address: "kibo-abcdefghijkl \(try FreePort.tcp())\n")
        _ = try first.logIn()
        let second = try DaemonProcess(name: "Bert", options: .init())
        try second.start()
        let gateway = try ChildProcess(
            ProgramPaths.directory + "/kibo-web", ["--socket", second.socketPath],
            environment: [
                "XDG_STATE_HOME": first.daemon.directory.file("state"), "HOME": first.daemon.directory.path,
                "KIBO_SOCKET": first.daemon.socketPath,
            ], outputPath: second.directory.file("web.log"))
        let client = try ControlClient.connect(path: second.directory.file("web.sock"), patience: Patience.usual)
        let link = try #require(try client.call("web.link", timeout: Patience.usual)["link"]?.string)
        #expect(!link.contains(first.host))
        #expect(try client.call("web.logins", timeout: Patience.usual)["logins"] == [])
        #expect(try first.door("web.logins")["logins"]?.array?.count == 1)
        let port = first.port
        try first.end()
        try first.start()
        #expect(first.port == port)
        withExtendedLifetime(gateway) {}
    }
}
