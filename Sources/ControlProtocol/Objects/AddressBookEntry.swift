import Vocabulary

/// A person of the address book.
public struct AddressBookEntry: Hashable, Sendable {
    /// A telephone number of theirs.
    public struct Phone: Hashable, Sendable {
        /// As it was imported.
        public var number: String
        /// `+` and digits; nil if it isn't known in which country it is, or if it is of use in its own only.
        public var e164: String?
        /// The country's part of ``e164``, such as `+49`.
        public var prefix: String?
        /// The rest of ``e164``.
        public var national: String?
        /// ISO 3166-1 alpha-2; nil if there is no one country.
        public var region: String?
        /// Digits dialled behind it; empty for none.
        public var `extension`: String
        /// Such as `mobile`; empty for nothing.
        public var label: String

        /// Put together from its fields.
        public init(
            number: String, e164: String? = nil, prefix: String? = nil, national: String? = nil, region: String? = nil,
            extension: String = "", label: String = ""
        ) {
            self.number = number
            self.e164 = e164
            self.prefix = prefix
            self.national = national
            self.region = region
            self.extension = `extension`
            self.label = label
        }
    }

    /// An entry by its name, where an account is shown that is likely theirs.
    public struct Reference: Hashable, Sendable {
        /// A UUID.
        public var id: String
        /// Their name in the address book.
        public var name: String

        /// Put together from its fields.
        public init(id: String, name: String) {
            self.id = id
            self.name = name
        }
    }

    /// An account whose profile shows a number or an address of theirs.
    public struct Match: Hashable, Sendable {
        /// `kibo1…`.
        public var account: String
        /// The name it gives itself.
        public var displayName: String
        /// How we stand to it.
        public var relation: Relation
        /// Whether it is on the network now.
        public var here: Bool

        /// Put together from its fields.
        public init(account: String, displayName: String, relation: Relation, here: Bool) {
            self.account = account
            self.displayName = displayName
            self.relation = relation
            self.here = here
        }
    }

    /// A UUID.
    public var id: String
    /// Their name.
    public var name: String
    public var phones: [Phone]
    public var emails: [String]
    /// Whether an account shows one of these.
    public var onKibo: Bool
    /// The account that is most likely theirs; nil for none.
    public var contact: String?
    /// All accounts, that one first.
    public var matches: [Match]
    /// When they were last sent an invitation, in ms; nil for never.
    public var invitedAt: Int64?

    /// Put together from its fields.
    public init(
        id: String, name: String, phones: [Phone] = [], emails: [String] = [], matches: [Match] = [],
        invitedAt: Int64? = nil
    ) {
        self.id = id
        self.name = name
        self.phones = phones
        self.emails = emails
        self.matches = matches
        onKibo = !matches.isEmpty
        contact = matches.first?.account
        self.invitedAt = invitedAt
    }

    /// Reads the object as it travels; unknown fields are ignored.
    ///
    /// - Throws: ``ShapeError`` naming the field that is missing or of the wrong type.
    public init(json: JSONValue) throws(ShapeError) {
        let reader = try JSONReader(json, as: "AddressBookEntry")
        id = try reader.string("id")
        name = try reader.string("name")
        phones = try reader.list("phones", Phone.init(json:))
        emails = try reader.strings("emails")
        onKibo = try reader.bool("onKibo")
        contact = try reader.optionalString("contact")
        matches = try reader.list("matches", Match.init(json:))
        invitedAt = try reader.optionalInteger("invitedAt")
    }

    /// The value as it travels.
    public var json: JSONValue {
        [
            "id": .string(id), "name": .string(name), "phones": .array(phones.map(\.json)), "emails": .strings(emails),
            "onKibo": .bool(onKibo), "contact": .optional(contact), "matches": .array(matches.map(\.json)),
            "invitedAt": .optional(invitedAt),
        ]
    }
}

extension AddressBookEntry.Phone {
    /// Reads the object as it travels; unknown fields are ignored.
    ///
    /// - Throws: ``ShapeError`` naming the field that is missing or of the wrong type.
    public init(json: JSONValue) throws(ShapeError) {
        let reader = try JSONReader(json, as: "AddressBookEntry.phones")
        number = try reader.string("number")
        e164 = try reader.optionalString("e164")
        prefix = try reader.optionalString("prefix")
        national = try reader.optionalString("national")
        region = try reader.optionalString("region")
        self.extension = try reader.optionalString("extension") ?? ""
        label = try reader.optionalString("label") ?? ""
    }

    /// The value as it travels.
    public var json: JSONValue {
        [
            "number": .string(number), "e164": .optional(e164), "prefix": .optional(prefix),
            "national": .optional(national), "region": .optional(region), "extension": .string(`extension`),
            "label": .string(label),
        ]
    }
}

extension AddressBookEntry.Reference {
    /// Reads the object as it travels; unknown fields are ignored.
    ///
    /// - Throws: ``ShapeError`` naming the field that is missing or of the wrong type.
    public init(json: JSONValue) throws(ShapeError) {
        let reader = try JSONReader(json, as: "entry")
        id = try reader.string("id")
        name = try reader.string("name")
    }

    /// The value as it travels.
    public var json: JSONValue { ["id": .string(id), "name": .string(name)] }
}

extension AddressBookEntry.Match {
    /// Reads the object as it travels; unknown fields are ignored.
    ///
    /// - Throws: ``ShapeError`` naming the field that is missing or of the wrong type.
    public init(json: JSONValue) throws(ShapeError) {
        let reader = try JSONReader(json, as: "AddressBookEntry.matches")
        account = try reader.string("account")
        displayName = try reader.string("displayName")
        relation = try reader.choice("relation")
        here = try reader.bool("here")
    }

    /// The value as it travels.
    public var json: JSONValue {
        [
            "account": .string(account), "displayName": .string(displayName), "relation": .string(relation.rawValue),
            "here": .bool(here),
        ]
    }
}
