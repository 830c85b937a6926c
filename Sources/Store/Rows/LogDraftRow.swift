import Basics

/// Something that was written in a group and has no place in our chain yet.
public struct LogDraftRow: Hashable, Sendable {
    /// The number in the order of writing; 0 for a draft that is not stored yet.
    public var number: Int64
    /// The entry's id; a message's is what the others call the message.
    public var id: UUIDv7
    /// The kind's number on the wire.
    public var kind: Int64
    /// The message that it is, or speaks of, by its id on this host.
    public var about: UUIDv7?
    public var time: HybridTime
    public var at: WallTime
    public var content: [UInt8]

    public init(
        number: Int64 = 0, id: UUIDv7, kind: Int64, about: UUIDv7?, time: HybridTime, at: WallTime, content: [UInt8]
    ) {
        self.number = number
        self.id = id
        self.kind = kind
        self.about = about
        self.time = time
        self.at = at
        self.content = content
    }
}
