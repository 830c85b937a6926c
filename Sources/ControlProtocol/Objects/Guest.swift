import Vocabulary

/// Another device on this network that speaks LocalSend, such as a phone.
public struct GuestDevice: ContractObject, Hashable {
    /// What kind of thing a device is, as it says.
    public enum Kind: String, ContractWord {
        case mobile, desktop, web, headless, server
    }

    public var id = ""
    public var name = ""
    public var model: String?
    public var kind = Kind.mobile
    public var address = ""
    public var encrypted = true
    public var known = false
    public var namesake = false

    public init(
        id: String, name: String, model: String?, kind: Kind, address: String, encrypted: Bool, known: Bool = false,
        namesake: Bool = false
    ) {
        self.id = id
        self.name = name
        self.model = model
        self.kind = kind
        self.address = address
        self.encrypted = encrypted
        self.known = known
        self.namesake = namesake
    }

    public static let contractName = "GuestDevice"

    public init() {}

    public mutating func describe(_ fields: inout ObjectFields) throws(ShapeError) {
        try fields.field(
            "id", &id, as: .label(minimum: 16, maximum: 16),
            "names it in `guest.give`; a different address or certificate means a different device")
        try fields.field("name", &name, as: .name, "what its user calls it; anybody can choose any name")
        try fields.nullable("model", &model, as: .name, "its model, or the maker's name")
        try fields.field("kind", &kind, "what it says it is")
        try fields.field("address", &address, as: .line, "its address")
        try fields.field(
            "encrypted", &encrypted, "whether it speaks TLS; if not, anybody on the network can read along")
        try fields.field(
            "known", &known,
            "whether you gave it something before; its certificate is checked when you do so again")
        try fields.field(
            "namesake", &namesake,
            "whether you gave something to another device of this name before, so this one may be an impostor")
    }
}

/// Files, or a text, that a device nearby wants to give to this user, or this user to a device.
public struct GuestOffer: ContractObject, Hashable {
    /// How far an offer has come.
    public enum State: String, ContractWord {
        /// The user is asked, or the device's user.
        case waiting
        /// Its files come in.
        case receiving
        /// Its files go out.
        case sending
        /// What was wanted of it is where it should be, and in the notes.
        case taken
        case declined
        /// Who offered it has taken it back.
        case withdrawn
        /// Nobody answered in time.
        case expired
        /// What came is not whole: `problem` says why. Files that were whole by then are in the notes.
        case failed

        /// Whether nothing happens to it any more.
        public var isOver: Bool { ![.waiting, .receiving, .sending].contains(self) }
    }

    /// A file of an offer.
    public struct Item: ContractObject, Hashable {
        public var number: Int64 = 0
        public var name = ""
        public var folder: String?
        public var size: Int64 = 0
        public var refusal: Reason?

        public init(number: Int64, name: String, folder: String? = nil, size: Int64, refusal: Reason?) {
            self.number = number
            self.name = name
            self.folder = folder
            self.size = size
            self.refusal = refusal
        }

        public static let contractName = "GuestOffer.items"

        public init() {}

        public mutating func describe(_ fields: inout ObjectFields) throws(ShapeError) {
            try fields.field("number", &number, as: .count, "names it in `guest.take`")
            try fields.field(
                "name", &name, as: .label(minimum: 1, maximum: SharedLimits.attachmentNameBytes),
                "the name that it will get, unless that is taken")
            try fields.nullable(
                "folder", &folder, as: .label(minimum: 1, maximum: ProtocolLimits.guestFolderCharacters),
                "the names of the folders it is in, outermost first, with `/` between them; null: it is in none"
            )
            try fields.field("size", &size, as: .bytes, "its size, as the device says")
            try fields.nullable(
                "refusal", &refusal, "why the settings for files don't allow it; null: they do")
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
        try fields.field("device", &device, as: .object("GuestDevice"), "the device that gives it or gets it")
        try fields.field("state", &state, "how far it has come")
        try fields.nullable(
            "text", &text, as: .text(.bytes(SharedLimits.textBytes)),
            "the text, if the offer is one; it has no items then")
        try fields.field(
            "items", &items,
            "its files; after some were taken, only those; none if a device's offer ended without being taken"
        )
        try fields.field("files", &files, as: .count, "how many files it had, or how many were taken")
        try fields.field("size", &size, as: .bytes, "their size in all")
        try fields.field("cameAt", &cameAt, as: .time, "when it was offered")
        try fields.nullable("until", &until, as: .time, "`waiting`: when it ends if nobody answers")
        try fields.field("filesDone", &filesDone, as: .count, "how many files are here, or with the device")
        try fields.field("bytesDone", &bytesDone, as: .bytes, "how many bytes have arrived here, or there")
        try fields.nullable(
            "problem", &problem,
            "`failed`: why; `cancelled`: the device ended it; `wrong_passphrase`: it wants a PIN, or a different one; "
                + "`key_changed`: it doesn't have the certificate that it announced")
        try fields.nullable("detail", &detail, as: .words, "`failed`: details of the problem")
    }
}
