import Vocabulary

/// A courier of this account, or a friend who has named this account as one.
public struct Courier: ContractObject, Hashable {
    public var id = ""
    public var name = ""
    public var carries: Bool?
    public var parcels: Int64 = 0
    public var bytes: Int64 = 0

    public init(id: String, name: String, carries: Bool?, parcels: Int64 = 0, bytes: Int64 = 0) {
        self.id = id
        self.name = name
        self.carries = carries
        self.parcels = parcels
        self.bytes = bytes
    }

    public static let contractName = "Courier"

    public init() {}

    public mutating func describe(_ fields: inout ObjectFields) throws(ShapeError) {
        try fields.field("id", &id, as: .account, "the account")
        try fields.field("name", &name, as: .name, "what they are called here")
        try fields.nullable(
            "carries", &carries,
            "whether their Kibo keeps messages for others; null: it hasn't said, or is too old to say")
        try fields.field("parcels", &parcels, as: .count, "how many parcels for them are kept here")
        try fields.field("bytes", &bytes, as: .bytes, "their size in all")
    }
}

/// Sealed messages of a friend for a friend who is away, kept here.
public struct Parcel: ContractObject, Hashable {
    public var id = ""
    public var from = ""
    public var fromName = ""
    public var to = ""
    public var toName = ""
    public var cameAt: Int64 = 0
    public var until: Int64 = 0
    public var bytes: Int64 = 0

    public init(
        id: String, from: String, fromName: String, to: String, toName: String, cameAt: Int64, until: Int64,
        bytes: Int64
    ) {
        self.id = id
        self.from = from
        self.fromName = fromName
        self.to = to
        self.toName = toName
        self.cameAt = cameAt
        self.until = until
        self.bytes = bytes
    }

    public static let contractName = "Parcel"

    public init() {}

    public mutating func describe(_ fields: inout ObjectFields) throws(ShapeError) {
        try fields.field("id", &id, as: .uuid, "the parcel")
        try fields.field("from", &from, as: .account, "the friend who left it")
        try fields.field("fromName", &fromName, as: .name, "what they are called here")
        try fields.field("to", &to, as: .account, "the friend it is for")
        try fields.field("toName", &toName, as: .name, "what they are called here")
        try fields.field("cameAt", &cameAt, as: .time, "when it came")
        try fields.field("until", &until, as: .time, "until when it is kept")
        try fields.field("bytes", &bytes, as: .bytes, "its size")
    }
}
