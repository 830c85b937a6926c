/// How much room the disk of the data has.
public enum DiskRoom: String, ContractWord {
    /// There is enough for all.
    case enough
    /// So little is left that others' words are taken only in small amounts, or wait on their side.
    case short
    /// Nothing can be stored, nor taken from others.
    case full
}

/// The disk that holds the data.
public struct DiskState: ContractObject, Hashable {
    public var room = DiskRoom.enough
    public var freeBytes: Int64?

    public init(room: DiskRoom = .enough, freeBytes: Int64? = nil) {
        self.room = room
        self.freeBytes = freeBytes
    }

    public static let contractName = "Disk"

    public init() {}

    public mutating func describe(_ fields: inout ObjectFields) throws(ShapeError) {
        try fields.field(
            "room", &room,
            "`enough`; `short`: others can send only little, or wait until there is room; `full`: nothing is stored or "
                + "accepted until there is room")
        try fields.optional(
            "freeBytes", &freeBytes, as: .bytes, "how much was free when the daemon last looked; absent: unknown")
    }
}
