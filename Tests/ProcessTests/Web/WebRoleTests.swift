import ControlProtocol
import Glibc
import TestSupport
import Testing
import Vocabulary

/// A page that was taken over can do what a connection of role web can, and nothing more.
@Suite("Role web at a real daemon", .serialized)
struct WebRoleTests {
    private static let hello: JSONObject = ["client": "gateway", "version": "1", "role": "web"]

    private func refusal(_ client: ControlClient, _ method: String, _ params: JSONObject) -> RPCError? {
        do {
            try client.call(method, params, timeout: .seconds(10))
            return nil
        } catch {
            guard case .refused(let refusal) = error else { return nil }
            return refusal
        }
    }

    @Test("It hears no path of this host in replies, refusals and events, while another connection does")
    func hears() throws {
        let (anna, bert) = try MessageProcessTests.friends()
        let web = try RawUnixSocket(anna.socketPath)
        func ask(_ method: String, _ params: String = "{}") throws -> String {
            try web.write(#"{"jsonrpc":"2.0","id":"\#(method)","method":"\#(method)","params":\#(params)}"# + "\n")
            while true {
                let line = try web.readLine()
                // The socket lies beneath the same directory as everything else of this daemon.
                #expect(!line.contains(anna.directory.path), "\(line.prefix(500))")
                if line.contains(#""id":"\#(method)""#) { return line }
            }
        }
        _ = try ask("system.hello", #"{"client":"gateway","version":"1","role":"web"}"#)
        _ = try ask("events.subscribe", "{}")
        let (file, picture) = (anna.directory.file("secret.txt"), anna.directory.file("face.png"))
        try TextFile.write(Array("a file".utf8), to: file)
        try TextFile.write(SampleFiles.png(width: 90, height: 60), to: picture)
        try anna.call("account.update", ["avatarPath": .string(picture)])
        let sent = try anna.call(
            "message.send", ["to": .string(try bert.account.id), "files": [.string(file)], "text": "here"])
        #expect(sent["attachments"]?.array?.first?["path"] == .string(file))
        let transfer = try #require(sent["attachments"]?.array?.first?["transfer"]?.string)
        let conversation = try #require(sent["conversation"]?.string)
        for (method, params) in [
            ("system.status", "{}"), ("account.get", "{}"), ("settings.list", "{}"), ("transfer.list", "{}"),
            ("conversation.list", "{}"), ("message.list", #"{"conversation":"\#(conversation)"}"#),
            ("transfer.get", #"{"id":"\#(transfer)"}"#), ("system.doctor", "{}"), ("system.metrics", "{}"),
            ("message.recent", "{}"),
            ("message.why", #"{"id":"\#(sent["id"]?.string ?? "")"}"#), ("system.schema", "{}"),
        ] {
            let line = try ask(method, params)
            #expect(line.contains(#""result""#), "\(method): \(line.prefix(300))")
        }
        // What the other connection asks is refused with a path in the sentence; this one learns only the kind.
        let line = try ask("transfer.accept", #"{"id":"\#(transfer)"}"#)
        #expect(line.contains(#""kind":"invalid""#))
    }

    @Test("It names no path, sets no command, ends nothing, and can't get out of its role")
    func says() throws {
        let daemon = try DaemonProcess.launch(name: "Anna")
        let web = try daemon.connect()
        try web.call("system.hello", Self.hello, timeout: .seconds(10))
        for (method, params, field): (String, JSONObject, String?) in [
            ("system.shutdown", [:], nil), ("system.reload", [:], nil),
            ("backup.create", ["path": "/tmp/x", "passphrase": "x"], nil),
            ("backup.check", ["path": "/tmp/x", "passphrase": "x"], nil),
            ("backup.rotate", ["directory": "/tmp", "keep": 1], nil),
            ("backup.restore", ["path": "/tmp/x", "passphrase": "x"], nil),
            ("recovery.code", [:], nil), ("recovery.check", ["code": "x"], nil),
            ("account.recover", ["code": "x", "displayName": "x"], nil),
            ("system.hello", ["client": "gateway", "version": "1", "role": "full"], "role"),
            ("settings.set", ["key": "invite.emailCommand", "value": "sh -c true"], "key"),
            ("settings.set", ["key": "files.downloadDirectory", "value": "/tmp"], "key"),
            ("settings.set", ["key": "files.downloadDirectory", "value": nil], "key"),
            ("account.update", ["avatarPath": "/etc/hostname"], "avatarPath"),
            ("addressBook.import", ["path": "/etc/hostname"], "path"),
            ("message.send", ["to": .string(try daemon.account.id), "files": ["/etc/hostname"]], "files"),
            ("conversation.export", ["id": .string(try daemon.account.id), "path": "/tmp/x"], "path"),
            ("transfer.accept", ["id": .string(try daemon.account.id), "path": "/tmp"], "path"),
            ("group.create", ["name": "a", "members": [], "avatarPath": "/etc/hostname"], "avatarPath"),
        ] {
            let refused = refusal(web, method, params)
            #expect(refused?.kind == .notAllowed, "\(method)")
            #expect(refused?.field == field, "\(method)")
        }
        // The role is said again, or not at all: it stays.
        try web.call("system.hello", Self.hello, timeout: .seconds(10))
        try web.call("system.hello", ["client": "gateway", "version": "1"], timeout: .seconds(10))
        #expect(refusal(web, "system.shutdown", [:])?.kind == .notAllowed)
        try web.call("account.update", ["displayName": "Anna Berg"], timeout: .seconds(10))
        try web.call("settings.set", ["key": "presence.typing", "value": false], timeout: .seconds(10))
        #expect(daemon.isRunning)
        #expect(try daemon.call("system.status")["data"] == .string(daemon.dataPath))
    }
}
