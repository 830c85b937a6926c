import Basics
import Crypto

// The Discovery room: who is on this network segment, and whom to dial. Datagrams are hints: they are heard, checked from
// cheap to dear and turned into reasons to dial; identity, names and trust come from the handshake alone. The room has
// no sockets: bytes and moments go in, effects come out. It may use Basics and Crypto.

/// What one announcement says. docs/PROTOCOL-DISCOVERY.md has the bytes.
public struct DiscoveryDatagram: Hashable, Sendable {
    /// What the sender wants to say. 4 (SUSPECT), 5 (PROBE) and 6 (PROBE-ACK) are reserved and not read yet.
    public enum Kind: UInt8, Sendable {
        /// "I have just started, or moved to this network."
        case hello = 1
        /// "I am still here."
        case beacon = 2
        /// "I am going."
        case bye = 3
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

    public init(
        kind: Kind, device: DeviceID, incarnation: UInt32, sequence: UInt32, port: UInt16, realm: RealmTag = .none
    ) {
        self.kind = kind
        self.device = device
        self.incarnation = incarnation
        self.sequence = sequence
        self.port = port
        self.realm = realm
    }

    static let magic: [UInt8] = Array("KIBD".utf8)
    static let version: UInt8 = 1
    static let signatureLabel = "kibo-datagram-v1"

    /// The datagram's bytes, signed.
    /// - Parameter key: the key pair of ``device``; another one makes a datagram that nobody believes.
    public func encoded(signedBy key: SigningKey) -> [UInt8] {
        var out = Self.magic
        out.reserveCapacity(DiscoveryLimits.ownDatagramBytes)
        out += [Self.version, kind.rawValue, 0, 0]
        out += device.bytes
        out.appendBigEndian(incarnation)
        out.appendBigEndian(sequence)
        out.appendBigEndian(port)
        out += [0, 0]
        out += [UInt8](repeating: 0, count: 16)  // The place of the roster digest.
        out.appendBigEndian(realm.rawValue)
        return out + key.sign(out, label: Self.signatureLabel)
    }
}

/// Which realm a device belongs to: devices of different realms can't speak, so they needn't dial either.
///
/// Tells nothing about the realm key; shows that two devices share one, which an observer may see.
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
