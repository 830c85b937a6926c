import Basics
import ControlProtocol
import PeerProtocol
import TestSupport
import Testing

@Suite("Profiles between real daemons", .serialized)
struct ProfileProcessTests {
    private func update(_ daemon: DaemonProcess, _ params: JSONObject) throws -> Account {
        try Account(json: daemon.call("account.update", params))
    }

    private func refusal(_ daemon: DaemonProcess, _ params: JSONObject) throws -> RPCError? {
        do {
            try daemon.call("account.update", params)
            return nil
        } catch ClientError.refused(let error) {
            return error
        }
    }

    /// Waits until a contact is as wanted.
    private func wait(
        _ what: String, at daemon: DaemonProcess, _ id: String, where isSo: @escaping (Contact) -> Bool
    ) throws {
        try Patience.until(what, report: daemon.logTail) { try daemon.contact(id).map(isSo) ?? false }
    }

    @Test("A friend sees each change at once, or when it is back, and sees removed fields disappear")
    func friends() throws {
        let (anna, bert) = try MessageProcessTests.friends()
        let id = try anna.account.id
        let events = try bert.connect()
        _ = try events.call("events.subscribe", ["types": ["contact.changed"]])
        let account = try update(
            anna,
            [
                "displayName": "Anna Berg", "statusText": "At sea", "email": "anna@example.org",
                "phone": "+49 30 12 34 56",
            ])
        #expect(account.displayName == "Anna Berg" && account.phone == "+4930123456")
        let event = try #require(try events.nextEvent(timeout: Patience.usual))
        let seen = try Contact(json: event.data)
        #expect(seen.displayName == "Anna Berg" && seen.statusText == "At sea")
        #expect(seen.email == "anna@example.org" && seen.phone == "+4930123456")
        try bert.stop()
        _ = try update(anna, ["statusText": "", "email": ""])
        try bert.start()
        try wait("Bert to see what changed meanwhile", at: bert, id) { $0.statusText == "" && $0.email == nil }
        #expect(try bert.contact(id)?.phone == "+4930123456")
        // A value that stays the same is no change.
        let changes = try anna.connect()
        _ = try changes.call("events.subscribe", ["types": ["account.changed"]])
        _ = try update(anna, ["displayName": "Anna Berg"])
        #expect(try changes.nextEvent(timeout: .milliseconds(500)) == nil)
        try anna.stop()
        try anna.start()
        #expect(try anna.account.displayName == "Anna Berg", "the profile outlives a restart")
    }

    @Test(
        "Values beyond limits, harmful characters and bad addresses are refused with the field, and nothing is stored")
    func refused() throws {
        let daemon = try DaemonProcess.launch(name: "Anna")
        let before = try daemon.account
        for (params, field): (JSONObject, String) in [
            (["statusText": "new", "displayName": .string(String(repeating: "n", count: 51))], "displayName"),
            (["statusText": "new", "displayName": " "], "displayName"),
            (["displayName": "Other", "statusText": .string(String(repeating: "s", count: 257))], "statusText"),
            (["displayName": "Other", "email": "nobody"], "email"),
            (["displayName": "Other", "phone": "030 123456"], "phone"),
            (["displayName": "An\u{202E}na"], "displayName"), (["statusText": "\u{1B}[2J"], "statusText"),
            (["displayName": "Other", "avatarPath": "/no/such/file.png"], "avatarPath"),
        ] {
            let error = try #require(try refusal(daemon, params), "\(params)")
            #expect(error.data?["field"]?.string == field, "\(error)")
            #expect(try daemon.account == before)
        }
        // The limits themselves pass.
        let name = String(repeating: "n", count: 50)
        let status = String(repeating: "s", count: 256)
        let account = try update(daemon, ["displayName": .string(name), "statusText": .string(status)])
        #expect(account.displayName == name && account.statusText == status)
        // Bytes that are no text don't reach the daemon: the line is no JSON, and the command line refuses them.
        let raw = try RawUnixSocket(daemon.socketPath)
        try raw.write(#"{"jsonrpc":"2.0","id":1,"method":"account.update","params":{"displayName":"An"#)
        try raw.write(bytes: [0xFF, 0xFE])
        try raw.write("na\"}}\n")
        #expect(try raw.readLine().contains("-32700"))
        let output = daemon.directory.file("output")
        let script = "exec \"$0\" --socket \"$1\" profile --name \"$(printf 'An\\377na')\""
        let process = try ChildProcess(
            "/bin/sh", ["-c", script, ProgramPaths.kibo, daemon.socketPath], environment: ["PATH": "/usr/bin:/bin"],
            outputPath: output)
        #expect(process.wait(Patience.usual) == .exited(2))
        #expect(try TextFile.text(output).contains("is not text (UTF-8)"))
        #expect(try daemon.account == account)
    }

    @Test(
        "E-mail and phone are for friends unless the user decides otherwise; friends see such a change at once"
    )
    func visibility() throws {
        let options = DaemonProcess.Options(discoveryPort: try FreePort.udp())
        let anna = try DaemonProcess.launch(name: "Anna", options: options)
        let bert = try DaemonProcess.launch(name: "Bert", options: options)
        _ = try update(anna, ["email": "anna@example.org", "phone": "+4930123456"])
        let id = try anna.account.id
        let stranger = try TestPeer()
        func card(_ link: PeerLink) throws -> Card { try Card(decoding: link.frame(.card).body) }
        let link = try stranger.openSession(with: anna)
        let first = try card(link)
        #expect(first.profile.email == nil && first.profile.phone == nil)
        try anna.set("privacy.showEmail", to: "everyone")
        let second = try card(link)
        #expect(second.profile.email == "anna@example.org" && second.profile.phone == nil)
        try anna.befriend(bert)
        try wait("Bert to see both", at: bert, id) { $0.email == "anna@example.org" && $0.phone == "+4930123456" }
        try anna.set("privacy.showPhone", to: "nobody")
        try wait("Bert to lose the number", at: bert, id) { $0.phone == nil }
        try anna.set("privacy.showEmail", to: "nobody")
        try wait("Bert to lose the address", at: bert, id) { $0.email == nil }
        try anna.set("privacy.showEmail", to: nil)
        try wait("Bert to have the address again", at: bert, id) { $0.email == "anna@example.org" }
        let again = try card(try stranger.openSession(with: anna))
        #expect(again.profile.email == nil && again.version > second.version)
    }

    @Test("A new friend gets the card for friends within the session; a former friend gets no later one")
    func relations() throws {
        let daemon = try DaemonProcess.launch(name: "Anna")
        _ = try update(daemon, ["email": "anna@example.org"])
        let peer = try TestPeer("Mallory")
        let link = try peer.openSession(with: daemon)
        #expect(try Card(decoding: link.frame(.card).body).profile.email == nil)
        let request = Frame(kind: .contactRequest, id: freshID(), body: try ContactRequestBody().encoded())
        link.send(request)
        #expect(try link.receipt(for: request.id).status == .stored)
        try daemon.call("contact.accept", ["id": .string(peer.id)])
        #expect(try Card(decoding: link.frame(.card).body).profile.email == "anna@example.org")
        link.send(Frame(kind: .contactRemoval, id: freshID(), body: ContactRemovalBody().encoded()))
        // The card for strangers comes at once, and no other card after it.
        #expect(try Card(decoding: link.frame(.card).body).profile.email == nil)
        _ = try update(daemon, ["phone": "+4930123456", "statusText": "secret plans"])
        let last = try Card(decoding: link.frame(.card).body)
        #expect(last.profile.phone == nil && last.profile.email == nil && last.profile.statusText == "secret plans")
    }

    @Test("The session stays during two hundred changes in a row, and the friend ends with the last one")
    func flood() throws {
        let (anna, bert) = try MessageProcessTests.friends()
        let id = try anna.account.id
        let events = try bert.connect()
        _ = try events.call("events.subscribe", ["types": ["presence.changed"]])
        for number in 1...200 { _ = try update(anna, ["statusText": .string("step \(number)")]) }
        try wait("Bert to see the last", at: bert, id) { $0.statusText == "step 200" }
        // That they met may still have to be told.
        while let event = try events.nextEvent(timeout: .milliseconds(300)) {
            #expect(try Contact(json: event.data).presence != .offline, "the session has ended")
        }
    }

    @Test("A peer's name may be longer than ours, but a card that breaks the rules ends the session")
    func foreignCards() throws {
        let daemon = try DaemonProcess.launch(name: "Anna")
        let long = String(repeating: "m", count: 128)
        let peer = try TestPeer(long)
        _ = try peer.befriend(daemon)
        #expect(try daemon.contact(peer.id)?.displayName == long)
    }
}
