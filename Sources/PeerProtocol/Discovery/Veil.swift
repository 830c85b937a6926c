import Basics
import Crypto

/// A datagram of version 2: one of version 1 inside a veil that only peers with the key can lift. To all others it is a
/// header and noise.
struct VeiledDatagram: Sendable {
    static let version: UInt8 = 2
    static let tagLabel = "kibo-veil-tag-v1"
    static let keyLabel = "kibo-veil-key-v1"
    static let signatureLabel = "kibo-veiled-datagram-v1"

    static func tag(_ key: SharedKey, _ epoch: VeilEpoch) -> [UInt8] {
        TagTable<Int>.tag(tagLabel, key, epoch.rawValue)
    }

    let tag: [UInt8]
    private let nonce: [UInt8]
    private let header: [UInt8]
    private let sealed: [UInt8]

    /// Whether bytes claim to be one.
    static func isVersion(of bytes: ArraySlice<UInt8>) -> Bool {
        bytes.count > DiscoveryDatagram.magic.count && bytes.starts(with: DiscoveryDatagram.magic)
            && bytes[bytes.startIndex + DiscoveryDatagram.magic.count] == version
    }

    /// Cuts the bytes, and checks none of them; the version was checked before.
    init(decoding bytes: ArraySlice<UInt8>) throws(DatagramError) {
        guard DiscoveryLimits.shortestVeiledBytes...PeerLimits.datagramBytes ~= bytes.count else { throw .length }
        var reader = ByteReader(bytes)
        do {
            _ = try reader.read(8)
            tag = Array(try reader.read(DiscoveryLimits.veilTagBytes))
            nonce = Array(try reader.read(CryptoLimits.longNonceBytes))
        } catch {
            throw .length
        }
        header = Array(bytes.dropLast(reader.remaining))
        sealed = Array(reader.rest)
    }

    /// The datagram inside, if this is the key and the epoch.
    func opened(with key: SharedKey, in epoch: VeilEpoch) -> ReceivedDatagram? {
        let key = key.derived(Self.keyLabel, epoch.bytes)
        guard let plain = key.open(sealed, nonce: nonce, authenticating: header) else { return nil }
        var reader = ByteReader(plain[...])
        guard let count = try? reader.readUInt16(), let inner = try? reader.read(Int(count)) else { return nil }
        return try? ReceivedDatagram(decoding: inner, veiledIn: epoch)
    }

    /// The bytes on the wire, always as many.
    /// - Parameters:
    ///   - inner: a datagram, signed for this epoch.
    ///   - nonce: 24 random bytes.
    static func sealed(_ inner: [UInt8], under key: SharedKey, in epoch: VeilEpoch, nonce: [UInt8]) -> [UInt8] {
        var plain: [UInt8] = []
        plain.reserveCapacity(DiscoveryLimits.veiledPlainBytes)
        plain.appendBigEndian(UInt16(truncatingIfNeeded: inner.count))
        plain += inner
        precondition(plain.count <= DiscoveryLimits.veiledPlainBytes, "a datagram that fits no veil")
        plain += [UInt8](repeating: 0, count: DiscoveryLimits.veiledPlainBytes - plain.count)
        let tag = Self.tag(key, epoch)
        let header = DiscoveryDatagram.magic + [version, 0, 0, 0] + tag + nonce
        return header + key.derived(keyLabel, epoch.bytes).seal(plain, nonce: nonce, authenticating: header)
    }
}

/// The keys by which a machine announces itself to those that know them, and to no other.
public struct Veil: Hashable, Sendable {
    /// The key that friends have.
    public let shared: SharedKey
    /// The keys of friends who have another one: each hears of us under a key of its own, in turn.
    public let pairs: [SharedKey]
    /// The keys of friends who may lack that key. They get their turns if there is space, and one is always included.
    public let others: [SharedKey]

    public init(shared: SharedKey, pairs: [SharedKey] = [], others: [SharedKey] = []) {
        self.shared = shared
        self.pairs = pairs
        self.others = others
    }
}

/// A device that may speak under a key: a shared key is of one device, but no account can be kept from giving out
/// another's.
public struct VeilOwner: Hashable, Sendable {
    public let device: DeviceID
    /// Whether the key is for us alone: not every announcement comes under it.
    public let isPair: Bool

    public init(_ device: DeviceID, isPair: Bool = false) {
        self.device = device
        self.isPair = isPair
    }
}
