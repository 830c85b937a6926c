import Basics
import Crypto
import Runtime
import Store
import TestSupport
import Testing
import Vocabulary

@testable import Control
@testable import Daemon
@testable import Messaging

@Suite("The roster of an office")
struct RosterTests {
    private let key: SigningKey
    private let members: [Roster.Member]

    init() throws {
        try Sodium.start()
        key = SigningKey()
        members = ["Anna Berg", "Bo", "李明"].map {
            Roster.Member(account: AccountID(SigningKey().publicKey), name: $0)
        }
    }

    private var signer: AccountID { AccountID(key.publicKey) }
    private func roster() throws -> Roster {
        try Roster.issue(by: key, members: members, at: WallTime(milliseconds: 1_763_000_000_000))
    }

    @Test("The text of the file is read as what was signed")
    func text() throws {
        let roster = try roster()
        #expect(try Roster(text: Array(roster.text.utf8), signer: signer) == roster)
        #expect(roster.text.contains("\"name\": \"李明\"") || roster.text.contains("\"name\":\"李明\""))
    }

    @Test("A file that was changed, or that another account has signed, is refused, and so is what is no roster")
    func refused() throws {
        let text = try roster().text
        let other = AccountID(SigningKey().publicKey)
        let changed = [
            text.replacing("Anna Berg", with: "Anna Burg"), text.replacing("\(members[1].account)", with: "\(other)"),
            text.replacing("1763000000000", with: "1763000000001"),
            text.replacing("\(signer)", with: "\(other)"),
            text.replacing("\"kiboRoster\": 1", with: "\"kiboRoster\": 2"),
            "", "{}", "[1]", text + "x", text.replacing("\"members\"", with: "\"others\""),
            text.replacing("\(members[1].account)", with: "\(members[0].account)"),
        ]
        for text in changed {
            #expect(throws: Roster.Unreadable.self, "\(text)") { try Roster(text: Array(text.utf8), signer: signer) }
        }
        #expect(throws: Roster.Unreadable.self) { try Roster(text: Array(text.utf8), signer: other) }
        var random = SeededGenerator(seed: 7)
        for _ in 0..<300 {
            var bytes = Array(text.utf8)
            bytes[Int.random(in: 0..<bytes.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
            if let read = try? Roster(text: bytes, signer: signer) { #expect(try read == roster()) }
        }
    }

    @Test("No roster has nobody, too many, an account twice, or a name that deceives")
    func bounds() throws {
        func issue(_ members: [Roster.Member]) throws(Roster.Failure) -> Roster {
            try Roster.issue(by: key, members: members, at: WallTime(milliseconds: 1))
        }
        #expect(throws: Roster.Failure.size) { try issue([]) }
        #expect(throws: Roster.Failure.twice(members[0].account)) { try issue(members + [members[0]]) }
        let account = members[0].account
        for name in ["", "\u{202E}evil", "a\nb", String(repeating: "a", count: 129)] {
            #expect(throws: Roster.Failure.invalidName(account)) { try issue([.init(account: account, name: name)]) }
        }
    }

    // MARK: Enrolment

    private static let day: Int64 = 86_400_000

    /// A roster of some members, so many days after the day of the host's clock.
    private func roster(_ members: [Roster.Member], day: Int64) throws -> Roster {
        let time = Self.start.milliseconds + day * Self.day
        return try Roster.issue(by: key, members: members, at: WallTime(milliseconds: time))
    }

    private static let start = WallTime(milliseconds: 1_763_000_000_000)

    private func member(_ name: String) -> Roster.Member {
        Roster.Member(account: AccountID(SigningKey().publicKey), name: name)
    }

    private func enrolment(_ roster: Roster, own: AccountID? = nil) -> Enrolment {
        Enrolment(
            roster: roster, own: own ?? members[0].account, text: { Array(roster.text.utf8) },
            read: { [signer] in try Roster(text: $0, signer: signer) })
    }

    /// Enrols until there is no more to do.
    private func carryOut(
        _ roster: Roster, in store: Store, portions: Int = .max
    ) async throws -> (standing: Enrolment.Standing, friends: Int, changed: [AccountID]) {
        let enrolment = self.enrolment(roster)
        let begun = try await store.commit { try enrolment.begin(in: ContactChanges(transaction: $0)) }
        var (friends, changed, next) = (begun.portion.friends, begun.portion.changed, begun.portion.next)
        var left = portions - 1
        while let counts = begun.counts, let index = next, left > 0 {
            let portion = try await store.commit {
                try enrolment.carryOn(counts, from: index, in: ContactChanges(transaction: $0))
            }
            friends += portion.friends
            changed += portion.changed
            next = portion.next
            left -= 1
        }
        return (begun.standing, friends, changed)
    }

    private func openStore(_ directory: TemporaryDirectory, _ clocks: any Clocks) throws -> Store {
        try Store.open(directory: directory.path, clocks: clocks)
    }

    private func friends(_ store: Store) async throws -> Set<AccountID> {
        Set(try await store.read { try $0.contacts(.friend) }.map(\.account))
    }

    @Test("The members become friends, oneself left out; the second time nothing changes")
    func enrolment() async throws {
        let directory = try TemporaryDirectory()
        let store = try openStore(directory, ManualClocks(wallTime: Self.start))
        defer { store.close() }
        let roster = try roster(members, day: 0)
        #expect(try await carryOut(roster, in: store).friends == 2)
        let friends = try await store.read { try $0.contacts(.friend) }
        #expect(Set(friends.map(\.account)) == [members[1].account, members[2].account])
        #expect(Set(friends.map(\.displayName)) == ["Bo", "李明"])
        let again = try await carryOut(roster, in: store)
        #expect(again == (.same, 0, []))
    }

    @Test("An older roster is refused, and one with the same version and other words; the newest goes on to count")
    func older() async throws {
        let directory = try TemporaryDirectory()
        let clocks = ManualClocks(wallTime: Self.start)
        let store = try openStore(directory, clocks)
        defer { store.close() }
        let eve = member("Eve")
        let old = try roster(members + [eve], day: -1)
        let new = try roster(members, day: 0)
        #expect(try await carryOut(new, in: store) == (.newer, 2, []))
        let refused = try await carryOut(old, in: store)
        #expect(refused == (.older(than: Self.start), 0, []))
        #expect(try await !friends(store).contains(eve.account))
        #expect(try await carryOut(roster(members + [eve], day: 0), in: store).standing == .different)
        #expect(try await !friends(store).contains(eve.account))
        // Who was forgotten meanwhile comes back by the one that counts, whatever lies in the file.
        let bo = members[1].account
        let row = try #require(try await store.read { try $0.contact(bo) })
        try await store.commit { transaction in
            var row = row
            row.relation = .incoming
            try transaction.save(row)
        }
        #expect(try await carryOut(old, in: store).friends == 1)
        #expect(try await friends(store) == [bo, members[2].account])
        // What another account has signed has a memory of its own.
        let other = SigningKey()
        let elsewhere = try Roster.issue(by: other, members: [eve], at: WallTime(milliseconds: 1))
        let enrolment = Enrolment(
            roster: elsewhere, own: members[0].account, text: { Array(elsewhere.text.utf8) },
            read: { try Roster(text: $0, signer: AccountID(other.publicKey)) })
        let begun = try await store.commit { try enrolment.begin(in: ContactChanges(transaction: $0)).standing }
        #expect(begun == .newer)
    }

    @Test("A roster from the future is refused and shuts out none that follows")
    func ahead() async throws {
        let directory = try TemporaryDirectory()
        let store = try openStore(directory, ManualClocks(wallTime: Self.start))
        defer { store.close() }
        let eve = member("Eve")
        #expect(try await carryOut(roster([eve], day: 400), in: store) == (.ahead, 0, []))
        #expect(try await carryOut(roster([eve], day: 2), in: store) == (.ahead, 0, []))
        #expect(try await carryOut(roster(members, day: 1), in: store).standing == .newer)
        #expect(try await friends(store) == [members[1].account, members[2].account])
        let last = try Roster.issue(by: key, members: [eve], at: WallTime(milliseconds: .max))
        #expect(try await carryOut(last, in: store).standing == .ahead)
    }

    @Test("A crash between two portions loses nobody and lets no older one in")
    func crash() async throws {
        let directory = try TemporaryDirectory()
        let clocks = ManualClocks(wallTime: Self.start)
        let many = (0..<350).map { member("Person \($0)") }
        let (new, old) = (try roster(many, day: 0), try roster(members, day: -1))
        for portions in [1, 3] {
            let store = try openStore(directory, clocks)
            #expect(try await carryOut(new, in: store, portions: portions).standing != .different)
            #expect(try await friends(store).count == portions * MessagingLimits.rosterPortion)
            store.close()
        }
        let store = try openStore(directory, clocks)
        defer { store.close() }
        // The older file lies there at the next start: what the newer one had not done yet is done.
        let after = try await carryOut(old, in: store)
        #expect(after.standing == .older(than: Self.start) && after.friends == 50)
        #expect(try await friends(store) == Set(many.map(\.account)))
        // A newer one that comes between two portions ends the older one's.
        let enrolment = self.enrolment(new)
        #expect(try await carryOut(roster(members, day: 1), in: store).standing == .newer)
        let late = try await store.commit {
            try enrolment.carryOn(new, from: 0, in: ContactChanges(transaction: $0))
        }
        #expect(late.friends == 0 && late.next == nil)
    }

    @Test("Another account under the name of a friend is a friend, and the friend is marked until the user has looked")
    func namesakes() async throws {
        let directory = try TemporaryDirectory()
        let store = try openStore(directory, ManualClocks(wallTime: Self.start))
        defer { store.close() }
        let (carl, dora) = (member("Carl"), member("Dora"))
        // Two people of one name in the first roster are two people.
        let twin = member("Dora")
        #expect(try await carryOut(roster([carl, dora, twin], day: -2), in: store) == (.newer, 3, []))
        // Carl calls himself otherwise since.
        var row = try #require(try await store.read { try $0.contact(carl.account) })
        (row.displayName, row.trust) = ("Carl Berger", .verified)
        let renamed = row
        try await store.commit { try $0.save(renamed) }
        let (other, another) = (member("CARL"), member("carl berger"))
        let found = try await carryOut(roster([carl, dora, twin, other], day: -1), in: store)
        #expect(found == (.newer, 1, [carl.account]))
        row = try #require(try await store.read { try $0.contact(carl.account) })
        #expect(row.trust == .changed && row.namesake == other.account && row.trustBefore == .verified)
        #expect(row.relation == .friend)
        let new = try #require(try await store.read { try $0.contact(other.account) })
        #expect(new.relation == .friend && new.trust == .unverified)
        // The user has looked: the same pair is not asked about again, another one is.
        var settled = row
        ContactTrust.settle(&settled, as: row.trustBefore)
        let looked = settled
        try await store.commit { try $0.save(looked) }
        #expect(try await carryOut(roster([carl, dora, twin, other], day: 0), in: store) == (.newer, 0, []))
        let third = try await carryOut(roster([carl, dora, twin, other, another], day: 1), in: store)
        #expect(Set(third.changed) == [carl.account] && third.friends == 1)
        // Dora and her namesake were never marked.
        for account in [dora.account, twin.account] {
            #expect(try await store.read { try $0.contact(account) }?.trust == .unverified)
        }
    }

    @Test("Without the daemon the file is compared with what the daemon has acted upon")
    func check() async throws {
        let directory = try TemporaryDirectory()
        let clocks = ManualClocks(wallTime: Self.start)
        let (file, data) = (directory.file("office.json"), directory.file("data"))
        let source = RosterSource(file: file, signer: signer)
        let (old, new) = (try roster(members, day: -1), try roster(members, day: 0))
        try TextFile.write(old.text.utf8, to: file)
        try source.check(data: data, clocks: clocks)
        #expect(!TemporaryDirectory.names(in: directory.path).contains("data"), "looking makes nothing")
        let store = try Store.open(directory: data, clocks: clocks)
        defer { store.close() }
        try source.check(data: data, clocks: clocks)
        _ = try await carryOut(new, in: store)
        #expect(throws: StartError.self) { try source.check(data: data, clocks: clocks) }
        try TextFile.write(new.text.utf8, to: file)
        try source.check(data: data, clocks: clocks)
        try TextFile.write(try roster(members, day: 9).text.utf8, to: file)
        #expect(throws: StartError.self) { try source.check(data: data, clocks: clocks) }
    }
}
