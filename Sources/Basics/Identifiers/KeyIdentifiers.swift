/// A public key of 32 bytes, used as an identifier.
public struct Key32: Hashable, Comparable, Sendable {
    @usableFromInline
    let words: (UInt64, UInt64, UInt64, UInt64)

    /// Nil unless there are exactly 32 bytes.
    @inlinable
    public init?(_ bytes: some Collection<UInt8>) {
        guard bytes.count == 32 else { return nil }
        var words: (UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0)
        withUnsafeMutableBytes(of: &words) { $0.copyBytes(from: bytes) }
        self.words = (
            UInt64(bigEndian: words.0), UInt64(bigEndian: words.1), UInt64(bigEndian: words.2),
            UInt64(bigEndian: words.3)
        )
    }

    public var bytes: [UInt8] {
        var out: [UInt8] = []
        out.reserveCapacity(32)
        out.appendBigEndian(words.0)
        out.appendBigEndian(words.1)
        out.appendBigEndian(words.2)
        out.appendBigEndian(words.3)
        return out
    }

    /// The first eight bytes as a number, which is enough to compare distances between keys.
    public var leading: UInt64 { words.0 }

    public static func == (left: Key32, right: Key32) -> Bool { left.words == right.words }
    public static func < (left: Key32, right: Key32) -> Bool { left.words < right.words }
    public func hash(into hasher: inout Hasher) {
        hasher.combine(words.0)
        hasher.combine(words.1)
        hasher.combine(words.2)
        hasher.combine(words.3)
    }
}

/// An account: the Ed25519 public key of a person. Shown as bech32m `kibo1…`.
public struct AccountID: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// The human-readable part of the bech32m form.
    public static let prefix = "kibo"
    public let key: Key32

    public init(_ key: Key32) { self.key = key }
    public init?(bytes: some Collection<UInt8>) {
        guard let key = Key32(bytes) else { return nil }
        self.key = key
    }
    public init?(_ text: String) {
        guard let (prefix, bytes) = Bech32m.decode(text), prefix == Self.prefix else { return nil }
        self.init(bytes: bytes)
    }

    public var bytes: [UInt8] { key.bytes }
    public var description: String { Bech32m.encode(prefix: Self.prefix, bytes) }
    public static func < (left: AccountID, right: AccountID) -> Bool { left.key < right.key }
}

/// A device: the Ed25519 public key of one data directory. Shown as bech32m `kibodev1…`.
public struct DeviceID: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// The human-readable part of the bech32m form.
    public static let prefix = "kibodev"
    public let key: Key32

    public init(_ key: Key32) { self.key = key }
    public init?(bytes: some Collection<UInt8>) {
        guard let key = Key32(bytes) else { return nil }
        self.key = key
    }
    public init?(_ text: String) {
        guard let (prefix, bytes) = Bech32m.decode(text), prefix == Self.prefix else { return nil }
        self.init(bytes: bytes)
    }

    public var bytes: [UInt8] { key.bytes }
    public var description: String { Bech32m.encode(prefix: Self.prefix, bytes) }
    public static func < (left: DeviceID, right: DeviceID) -> Bool { left.key < right.key }
}
