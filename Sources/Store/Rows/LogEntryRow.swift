import Basics
import Vocabulary

/// An entry of a group's message log.
public struct LogEntryRow: Hashable, Sendable {
    public var device: DeviceID
    /// The place in the device's chain, from 1.
    public var sequence: UInt64
    /// 32 bytes.
    public var hash: EntryHash
    /// A message's id, or the entry's own.
    public var id: UUIDv7
    /// The kind's number on the wire.
    public var kind: Int64
    /// The message that it is or speaks of, if that is known.
    public var about: UUIDv7?
    public var state: LogState
    /// The author's hybrid time.
    public var time: HybridTime
    public var header: [UInt8]
    public var signature: [UInt8]
    /// The content; nil if it was dropped or never came.
    public var content: [UInt8]?

    public init(
        device: DeviceID, sequence: UInt64, hash: EntryHash, id: UUIDv7, kind: Int64, about: UUIDv7?, state: LogState,
        time: HybridTime, header: [UInt8], signature: [UInt8], content: [UInt8]?
    ) {
        self.device = device
        self.sequence = sequence
        self.hash = hash
        self.id = id
        self.kind = kind
        self.about = about
        self.state = state
        self.time = time
        self.header = header
        self.signature = signature
        self.content = content
    }

    /// The entry's bytes on the wire, as exactly as limits need.
    public var size: Int { header.count + signature.count + (content?.count ?? 0) }
}
