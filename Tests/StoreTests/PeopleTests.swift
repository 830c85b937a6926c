import Basics
import Testing

@testable import Store

@Suite("Account, contacts, conversations")
struct PeopleTests {
    @Test("The own account is one row with all columns: made once, then replaced")
    func account() async throws {
        let fixture = try await Fixture(conversation: false)
        #expect(try await fixture.store.read { try $0.ownAccount() } == nil)
        var row = AccountRow(
            account: Sample.me, device: Sample.device(1), deviceName: "desk", displayName: "Ann", statusText: "hi",
            email: "ann@example.org", phone: "+4930123", avatar: [4, 5], isAway: true, cardVersion: 3,
            createdAt: WallTime(milliseconds: 9))
        for name in ["Ann", "Anna"] {
            row.displayName = name
            let saved = row
            try await fixture.store.commit { try $0.saveOwnAccount(saved) }
            #expect(try await fixture.store.read { try $0.ownAccount() } == saved)
        }
        let events = try await fixture.store.read { try $0.events(since: 0, limit: 10) }
        #expect(events.map(\.change) == [.insert, .update])
        fixture.store.close()
    }

    @Test("The time of a contact's name is noted when the name changes, and only then")
    func namedAt() async throws {
        let fixture = try await Fixture()
        var row = ContactRow(
            account: Sample.friend, displayName: "Ben", relation: .friend, createdAt: fixture.clocks.wallTime)
        var times: [WallTime] = []
        for (name, alias) in [("Ben", ""), ("Ben", "Boss"), ("Anna", "Boss"), ("Anna", "")] {
            row.displayName = name
            row.alias = alias
            let saved = row
            try await fixture.store.commit { try $0.save(saved) }
            let found = try await fixture.store.read { try $0.contactNames() }
            #expect(found.map(\.displayName) == [name] && found.map(\.alias) == [alias])
            #expect(found.map(\.conversation) == [Sample.conversation] && found.map(\.isRefused) == [false])
            times += found.map(\.namedAt)
            fixture.clocks.advance(.seconds(60))
        }
        #expect(times.count == 4 && times[0] == times[1] && times[1] < times[2] && times[2] == times[3])
        fixture.store.close()
    }

    @Test("A contact keeps all its columns and its creation time, and shows its conversation")
    func contact() async throws {
        let fixture = try await Fixture()
        var row = ContactRow(
            account: Sample.friend, device: Sample.device(2), displayName: "Ben", alias: "B", statusText: "away",
            email: "b@example.org", phone: "+1555", relation: .friend, trust: .verified, note: "hello",
            lastSeen: WallTime(milliseconds: 4), lastAddress: "127.0.0.1:9", card: [1, 2, 3], cardVersion: 7,
            avatar: [6], createdAt: WallTime(milliseconds: 3))
        let first = row
        try await fixture.store.commit { try $0.save(first) }
        let found = try await fixture.store.read { try $0.contact(Sample.friend) }
        #expect(found?.conversation == Sample.conversation)
        row.relation = .blocked
        row.createdAt = WallTime(milliseconds: 99)
        let second = row
        try await fixture.store.commit { try $0.save(second) }
        let (again, blocked, friends) = try await fixture.store.read {
            (try $0.contact(Sample.friend), try $0.contacts(.blocked), try $0.contacts(.friend))
        }
        #expect(again?.relation == .blocked)
        #expect(again?.createdAt == first.createdAt)
        #expect(again?.card == [1, 2, 3])
        #expect(again?.trust == .verified)
        #expect(again?.avatar == [6])
        #expect(again?.lastAddress == "127.0.0.1:9")
        #expect(again.map { [$0] } == blocked)
        #expect(friends.isEmpty)
        #expect(try await fixture.store.commit { try $0.removeContact(Sample.friend) })
        #expect(try await fixture.store.commit { try !$0.removeContact(Sample.friend) })
        #expect(try await fixture.store.read { try $0.contacts() }.isEmpty)
        fixture.store.close()
    }

    @Test("The pictures in use are those of the account and of the contacts, each once")
    func avatars() async throws {
        let fixture = try await Fixture(conversation: false)
        #expect(try await fixture.store.read { try $0.avatarsInUse() }.isEmpty)
        try await fixture.store.commit { transaction in
            try transaction.saveOwnAccount(
                AccountRow(
                    account: Sample.me, device: Sample.device(1), deviceName: "desk", displayName: "Ann", avatar: [1],
                    createdAt: WallTime(milliseconds: 9)))
            for (account, avatar) in [(Sample.friend, [1]), (Sample.other, nil)] as [(AccountID, [UInt8]?)] {
                try transaction.save(
                    ContactRow(
                        account: account, displayName: "Ben", avatar: avatar, createdAt: WallTime(milliseconds: 3)))
            }
        }
        #expect(try await fixture.store.read { try $0.avatarsInUse() } == [[1]])
        fixture.store.close()
    }

    @Test("A sighting changes time, device and address, keeps the address if none is given, and makes no event")
    func seen() async throws {
        let fixture = try await Fixture(conversation: false)
        try await fixture.store.commit {
            try $0.save(
                ContactRow(
                    account: Sample.friend, displayName: "Ben", lastAddress: "127.0.0.1:1", createdAt: $0.wallTime))
            try $0.save(
                DeviceRow(device: Sample.device(2), account: Sample.friend, lastSeen: $0.wallTime, address: "x"))
        }
        let before = try await fixture.store.read { try $0.latestEvent() }
        let time = WallTime(milliseconds: 77)
        let known = try await fixture.store.commit {
            try $0.save(DeviceRow(device: Sample.device(2), account: Sample.friend, lastSeen: time))
            return try $0.noteSeen(Sample.friend, device: Sample.device(2), at: time, address: nil)
        }
        #expect(known)
        #expect(
            try await fixture.store.commit {
                try !$0.noteSeen(Sample.other, device: Sample.device(3), at: time, address: nil)
            })
        let (contact, devices, after) = try await fixture.store.read {
            (try $0.contact(Sample.friend), try $0.devices(of: Sample.friend), try $0.latestEvent())
        }
        #expect(contact?.lastSeen == time)
        #expect(contact?.device == Sample.device(2))
        #expect(contact?.lastAddress == "127.0.0.1:1")
        #expect(devices == [DeviceRow(device: Sample.device(2), account: Sample.friend, lastSeen: time, address: "x")])
        #expect(after == before)
        fixture.store.close()
    }

    @Test("A direct conversation is made once per contact, whatever id is given")
    func openConversation() async throws {
        let fixture = try await Fixture()
        let row = try await fixture.store.commit {
            try $0.openConversation(with: Sample.friend, newID: Sample.id(5))
        }
        #expect(row.id == Sample.conversation)
        #expect(try await fixture.store.read { try $0.conversation(with: Sample.friend) } == row)
        #expect(try await fixture.store.read { try $0.conversation(with: Sample.other) } == nil)
        fixture.store.close()
    }

    @Test("The list of conversations is ordered by last activity, in pages without gaps, with archived ones apart")
    func conversationList() async throws {
        let fixture = try await Fixture(conversation: false)
        var random = SeededGenerator(seed: 4)
        let rows = (1...25 as ClosedRange<UInt8>).map { number in
            ConversationRow(
                id: Sample.id(UInt64(number)), contact: Sample.account(number), archived: number > 20,
                updatedAt: WallTime(milliseconds: Int64.random(in: 0..<8, using: &random)))
        }
        try await fixture.store.commit { transaction in for row in rows { try transaction.insert(row) } }
        let (open, archived) = try await fixture.store.read { transaction in
            var found: [ConversationRow] = []
            while true {
                let page = try transaction.conversations(before: found.last?.position, limit: 7)
                if page.isEmpty { break }
                found += page
            }
            return (found, try transaction.conversations(limit: 100, archived: true))
        }
        #expect(open == rows.prefix(20).sorted { $0.position > $1.position })
        #expect(archived == rows.suffix(5).sorted { $0.position > $1.position })
        fixture.store.close()
    }

    @Test("Settings come back until they are reset; each start has its number")
    func settings() async throws {
        let fixture = try await Fixture(conversation: false)
        let (first, now) = try await fixture.store.commit { transaction in
            try transaction.setSetting("a", to: "1")
            try transaction.setSetting("a", to: "2")
            try transaction.setSetting("b", to: "\"x\"")
            try transaction.setSetting("b", to: nil)
            return (try transaction.nextIncarnation(), transaction.wallTime)
        }
        let store = try fixture.reopen()
        #expect(try await store.read { try $0.settings().map { [$0.name, $0.value] } } == [["a", "2"]])
        let second = try await store.commit { try $0.nextIncarnation() }
        #expect(Int64(first) >= now.milliseconds / 1000 && second > first)
        store.close()
    }

    @Test("A changed setting makes an event; the same value again makes none")
    func settingEvents() async throws {
        let fixture = try await Fixture(conversation: false)
        for value in ["1", "1", "2", nil, nil] {
            try await fixture.store.commit { try $0.setSetting("a", to: value) }
        }
        let events = try await fixture.store.read { try $0.events(since: 0, limit: 10) }
        #expect(events.count == 3)
        #expect(events.allSatisfy { $0.object == .setting("a") && $0.change == .update })
        fixture.store.close()
    }
}
