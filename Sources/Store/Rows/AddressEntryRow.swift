import Basics

/// A person of the address book.
public struct AddressEntryRow: Hashable, Sendable {
    /// A telephone number of theirs.
    public struct Phone: Hashable, Sendable {
        /// As somebody wrote it.
        public var given: String
        /// `+` and digits; nil if it isn't known in which country it is.
        public var e164: String?
        /// The country's prefix in ``e164``; 0 without.
        public var callingCode: Int64
        /// ISO 3166-1 alpha-2.
        public var region: String?
        public var `extension`: String
        public var label: String
        /// Whether short messages may be read there.
        public var takesText: Bool
        /// By what a profile is found; nil for a number that is not one person's.
        public var key: String?

        public init(
            given: String, e164: String? = nil, callingCode: Int64 = 0, region: String? = nil, extension: String = "",
            label: String = "", takesText: Bool = true, key: String? = nil
        ) {
            self.given = given
            self.e164 = e164
            self.callingCode = callingCode
            self.region = region
            self.extension = `extension`
            self.label = label
            self.takesText = takesText
            self.key = key
        }
    }

    /// An e-mail address of theirs.
    public struct Email: Hashable, Sendable {
        public var address: String
        /// As addresses are compared.
        public var key: String

        public init(address: String, key: String) {
            self.address = address
            self.key = key
        }
    }

    public var id: UUIDv7
    /// What the program that wrote the card knows it by.
    public var uid: String?
    public var name: String
    /// Everything that a search looks at, folded.
    public var search: String
    public var phones: [Phone]
    public var emails: [Email]
    /// When they were last sent an invitation.
    public var invitedAt: WallTime?
    public var createdAt: WallTime
    public var updatedAt: WallTime

    public init(
        id: UUIDv7, uid: String? = nil, name: String, search: String = "", phones: [Phone] = [], emails: [Email] = [],
        invitedAt: WallTime? = nil, createdAt: WallTime, updatedAt: WallTime
    ) {
        self.id = id
        self.uid = uid
        self.name = name
        self.search = search
        self.phones = phones
        self.emails = emails
        self.invitedAt = invitedAt
        self.createdAt = createdAt
        self.updatedAt = updatedAt
    }
}

/// An entry of the address book by name, for lists.
public struct AddressEntryName: Hashable, Sendable {
    /// For the store alone; never leaves the daemon.
    public var number: Int64
    public var id: UUIDv7
    public var name: String

    public init(number: Int64, id: UUIDv7, name: String) {
        self.number = number
        self.id = id
        self.name = name
    }
}
