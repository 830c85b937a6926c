import Vocabulary

/// The account of this daemon.
public struct Account: Hashable, Sendable {
    /// The device that this daemon is.
    public struct Device: Hashable, Sendable {
        /// `kibodev1…`.
        public var id: String
        /// The name of the computer.
        public var name: String

        /// Put together from its fields.
        public init(id: String, name: String) {
            self.id = id
            self.name = name
        }
    }

    /// `kibo1…`.
    public var id: String
    /// The name that others see.
    public var displayName: String
    /// A line about oneself; empty for none.
    public var statusText: String
    /// E-mail address; nil for none.
    public var email: String?
    /// In E.164.
    public var phone: String?
    /// Where the avatar lies on this host; nil if there is none.
    public var avatar: String?
    /// Which picture that is; nil if there is none.
    public var picture: String?
    /// Whether a passphrase is needed first.
    public var locked: Bool
    /// Whether a passphrase protects the keys.
    public var hasPassphrase: Bool
    /// Whether the daemon finds that passphrase by itself when it starts.
    public var remembered: Bool
    /// The device that this daemon is.
    public var device: Device
    /// Milliseconds since 1970 UTC.
    public var createdAt: Int64
    /// The presence that friends see while they can reach this daemon: online or away.
    public var presence: Presence

    /// Put together from its fields.
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

    /// Reads the object as it travels; unknown fields are ignored.
    ///
    /// - Throws: ``ShapeError`` naming the field that is missing or of the wrong type.
    public init(json: JSONValue) throws(ShapeError) {
        let reader = try JSONReader(json, as: "Account")
        id = try reader.string("id")
        displayName = try reader.string("displayName")
        statusText = try reader.optionalString("statusText") ?? ""
        email = try reader.optionalString("email")
        phone = try reader.optionalString("phone")
        avatar = try reader.optionalString("avatar")
        picture = try reader.optionalString("picture")
        locked = try reader.bool("locked")
        hasPassphrase = reader.object["hasPassphrase"]?.bool ?? false
        remembered = reader.object["remembered"]?.bool ?? false
        let device = try JSONReader(reader.object["device"] ?? .null, as: "Account.device")
        self.device = Device(id: try device.string("id"), name: try device.string("name"))
        createdAt = try reader.integer("createdAt")
        presence = try reader.optionalString("presence").flatMap(Presence.init) ?? .online
    }

    /// The value as it travels.
    public var json: JSONValue {
        [
            "id": .string(id), "displayName": .string(displayName), "statusText": .string(statusText),
            "email": .optional(email), "phone": .optional(phone), "avatar": .optional(avatar),
            "picture": .optional(picture), "locked": .bool(locked),
            "hasPassphrase": .bool(hasPassphrase), "remembered": .bool(remembered),
            "device": ["id": .string(device.id), "name": .string(device.name)], "createdAt": .integer(createdAt),
            "presence": .string(presence.rawValue),
        ]
    }
}
