import Basics

/// The BLAKE2b-256 of an entry of a group's membership or log. The root of a group is the hash of the entry that
/// created it.
public struct EntryHash: Hashable, Comparable, Sendable, CustomStringConvertible {
    private let key: Key32

    /// Nil unless there are exactly 32 bytes.
    public init?(_ bytes: some Collection<UInt8>) {
        guard let key = Key32(bytes) else { return nil }
        self.key = key
    }

    public var bytes: [UInt8] { key.bytes }
    public var description: String { Hex.encode(bytes) }
    public static func < (left: EntryHash, right: EntryHash) -> Bool { left.key < right.key }
}
