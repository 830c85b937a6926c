import Basics

/// A person of the address book.
public struct AddressEntryRow: Hashable, Sendable {
    /// A telephone number of the person.
    public struct Phone: Hashable, Sendable {
        /// The number as it is written in the imported file.
        public var given: String
        /// `+` and digits; nil if the number's country is unknown.
        public var e164: String?
        /// The country's prefix in ``e164``; 0 if there is none.
        public var callingCode: Int64
        /// ISO 3166-1 alpha-2.
        public var region: String?
        public var `extension`: String
        public var label: String
        /// Whether the line may receive short messages.
        public var takesText: Bool
        /// The form by which a profile is found; nil for a number that isn't one person's.
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

    /// An e-mail address of the person.
    public struct Email: Hashable, Sendable {
        public var address: String
        /// The address in the form in which it is compared.
        public var key: String

        public init(address: String, key: String) {
            self.address = address
            self.key = key
        }
    }

    public var id: UUIDv7
    /// The identifier that the program which wrote the card uses.
    public var uid: String?
    public var name: String
    /// Everything that a search looks at, folded.
    public var search: String
    public var phones: [Phone]
    public var emails: [Email]
    /// When the person was last sent an invitation.
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
    /// The row's number, for the store alone; it never leaves the daemon.
    public var number: Int64
    public var id: UUIDv7
    public var name: String
}
