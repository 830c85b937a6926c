import Vocabulary

/// A person of the address book.
public struct AddressBookEntry: ContractObject {
    /// A telephone number of theirs.
    public struct Phone: Hashable, Sendable {
        public var number = ""
        /// `+` and digits; nil if the number's country is unknown, or if the number works only in its own country.
        public var e164: String?
        public var prefix: String?
        public var national: String?
        public var region: String?
        /// Digits that are dialled after it; empty for none.
        public var `extension` = ""
        public var label = ""

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
        public var id = ""
        public var name = ""

        public init(id: String, name: String) {
            self.id = id
            self.name = name
        }
    }

    /// An account whose profile shows a number or an address of theirs.
    public struct Match: Hashable, Sendable {
        public var account = ""
        public var displayName = ""
        public var relation = Relation.none
        public var here = false

        public init(account: String, displayName: String, relation: Relation, here: Bool) {
            self.account = account
            self.displayName = displayName
            self.relation = relation
            self.here = here
        }
    }

    public var id = ""
    public var name = ""
    public var phones: [Phone] = []
    public var emails: [String] = []
    public var onKibo = false
    public var contact: String?
    public var matches: [Match] = []
    public var invitedAt: Int64?

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

    public static let contractName = "AddressBookEntry"

    public init() {}

    public mutating func describe(_ fields: inout ObjectFields) throws(ShapeError) {
        try fields.field("id", &id, as: .uuid, "the entry")
        try fields.field("name", &name, as: .line, "what they are called")
        try fields.lenient("phones", &phones, "telephone numbers")
        try fields.lenient("emails", &emails, as: .results(.line), "e-mail addresses")
        try fields.lenient("onKibo", &onKibo, "whether an account shows one of these in its profile")
        try fields.nullable("contact", &contact, as: .account, "the account that is most likely theirs")
        try fields.lenient("matches", &matches, "all such accounts, that one first")
        try fields.nullable("invitedAt", &invitedAt, as: .time, "when they were last sent an invitation")
    }
}

extension AddressBookEntry.Phone: ContractObject {
    public static let contractName = "AddressBookEntry.phones"

    public init() {}

    public mutating func describe(_ fields: inout ObjectFields) throws(ShapeError) {
        try fields.field("number", &number, as: .line, "as it was imported")
        try fields.nullable("e164", &e164, as: .line, "in international form")
        try fields.nullable("prefix", &prefix, as: .line, "the first part of that: `+49`")
        try fields.nullable("national", &national, as: .line, "the rest of it: `1701234567`")
        try fields.nullable("region", &region, as: .line, "the country, as ISO 3166-1 alpha-2")
        try fields.lenient("extension", &`extension`, as: .line, "what is dialled after it")
        try fields.lenient("label", &label, as: .line, "the file's label for it, such as `mobile`")
    }
}

extension AddressBookEntry.Reference: ContractObject {
    public static let contractName = "AddressBookEntry.reference"

    public init() {}

    public mutating func describe(_ fields: inout ObjectFields) throws(ShapeError) {
        try fields.field("id", &id, as: .uuid, "the entry")
        try fields.field("name", &name, as: .name, "what it says they are called")
    }
}

extension AddressBookEntry.Match: ContractObject {
    public static let contractName = "AddressBookEntry.matches"

    public init() {}

    public mutating func describe(_ fields: inout ObjectFields) throws(ShapeError) {
        try fields.field("account", &account, as: .account, "the account")
        try fields.field("displayName", &displayName, as: .line, "its name")
        try fields.field("relation", &relation, "our relation to it")
        try fields.lenient("here", &here, "whether it is on the network now")
    }
}
