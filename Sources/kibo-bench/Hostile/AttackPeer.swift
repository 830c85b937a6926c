import Basics
import Crypto
import PeerProtocol
import TestSupport

/// A device unknown to the daemon, for attacks. It does the handshake correctly, and then whatever the attack wants.
struct AttackPeer {
    let deviceKey = SigningKey()
    let certificate: DeviceCertificate
    private let identity: LocalIdentity
    let card: Card

    init(_ name: String) throws {
        let clocks = SystemClocks()
        certificate = try DeviceCertificate.issue(
            by: SigningKey(), for: DeviceID(deviceKey.publicKey), name: "attack", created: clocks.wallTime)
        card = try Card.issue(
            by: deviceKey, certificate: certificate, profile: Card.Profile(displayName: name), version: 1)
        identity = try LocalIdentity.make(
            deviceKey: deviceKey, certificate: certificate, staticKey: AgreementKey(), now: clocks.wallTime,
            listenPort: 0, softwareVersion: "attack")
    }

    /// Dials, does the handshake and sends the card.
    func connect(to address: SocketAddress, from source: IPAddress) throws -> AttackLink {
        let link = AttackLink(
            try RawSocket(to: address, from: source),
            SecureChannel(dialling: .session, identity: identity, now: SystemClocks().now))
        try link.open(card)
        return link
    }
}

/// A session that an ``AttackPeer`` has opened. What the daemon sends in it is read and thrown away.
final class AttackLink {
    private let socket: RawSocket
    private var channel: SecureChannel
    /// The daemon, as it has shown itself.
    private(set) var peer: PeerIdentity?

    init(_ socket: RawSocket, _ channel: consuming SecureChannel) {
        self.socket = socket
        self.channel = channel
    }

    fileprivate func open(_ card: Card) throws {
        socket.write(try channel.start())
        var isOpen = false
        while !isOpen {
            guard case .bytes(let bytes) = socket.read(within: .seconds(5)) else {
                throw BenchFailure(description: "the daemon has closed a handshake")
            }
            let clocks = SystemClocks()
            for effect in try channel.receive(bytes[...], now: clocks.now, wallTime: clocks.wallTime) {
                switch effect {
                case .send(let bytes): socket.write(bytes)
                case .established(let peer, _):
                    isOpen = true
                    self.peer = peer
                case .plaintext: break
                }
            }
        }
        send(Frame(kind: .card, body: card.encoded).encoded())
    }

    /// Sends a plaintext. False if the daemon is gone, or hasn't read for a while.
    @discardableResult
    func send(_ plaintext: [UInt8]) -> Bool {
        guard let sealed = try? channel.seal(plaintext) else { return false }
        return socket.write(sealed)
    }

    /// Throws away what has arrived. False if the daemon is gone.
    func drain() -> Bool {
        while true {
            switch socket.read(within: .zero) {
            case .bytes: continue
            case .silence: return true
            case .end: return false
            }
        }
    }
}
