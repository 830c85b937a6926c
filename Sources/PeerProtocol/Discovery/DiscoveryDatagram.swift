import Basics
import Crypto

// The Discovery folder finds out which devices are on this network segment, and which ones to dial. Datagrams are only
// hints: they are received, checked from cheap to expensive, and turned into reasons to dial. Only the handshake proves
// identity, names and trust. The folder has no sockets: bytes and times come in, effects go out. It may use Basics and
// Crypto.

/// The content of one announcement. docs/PROTOCOL-DISCOVERY.md has the bytes.
public struct DiscoveryDatagram: Hashable, Sendable {
    /// The sender's message.
    public enum Kind: UInt8, Sendable {
        /// "I have just started, or moved to this network."
        case hello = 1
        /// "I am still here."
        case beacon = 2
        /// "I am going."
        case bye = 3
        /// "I can't reach that one; can anybody?" It is sent by broadcast, so that the device it is about can answer
        /// for itself.
        case suspect = 4
        /// "Are you there?"
        case probe = 5
        /// "I am", or "that one is" to the device that asked for the indirect probe.
        case probeAck = 6
        /// "Ask that one for me."
        case probeRequest = 7

        /// Whether a datagram of this kind is about a device: it has a ``ProbeSubject``.
        public var hasSubject: Bool { rawValue >= Kind.suspect.rawValue }
    }

    public let kind: Kind
    public let device: DeviceID
    /// Counts the starts of the sender's daemon.
    public let incarnation: UInt32
    /// Counts the datagrams of this incarnation.
    public let sequence: UInt32
    /// Where the sender takes TCP connections, at the address that the datagram came from. Never 0.
    public let port: UInt16
    public let realm: RealmTag
    /// The low bits of the version of the card that the sender shows to all; 0: not said.
    public let card: UInt16
    /// The digest of the sender's peer exchange.
    public let peerExchange: PeerExchangeDigest
    /// The device it is about; it is there if the kind needs it.
    public let subject: ProbeSubject?

    /// - Precondition: a subject for the kinds that have one, none for the others.
    public init(
        kind: Kind, device: DeviceID, incarnation: UInt32, sequence: UInt32, port: UInt16, realm: RealmTag = .none,
        card: UInt16 = 0, peerExchange: PeerExchangeDigest = .empty, subject: ProbeSubject? = nil
    ) {
        precondition(kind.hasSubject == (subject != nil), "a datagram of this kind without what it is about")
        self.kind = kind
        self.device = device
        self.incarnation = incarnation
        self.sequence = sequence
        self.port = port
        self.realm = realm
        self.card = card
        self.peerExchange = peerExchange
        self.subject = subject
    }

    static let magic: [UInt8] = Array("KIBD".utf8)
    static let version: UInt8 = 1
    static let signatureLabel = "kibo-datagram-v1"

    /// The datagram's bytes, signed.
    /// - Parameter key: the key pair of ``device``; another one makes a datagram that no peer believes.
    public func encoded(signedBy key: SigningKey) -> [UInt8] { encoded(by: .ed25519(key)) }

    package func encoded(by signer: DatagramSigner) -> [UInt8] {
        let fields = fields
        return fields + signer.sign(fields)
    }

    /// The bytes as they go under a veil: the signature holds there and in this epoch only, so that a peer that can
    /// lift the veil has nothing that others would believe.
    package func encoded(in epoch: VeilEpoch, by signer: DatagramSigner) -> [UInt8] {
        let fields = fields
        return fields + signer.signVeiled(epoch.bytes + fields)
    }

    /// All before the signature.
    private var fields: [UInt8] {
        var out = Self.magic
        out.reserveCapacity(DiscoveryLimits.ownDatagramBytes)
        out += [Self.version, kind.rawValue, 0, 0]
        out += device.bytes
        out.appendBigEndian(incarnation)
        out.appendBigEndian(sequence)
        out.appendBigEndian(port)
        out.appendBigEndian(card)
        out.appendBigEndian(peerExchange.high)
        out.appendBigEndian(peerExchange.low)
        out.appendBigEndian(realm.rawValue)
        if let subject {
            out += subject.device.bytes
            out.appendBigEndian(subject.incarnation)
            out.appendBigEndian(subject.nonce)
        }
        return out
    }
}

/// The device that a probe, its answer or a suspicion is about.
public struct ProbeSubject: Hashable, Sendable {
    public let device: DeviceID
    /// Its start that the sender knows of; 0 where that doesn't matter.
    public let incarnation: UInt32
    /// In a probe it is random, and the answer gives it back, so that an old answer can't serve. It is 0 in a
    /// suspicion.
    public let nonce: UInt64

    public init(device: DeviceID, incarnation: UInt32, nonce: UInt64) {
        self.device = device
        self.incarnation = incarnation
        self.nonce = nonce
    }
}

/// How datagrams are signed and checked: by Ed25519, except in simulations of thousands of hosts, where that would be all
/// the work.
package struct DatagramSigner: Sendable {
    /// The signature of these bytes, ``DiscoveryLimits/signatureBytes`` long.
    package let sign: @Sendable ([UInt8]) -> [UInt8]
    /// The same of an epoch and a datagram for under a veil.
    package let signVeiled: @Sendable ([UInt8]) -> [UInt8]
    /// Whether the device named in the datagram has signed it.
    package let isAuthentic: @Sendable (ReceivedDatagram) -> Bool

    package init(
        sign: @escaping @Sendable ([UInt8]) -> [UInt8], signVeiled: (@Sendable ([UInt8]) -> [UInt8])? = nil,
        isAuthentic: @escaping @Sendable (ReceivedDatagram) -> Bool
    ) {
        self.sign = sign
        self.signVeiled = signVeiled ?? sign
        self.isAuthentic = isAuthentic
    }

    package static func ed25519(_ key: SigningKey) -> DatagramSigner {
        DatagramSigner(
            sign: { key.sign($0, label: DiscoveryDatagram.signatureLabel) },
            signVeiled: { key.sign($0, label: VeiledDatagram.signatureLabel) }, isAuthentic: { $0.isAuthentic() })
    }
}

/// The realm that a device belongs to: devices of different realms can't speak, so they needn't dial either.
///
/// It reveals nothing about the realm key, but observers can see that two devices share one.
public struct RealmTag: Hashable, Sendable {
    public let rawValue: UInt64

    public init(rawValue: UInt64) { self.rawValue = rawValue }

    /// No realm key.
    public static let none = RealmTag(rawValue: 0)

    /// The first 8 bytes of BLAKE2b-256("kibo-realm-tag-v1" ‖ 0x00 ‖ realm id).
    /// - Parameter realm: the realm id, that is the BLAKE2b-256 hash of the realm key.
    public init(realm: [UInt8]) {
        let hash = Blake2b.hash(Array("kibo-realm-tag-v1".utf8) + [0] + realm)
        rawValue = hash.prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
    }
}

extension DiscoveryDatagram {
    /// Whether a datagram begins like one of Kibo's.
    public static func isOurs(_ bytes: some Collection<UInt8>) -> Bool { bytes.prefix(4).elementsEqual(magic) }

    /// The device that an announcement without a veil claims to be of; nothing is checked.
    public static func openDevice(_ bytes: some Collection<UInt8>) -> DeviceID? {
        let head = Array(bytes.prefix(40))
        guard head.count == 40, isOurs(head), head[4] == version else { return nil }
        return DeviceID(bytes: Array(head[8...]))
    }

    /// The kind of a datagram, as far as its first bytes tell; nothing of its content.
    public static func kindName(of bytes: some Collection<UInt8>) -> String {
        let head = Array(bytes.prefix(6))
        guard head.count == 6, head.prefix(4).elementsEqual(magic) else { return "veiled or foreign" }
        guard head[4] == version, let kind = Kind(rawValue: head[5]) else { return "of a later version" }
        return "\(kind)"
    }
}
