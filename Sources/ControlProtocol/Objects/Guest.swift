import Vocabulary

/// Another device on this network that speaks LocalSend, such as a phone.
public struct GuestDevice: ContractObject, Hashable {
    /// What kind of thing a device is, as it says.
    public enum Kind: String, ContractWord {
        case mobile, desktop, web, headless, server
    }

    public var name = ""
    public var model: String?
    public var kind = Kind.mobile
    public var address = ""
    public var encrypted = true

    public init(name: String, model: String?, kind: Kind, address: String, encrypted: Bool) {
        self.name = name
        self.model = model
        self.kind = kind
        self.address = address
        self.encrypted = encrypted
    }

    public static let contractName = "GuestDevice"

    public init() {}

    public mutating func describe(_ fields: inout ObjectFields) throws(ShapeError) {
        try fields.field("name", &name, as: .name, "what its user calls it; anybody can take any name")
        try fields.nullable("model", &model, as: .name, "such as the maker's name")
        try fields.field("kind", &kind, "what it says it is")
        try fields.field("address", &address, as: .line, "where it is")
        try fields.field(
            "encrypted", &encrypted, "whether it speaks TLS; otherwise anybody on the network can read along")
    }
}

/// What a device nearby wants to give to this user: files, or a text.
public struct GuestOffer: ContractObject, Hashable {
    /// How far an offer has come.
    public enum State: String, ContractWord {
        /// The user is asked.
        case waiting
        /// Its files come in.
        case receiving
        /// What the user wanted of it is here, and in the notes.
        case taken
        case declined
        /// The device has taken it back.
        case withdrawn
        /// The user did not answer in time.
        case expired
        /// What came is not whole: `problem` says why. Files that were whole by then are in the notes.
        case failed

        /// Whether nothing happens to it any more.
        public var isOver: Bool { self != .waiting && self != .receiving }
    }

    /// A file of an offer.
    public struct Item: ContractObject, Hashable {
        public var number: Int64 = 0
        public var name = ""
        public var size: Int64 = 0
        public var refusal: Reason?

        public init(number: Int64, name: String, size: Int64, refusal: Reason?) {
            self.number = number
            self.name = name
            self.size = size
            self.refusal = refusal
        }

        public static let contractName = "GuestOffer.items"

        public init() {}

        public mutating func describe(_ fields: inout ObjectFields) throws(ShapeError) {
            try fields.field("number", &number, as: .count, "names it in `guest.take`")
            try fields.field(
                "name", &name, as: .label(minimum: 1, maximum: SharedLimits.attachmentNameBytes),
                "the name that it will have, unless that is taken")
            try fields.field("size", &size, as: .bytes, "its length, as the device says")
            try fields.nullable(
                "refusal", &refusal, "why it is not taken, by the settings for files; null: it may be")
        }
    }

    public var id = ""
    public var device = GuestDevice()
    public var state = State.waiting
    public var text: String?
    public var items: [Item] = []
    public var files: Int64 = 0
    public var size: Int64 = 0
    public var cameAt: Int64 = 0
    public var until: Int64?
    public var filesDone: Int64 = 0
    public var bytesDone: Int64 = 0
    public var problem: Reason?
    public var detail: String?

    public init(
        id: String, device: GuestDevice, state: State = .waiting, text: String? = nil, items: [Item] = [],
        size: Int64 = 0, cameAt: Int64, until: Int64? = nil, filesDone: Int64 = 0, bytesDone: Int64 = 0,
        problem: Reason? = nil, detail: String? = nil
    ) {
        self.id = id
        self.device = device
        self.state = state
        self.text = text
        self.items = items
        files = Int64(items.count)
        self.size = size
        self.cameAt = cameAt
        self.until = until
        self.filesDone = filesDone
        self.bytesDone = bytesDone
        self.problem = problem
        self.detail = detail
    }

    public static let contractName = "GuestOffer"

    public init() {}

    public mutating func describe(_ fields: inout ObjectFields) throws(ShapeError) {
        try fields.field("id", &id, as: .uuid, "the offer")
        try fields.field("device", &device, as: .object("GuestDevice"), "who gives it")
        try fields.field("state", &state, "how far it has come")
        try fields.nullable(
            "text", &text, as: .text(.bytes(SharedLimits.textBytes)), "the text, if it is one; then it has no items")
        try fields.field(
            "items", &items, "its files; once some were taken, those; none of an offer that is over without being taken"
        )
        try fields.field("files", &files, as: .count, "how many it had, or were taken")
        try fields.field("size", &size, as: .bytes, "the bytes of these")
        try fields.field("cameAt", &cameAt, as: .time, "when it came")
        try fields.nullable("until", &until, as: .time, "`waiting`: when it is over if nobody answers")
        try fields.field("filesDone", &filesDone, as: .count, "how many files are here")
        try fields.field("bytesDone", &bytesDone, as: .bytes, "how many bytes came")
        try fields.nullable("problem", &problem, "`failed`: why; `cancelled`: the device has ended it")
        try fields.nullable("detail", &detail, as: .words, "`failed`: what more there is to say about it")
    }
}
