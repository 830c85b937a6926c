import Basics
import Crypto
import Testing

@testable import PeerProtocol

@Suite("Knocks") struct KnockTests {
    /// A table of knocks that any thread may use; these tests have one thread.
    private final class Door: @unchecked Sendable {
        var knocks = KnockTable()
        var asked = 0

        func keeper() -> Doorkeeper {
            { [self] attempt, time in
                asked += 1
                return knocks.admit(attempt, at: time)
            }
        }
    }

    private let friend: Person
    private let stranger: Person
    private let host: Person
    private let door = Door()

    init() throws {
        friend = try Person(1)
        stranger = try Person(3)
        host = try Person(2)
        door.knocks.set([DiscoveryKeys(host.deviceKey).pair(with: friend.account): friend.account])
    }

    private var key: SharedKey { DiscoveryKeys(host.deviceKey).pair(with: friend.account) }

    private func acceptor(_ realm: RealmKey? = nil) -> Endpoint {
        Endpoint(accepting: host, realm: realm, doorkeeper: door.keeper())
    }

    @Test(
        "a peer with the key gets in, with and without a realm key, by clocks two days apart",
        arguments: 0..<16 as Range<UInt64>)
    func admitted(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let realm = seed.isMultiple(of: 2) ? nil : try realmKey(7)
        let time = someTime + .seconds(Int64.random(in: -172_800...172_800, using: &random))
        let dialler = try Endpoint(
            dialling: seed % 3 == 0 ? .bulk : .session, friend, realm: realm, knock: Knock(key: key, at: time))
        let acceptor = acceptor(realm)
        try exchange(dialler, acceptor, using: &random)
        #expect(acceptor.established?.peer == friend.peer && dialler.established?.peer == host.peer)
        #expect(dialler.handshakeHash == acceptor.handshakeHash && door.asked == 1)
        // An open device ignores the knock.
        let open = Endpoint(accepting: host, realm: realm)
        let other = try Endpoint(dialling: .session, friend, realm: realm, knock: Knock(key: key, at: time))
        try exchange(other, open, using: &random)
        #expect(open.established?.peer == friend.peer)
    }

    @Test("without a knock, or with another key's, an old or a changed one, no byte is answered")
    func refused() throws {
        let other = DiscoveryKeys(host.deviceKey).pair(with: stranger.account)
        let wrong: [Knock?] = [
            nil, Knock(key: other, at: someTime), Knock(key: key, at: someTime + .seconds(3 * 86_400)),
            Knock(key: key, at: someTime + .seconds(-3 * 86_400)),
        ]
        for knock in wrong {
            let (dialler, acceptor) = (try Endpoint(dialling: .session, friend, knock: knock), acceptor())
            #expect(throws: ChannelError.noKnock) { try acceptor.feed(dialler.takeOutput()) }
            #expect(acceptor.output.isEmpty)
        }
        // These bytes are in the preface (purpose), the ephemeral key, the tag and the code.
        for index in [5, 10, 41, 42, 57, 58, 73] {
            let dialler = try Endpoint(dialling: .session, friend, knock: Knock(key: key, at: someTime))
            var opening = dialler.takeOutput()
            opening[index] ^= index == 5 ? 3 : 1
            let acceptor = acceptor()
            #expect(throws: ChannelError.noKnock, "byte \(index)") { try acceptor.feed(opening) }
            #expect(acceptor.output.isEmpty)
        }
    }

    @Test("a recorded knock doesn't open a second time")
    func replayed() throws {
        let dialler = try Endpoint(dialling: .session, friend, knock: Knock(key: key, at: someTime))
        let opening = dialler.takeOutput()
        let first = acceptor()
        try first.feed(opening)
        #expect(!first.output.isEmpty)
        let second = acceptor()
        #expect(throws: ChannelError.noKnock) { try second.feed(opening) }
        #expect(second.output.isEmpty)
    }

    @Test("a knock is valid only from the account that has the key")
    func anothersKey() throws {
        // A friend has told the key to another account.
        let dialler = try Endpoint(dialling: .session, stranger, knock: Knock(key: key, at: someTime))
        let acceptor = acceptor()
        try acceptor.feed(dialler.takeOutput())
        try dialler.feed(acceptor.takeOutput())
        #expect(throws: ChannelError.wrongKnock) { try acceptor.feed(dialler.takeOutput()) }
        #expect(acceptor.established == nil)
    }

    @Test("a former friend's knock is refused; others' knocks are still accepted")
    func removed() throws {
        let keys = DiscoveryKeys(host.deviceKey)
        door.knocks.set([keys.pair(with: stranger.account): stranger.account])
        let old = try Endpoint(dialling: .session, friend, knock: Knock(key: key, at: someTime))
        let first = acceptor()
        #expect(throws: ChannelError.noKnock) { try first.feed(old.takeOutput()) }
        let new = try Endpoint(
            dialling: .session, stranger, knock: Knock(key: keys.pair(with: stranger.account), at: someTime))
        let second = acceptor()
        try exchange(new, second)
        #expect(second.established?.peer == stranger.peer)
    }

    @Test("with more knocks than are remembered, none of the newest opens twice")
    func many() throws {
        let prologue = [UInt8](repeating: 1, count: 56)
        func attempt(_ number: Int) -> KnockAttempt {
            let ephemeral = (0..<4).flatMap { _ in [UInt8](bigEndian: UInt64(number)) }
            let payload = Knock(key: key, at: someTime).payload(prologue: prologue, ephemeral: ephemeral)
            return KnockAttempt(prologue: prologue, ephemeral: ephemeral, payload: payload)
        }
        let all = 0..<DiscoveryLimits.knocksRemembered + 10
        for number in all {
            let attempt = attempt(number)
            #expect(door.knocks.admit(attempt, at: someTime) == friend.account)
            #expect(door.knocks.admit(attempt, at: someTime) == nil)
            let short = KnockAttempt(
                prologue: prologue, ephemeral: attempt.ephemeral, payload: Array(attempt.payload.dropLast()))
            #expect(door.knocks.admit(short, at: someTime) == nil)
        }
        for number in all.dropFirst(10) { #expect(door.knocks.admit(attempt(number), at: someTime) == nil) }
        #expect(door.knocks.admit(attempt(0), at: someTime) == friend.account)
    }
}
