import Basics
import Crypto
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

    @Test("The members become friends in one commit, oneself left out; the second time nothing changes")
    func enrolment() async throws {
        let directory = try TemporaryDirectory()
        let store = try Store.open(directory: directory.path, clocks: SystemClocks())
        defer { store.close() }
        let enrolment = Enrolment(roster: try roster(), own: members[0].account)
        let outcome = try await store.write { try enrolment.carryOut(in: ContactChanges(transaction: $0)) }
        #expect(outcome?.others.count == 1)
        let friends = try await store.read { try $0.contacts(.friend) }
        #expect(Set(friends.map(\.account)) == [members[1].account, members[2].account])
        #expect(Set(friends.map(\.displayName)) == ["Bo", "李明"])
        let again = try await store.write { try enrolment.carryOut(in: ContactChanges(transaction: $0)) }
        #expect(again == nil)
    }
}
