import Basics
import ControlProtocol
import TestSupport
import Testing
import Vocabulary

@Suite("Settings of real daemons", .serialized)
struct SettingsProcessTests {
    @Test("A setting is stored, told to subscribers, and survives kill -9; null brings the default back")
    func lifetime() throws {
        var options = DaemonProcess.Options()
        options.asksForFiles = false
        let daemon = try DaemonProcess.launch(name: "Anna", options: options)
        let events = try daemon.connect()
        _ = try events.call("events.subscribe", ["types": ["settings.changed"]])
        let set: JSONObject = ["key": "messages.keepDays", "value": 7]
        let answer = try Setting(json: daemon.call("settings.set", set))
        #expect(answer.value == 7 && answer.standard == 0)
        let event = try #require(try events.nextEvent(timeout: Patience.usual))
        #expect(try event.change == .update && event.seq != nil && Setting(json: event.data) == answer)
        daemon.kill()
        try daemon.start()
        let again = try daemon.connect()
        _ = try again.call("events.subscribe", ["types": ["settings.changed"], "since": 0])
        #expect(try again.nextEvent(timeout: Patience.usual)?.seq == event.seq, "the log has kept it")
        #expect(try Setting(json: daemon.call("settings.get", ["key": "messages.keepDays"])) == answer)
        #expect(try daemon.call("settings.list")["settings"]?.array?.count == SettingsCatalogue.all.count)

        let more = try daemon.connect()
        _ = try more.call("events.subscribe", ["types": ["settings.changed"]])
        // The same value again is no change and makes no event.
        try daemon.call("settings.set", set)
        try daemon.call("settings.set", ["key": "messages.keepDays", "value": nil])
        let reset = try #require(try more.nextEvent(timeout: Patience.usual))
        #expect(try Setting(json: reset.data).value == 0)
        #expect(try Setting(json: daemon.call("settings.get", ["key": "messages.keepDays"])).value == 0)
    }

    @Test("Settings work without an account; a bad value is refused with what is allowed, and changes nothing")
    func refusals() throws {
        let daemon = try DaemonProcess(name: "Anna", options: .init())
        try daemon.start()
        for (key, value, kind, field): (String, JSONValue, Reason, String) in [
            ("messages.keepDays", 36_501, .invalid, "value"), ("messages.order", true, .invalid, "value"),
            ("presence.typing", "yes", .invalid, "value"), ("messages.colour", 1, .notFound, "key"),
        ] {
            #expect {
                try daemon.call("settings.set", ["key": .string(key), "value": value])
            } throws: { error in
                guard case ClientError.refused(let refusal) = error else { return false }
                return refusal.kind == kind && refusal.field == field && refusal.hint != nil
            }
        }
        for json in try daemon.call("settings.list")["settings"]?.array ?? [] {
            let setting = try Setting(json: json)
            #expect(setting.value == setting.standard)
        }
    }

    @Test(
        "kibod.json5 gives defaults and forced values, at the start and at a reload; --check says what is wrong with it"
    )
    func host() throws {
        let directory = try TemporaryDirectory()
        let file = directory.file("kibod.json5")
        func write(_ text: String) throws { try TextFile.write(text.utf8, to: file) }
        try write("{ settings: { 'messages.keepDays': 30 }, forced: { 'files.allowedTypes': ['pdf'] } }")
        var options = DaemonProcess.Options()
        options.asksForFiles = false
        options.arguments = ["--config", file]
        let daemon = try DaemonProcess.launch(name: "Anna", options: options)
        func setting(_ key: String) throws -> Setting {
            try Setting(json: daemon.call("settings.get", ["key": .string(key)]))
        }
        #expect(try setting("messages.keepDays").value == 30 && setting("messages.keepDays").standard == 30)
        #expect(try setting("files.allowedTypes").forced && setting("files.allowedTypes").value == ["pdf"])
        #expect {
            try daemon.call("settings.set", ["key": "files.allowedTypes", "value": ["zip"]])
        } throws: {
            guard case ClientError.refused(let refusal) = $0 else { return false }
            // The file is the user's own: no administrator has to be asked.
            return refusal.kind == .notAllowed && refusal.hint == nil
        }
        let events = try daemon.connect()
        _ = try events.call("events.subscribe", ["types": ["settings.changed"]])
        try write("{ forced: { 'messages.keepDays': 14 } }")
        daemon.reload()
        var changed: Set<String> = []
        while changed.count < 2 {
            let event = try #require(try events.nextEvent(timeout: Patience.usual))
            changed.insert(try Setting(json: event.data).key)
        }
        // The event of a commit may reach a client a moment before the daemon goes by the new values.
        try Patience.until("the daemon to go by the file") {
            try setting("messages.keepDays").forced && !setting("files.allowedTypes").forced
        }
        #expect(changed == ["messages.keepDays", "files.allowedTypes"])
        // A broken file changes nothing in a daemon that runs, and keeps one from starting.
        try write("{\n  forced: { 'messages.keepDays': 'soon' } }")
        daemon.reload()
        try Patience.until("the log tells of the mistake") {
            daemon.log.contains("kibod.json5:2:13: messages.keepDays")
        }
        #expect(try setting("messages.keepDays").value == 14)
    }
}
