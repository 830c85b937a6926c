import Basics
import Crypto
import PeerProtocol

/// One side of a channel, with what it received and what it wants sent.
final class Endpoint {
    private var channel: SecureChannel
    private(set) var established: (peer: PeerIdentity, purpose: ChannelPurpose)?
    private(set) var plaintext: [UInt8] = []
    /// The bytes for the other side.
    var output: [UInt8] = []

    init(
        dialling purpose: ChannelPurpose = .session, _ person: Person, realm: RealmKey? = nil, knock: Knock? = nil,
        isExpected: PeerCheck? = nil
    ) throws(ChannelError) {
        channel = SecureChannel(
            dialling: purpose, identity: person.identity, realmKey: realm, knock: knock, isExpected: isExpected,
            now: someInstant)
        output = try channel.start()
    }

    init(accepting person: Person, realm: RealmKey? = nil, doorkeeper: Doorkeeper? = nil) {
        channel = SecureChannel(
            accepting: person.identity, realmKey: realm, doorkeeper: doorkeeper, now: someInstant)
    }

    func feed(
        _ bytes: some Collection<UInt8>, now: Instant = someInstant, wallTime: WallTime = someTime
    ) throws(ChannelError) {
        for effect in try channel.receive(Array(bytes)[...], now: now, wallTime: wallTime) {
            switch effect {
            case .send(let bytes): output += bytes
            case .established(let peer, let purpose): established = (peer, purpose)
            case .plaintext(let bytes): plaintext += bytes
            }
        }
    }

    func tick(_ now: Instant) throws(ChannelError) { try channel.tick(now: now) }
    func seal(_ plaintext: [UInt8]) throws(ChannelError) -> [UInt8] { try channel.seal(plaintext) }
    func takePlaintext() -> [UInt8] {
        defer { plaintext = [] }
        return plaintext
    }
    func takeOutput() -> [UInt8] {
        defer { output = [] }
        return output
    }
    /// The counts of the two ciphers, and the bytes read after the handshake.
    func detach() throws(ChannelError) -> (sent: UInt64, received: UInt64, leftover: [UInt8]) {
        let leftover = channel.leftover
        let transport = try channel.detachTransport()
        return (transport.send.count, transport.receive.count, leftover)
    }

    var nextDeadline: Instant? { channel.nextDeadline }
    var handshakeHash: [UInt8] { channel.handshakeHash }
    var isEstablished: Bool { channel.isEstablished }
}

/// Carries bytes both ways until neither side has more.
func exchange(_ left: Endpoint, _ right: Endpoint, using random: inout SeededGenerator) throws {
    while !left.output.isEmpty || !right.output.isEmpty {
        for piece in pieces(left.takeOutput(), using: &random) { try right.feed(piece) }
        for piece in pieces(right.takeOutput(), using: &random) { try left.feed(piece) }
    }
}

func exchange(_ left: Endpoint, _ right: Endpoint) throws {
    while !left.output.isEmpty || !right.output.isEmpty {
        try right.feed(left.takeOutput())
        try left.feed(right.takeOutput())
    }
}

/// Two sides after the handshake.
func connectedPair(realm: RealmKey? = nil) throws -> (dialler: Endpoint, acceptor: Endpoint) {
    let dialler = try Endpoint(dialling: .session, Person(1), realm: realm)
    let acceptor = Endpoint(accepting: try Person(2), realm: realm)
    try exchange(dialler, acceptor)
    return (dialler, acceptor)
}

func realmKey(_ number: UInt8) throws -> RealmKey { try RealmKey(Person.secret(number, 9)) }
