import Basics
import ControlProtocol
import Messaging
import Reactor
import Store
import TestSupport
import Testing
import Vocabulary

@testable import Control
@testable import Daemon
@testable import Runtime

@Suite("Settings in the daemon")
struct SettingsTests {
    private let directory: TemporaryDirectory
    private let store: Store

    init() throws {
        directory = try TemporaryDirectory()
        store = try Store.open(directory: directory.path, clocks: SystemClocks())
    }

    @Test("Modules hear of a commit on the reactor, of each value once; a transaction sees what is committed")
    @ReactorActor func observers() async throws {
        defer { store.close() }
        let settings = Settings(store: store, stored: [:])
        var heard: [MessageOrder] = []
        settings.onChange(SettingsCatalogue.messagesOrder) { order in
            #expect(settings[SettingsCatalogue.messagesOrder] == order)
            heard.append(order)
        }
        let spec = SettingsCatalogue.messagesOrder.spec
        for value: JSONValue? in ["arrival", "arrival", nil, "sent", "arrival"] {
            let answer = try await settings.set(spec, to: value)
            #expect(answer.value == value ?? "sent")
            let stored = try await store.read { try $0.setting(SettingsCatalogue.messagesOrder) }
            #expect(stored == settings[SettingsCatalogue.messagesOrder])
        }
        #expect(heard == [.arrival, .sent, .arrival], "a change from unset to the default is none")
    }

    @Test("A job behind a change sees it, one before it doesn't")
    @ReactorActor func order() async throws {
        defer { store.close() }
        let settings = Settings(store: store, stored: [:])
        let spec = SettingsCatalogue.keepDays.spec
        let first = try await store.commit { try $0.setting(SettingsCatalogue.keepDays) }
        let set = try await settings.set(spec, to: 30)
        let after = try await store.commit { try $0.setting(SettingsCatalogue.keepDays) }
        #expect(first == 0 && set.value == 30 && after == 30)
    }

    @Test("A refused value leaves everything as it was; a stored value that can't be used counts as the default")
    @ReactorActor func refusals() async throws {
        defer { store.close() }
        let settings = Settings(store: store, stored: ["messages.keepDays": "99999", "of.the.future": "true"])
        #expect(settings[SettingsCatalogue.keepDays] == 0)
        settings.onChange(SettingsCatalogue.keepDays) { _ in Issue.record("nothing has changed") }
        await #expect(throws: ControlError.self) {
            try await settings.set(SettingsCatalogue.keepDays.spec, to: -1)
        }
        #expect(try await store.read { try $0.settings().count } == 0)
    }

    @Test("The event's data is the whole setting; a key of a later version makes no event")
    func events() async throws {
        defer { store.close() }
        try await store.commit {
            try $0.setSetting("of.the.future", to: "1")
            try $0.setSetting("presence.typing", to: "false")
        }
        let composer = ObjectComposer(contacts: ContactIndex())
        let events = try await store.read { transaction in
            try composer.compose(try transaction.events(since: 0, limit: 10), in: transaction) { _ in true }.events
        }
        #expect(events.map(\.type) == [.settingsChanged])
        let data = try #require(events.first?.data.full)
        #expect(try Setting(json: JSONParser.parse(data)) == SettingsCatalogue.typing.spec.setting(false))
    }

    @Test(
        "The host's default counts until the user sets a value, a forced one before it; nothing of the user's is lost")
    @ReactorActor func host() async throws {
        defer { store.close() }
        let settings = Settings(store: store, stored: [:])
        let spec = SettingsCatalogue.keepDays.spec
        var heard: [Int64] = []
        settings.onChange(SettingsCatalogue.keepDays) { heard.append($0) }
        func row(_ value: String, _ isForced: Bool) -> [HostSettingRow] {
            [HostSettingRow(name: spec.key, value: value, isForced: isForced)]
        }
        try await settings.configure(row("30", false))
        var now = settings.setting(spec)
        #expect(now.value == 30 && now.standard == 30 && !now.forced)
        _ = try await settings.set(spec, to: 7)
        #expect(settings[SettingsCatalogue.keepDays] == 7)
        try await settings.configure(row("90", true))
        now = settings.setting(spec)
        #expect(now.value == 90 && now.standard == 90 && now.forced)
        let (stored, seen) = try await store.read {
            (try $0.setting(SettingsCatalogue.keepDays), try $0.setting(spec))
        }
        #expect(stored == 90 && seen == now)
        for value: JSONValue? in [7, nil] {
            await #expect {
                _ = try await settings.set(spec, to: value)
            } throws: {
                ($0 as? ControlError)?.kind == .notAllowed && ($0 as? ControlError)?.hint == .askAdministrator
            }
        }
        // As a daemon that starts anew reads it.
        let (rows, mine) = try await store.read { (try $0.hostSettings(), try $0.settings()) }
        let again = Settings(store: store, stored: Dictionary(mine) { $1 }, host: rows)
        #expect(again.setting(spec) == now)
        try await settings.configure([])
        #expect(settings[SettingsCatalogue.keepDays] == 7 && heard == [30, 7, 90, 7])
        // A value that this version can't use counts as none.
        try await settings.configure(
            row("\"soon\"", true) + [HostSettingRow(name: "of.later", value: "1", isForced: true)])
        #expect(settings[SettingsCatalogue.keepDays] == 7)
    }

    @Test("A forced order sorts the conversations anew, and each setting that changes makes an event")
    @ReactorActor func hostOrder() async throws {
        defer { store.close() }
        let rows = [
            HostSettingRow(name: "messages.order", value: "\"arrival\"", isForced: true),
            HostSettingRow(name: "presence.typing", value: "false", isForced: false),
        ]
        try await store.commit { try $0.setHostSettings(rows) }
        let last = try await store.read { try $0.latestEvent() }
        #expect(try await store.read { try $0.messageOrder() } == .arrival && last == 2)
        try await store.commit { try $0.setHostSettings(rows.reversed()) }
        #expect(try await store.read { try $0.latestEvent() } == last, "the same again is no change")
        try await store.commit { try $0.setHostSettings([]) }
        #expect(try await store.read { try $0.messageOrder() } == .sent)
    }
}
