import Vocabulary

/// The account of this daemon.
public struct Account: ContractObject {
    /// The device that this daemon is.
    public struct Device: ContractObject {
        public var id = ""
        public var name = ""

        public init(id: String, name: String) {
            self.id = id
            self.name = name
        }

        public static let contractName = "Account.device"

        public init() {}

        public mutating func describe(_ fields: inout ObjectFields) throws(ShapeError) {
            try fields.field("id", &id, as: .token(maximumBytes: 90), "kibodev1…")
            try fields.field("name", &name, as: .name, "what the computer is called")
        }
    }

    public var id = ""
    public var displayName = ""
    public var statusText = ""
    public var email: String?
    public var phone: String?
    public var avatar: String?
    public var picture: String?
    public var locked = false
    public var hasPassphrase = false
    public var remembered = false
    public var device = Device()
    public var createdAt: Int64 = 0
    public var presence = Presence.online

    public init(
        id: String, displayName: String, statusText: String = "", email: String? = nil, phone: String? = nil,
        avatar: String? = nil, picture: String? = nil, locked: Bool = false, hasPassphrase: Bool = false,
        remembered: Bool = false,
        device: Device, createdAt: Int64, presence: Presence = .online
    ) {
        self.id = id
        self.displayName = displayName
        self.statusText = statusText
        self.email = email
        self.phone = phone
        self.avatar = avatar
        self.picture = picture
        self.locked = locked
        self.hasPassphrase = hasPassphrase
        self.remembered = remembered
        self.device = device
        self.createdAt = createdAt
        self.presence = presence
    }

    public static let contractName = "Account"

    public init() {}

    public mutating func describe(_ fields: inout ObjectFields) throws(ShapeError) {
        try fields.field("id", &id, as: .account, "the account")
        try fields.field("displayName", &displayName, as: .name, "what others see")
        try fields.lenient(
            "statusText", &statusText, as: .text(.line(SharedLimits.statusTextCharacters)),
            "a line about yourself")
        try fields.nullable("email", &email, as: .line, "e-mail address")
        try fields.nullable("phone", &phone, as: .line, "telephone number in E.164")
        try fields.nullable("avatar", &avatar, as: .path, "where the avatar is, a JPEG")
        try fields.nullable(
            "picture", &picture, as: .token(maximumBytes: 64),
            "a token for that picture, for picture.open: a different picture has a different token")
        try fields.lenient("locked", &locked, "whether a passphrase is needed first")
        try fields.lenient("hasPassphrase", &hasPassphrase, "whether a passphrase protects the keys")
        try fields.lenient("remembered", &remembered, "whether the daemon unlocks itself when it starts")
        try fields.field("device", &device, "this device")
        try fields.field("createdAt", &createdAt, as: .time, "when it was created")
        try fields.lenient(
            "presence", &presence, "what friends see: online, away, or offline while the account is locked")
    }
}
