import Vocabulary

/// The result of an import.
public struct AddressBookImport: ContractObject {
    /// Something in the file that was not taken.
    public struct Problem: Hashable, Sendable {
        /// The line in the file, counted from 1.
        public var line: Int64 = 0
        /// The name on the card; empty if it has none.
        public var name = ""
        /// What is wrong; nil for a code of a later version.
        public var problem: CardProblem?
        /// Details that the code leaves open: the name of the field, or what it holds.
        public var detail: String?

        public init(line: Int64, name: String, problem: CardProblem, detail: String? = nil) {
            self.line = line
            self.name = name
            self.problem = problem
            self.detail = detail
        }
    }

    /// Entries that are new, have changed, are as they were, or are gone.
    public var added: Int64 = 0
    public var updated: Int64 = 0
    public var unchanged: Int64 = 0
    public var removed: Int64 = 0
    /// Cards that were not taken.
    public var skipped: Int64 = 0
    /// Numbers without `+` that could not be read because their country is unknown.
    public var numbersWithoutCountry: Int64 = 0
    /// The country that numbers without `+` are taken to be from, ISO 3166-1 alpha-2; nil if unknown.
    public var country: String?
    /// How that is known: `parameter`, `profile`, `locale`; nil if unknown.
    public var countryFrom: String?
    /// The first problems, and the number of all.
    public var problems: [Problem] = []
    public var problemCount: Int64 = 0

    /// One that did nothing.
    public init() {}

    public static let contractName = "AddressBookImport"

    public mutating func describe(_ fields: inout ObjectFields) throws(ShapeError) {
        try fields.field("added", &added, "new entries")
        try fields.field("updated", &updated, "entries that are different now")
        try fields.lenient("unchanged", &unchanged, "entries that stayed the same")
        try fields.lenient("removed", &removed, "entries that the file doesn't have")
        try fields.field(
            "skipped", &skipped, "cards that were not taken: groups, and those with neither number nor e-mail")
        try fields.lenient(
            "numbersWithoutCountry", &numbersWithoutCountry, "numbers without + whose country is unknown")
        try fields.nullable("country", &country, as: .line, "the country assumed for numbers without +")
        try fields.nullable(
            "countryFrom", &countryFrom, as: .choice(["parameter", "profile", "locale"]), "where that came from")
        try fields.lenient("problems", &problems, "the first 100 problems")
        try fields.lenient("problemCount", &problemCount, "how many problems there were in all")
    }
}

extension AddressBookImport.Problem: ContractObject {
    public static let contractName = "AddressBookImport.problems"

    public init() {}

    public mutating func describe(_ fields: inout ObjectFields) throws(ShapeError) {
        try fields.field("line", &line, "where in the file")
        try fields.field("name", &name, as: .line, "whose card")
        try fields.nullable("problem", &problem, "what is wrong")
        try fields.optional(
            "detail", &detail, as: .words, "what the code leaves open: a field's name, or its content")
    }
}

/// The outcome of invitations.
public struct Invitations: Hashable, Sendable {
    /// A person who is invited.
    public struct Recipient: Hashable, Sendable {
        /// Their entry of the address book.
        public var entry = ""
        public var name = ""
        /// The address or number.
        public var to = ""
        /// The text for them.
        public var text = ""

        public init(entry: String, name: String, to: String, text: String) {
            self.entry = entry
            self.name = name
            self.to = to
            self.text = text
        }
    }

    /// A person who is not.
    public struct Failed: Hashable, Sendable {
        /// Their entry of the address book.
        public var entry = ""
        public var name = ""
        /// An error kind.
        public var reason = Reason.internal
        /// A text for people that says what is the matter.
        public var detail = ""

        public init(entry: String, name: String, reason: Reason, detail: String) {
            self.entry = entry
            self.name = name
            self.reason = reason
            self.detail = detail
        }
    }

    /// `mailto:` or `sms:` for each, in the order of ``recipients``; or one for all of them.
    public var links: [String] = []
    /// The text for all of them, with its placeholders.
    public var text = ""
    /// How many were sent.
    public var sent: Int64 = 0
    public var recipients: [Recipient] = []
    public var failed: [Failed] = []

    /// None.
    public init() {}

    /// Reads the object as it travels; unknown fields are ignored.
    ///
    /// - Throws: ``ShapeError`` naming the field that is missing or of the wrong type.
    public init(json: JSONValue) throws(ShapeError) {
        let reader = try JSONReader(json, as: "Invitations")
        links = try reader.optional("links") ?? []
        text = try reader.optional("text") ?? ""
        sent = try reader.optional("sent") ?? 0
        recipients = try reader.optional("recipients") ?? []
        failed = try reader.optional("failed") ?? []
    }

    /// As `invite.compose` answers.
    public var composed: JSONValue {
        [
            "links": .strings(links), "text": .string(text), "recipients": recipients.json, "failed": failed.json,
        ]
    }

    /// As `invite.send` answers.
    public var delivered: JSONValue {
        [
            "sent": .integer(sent), "recipients": recipients.json, "failed": failed.json,
        ]
    }
}

extension Invitations.Recipient: ContractObject {
    public static let contractName = "Invitations.recipients"

    public init() {}

    public mutating func describe(_ fields: inout ObjectFields) throws(ShapeError) {
        try fields.field("entry", &entry, as: .uuid, "the entry")
        try fields.field("name", &name, as: .line, "what they are called")
        try fields.field("to", &to, as: .line, "the address or number")
        try fields.field(
            "text", &text, as: .text(.characters(ProtocolLimits.inviteCharacters)), "what is written to them")
    }
}

extension Invitations.Failed: ContractObject {
    public static let contractName = "Invitations.failed"

    public init() {}

    public mutating func describe(_ fields: inout ObjectFields) throws(ShapeError) {
        try fields.field("entry", &entry, as: .uuid, "the entry")
        try fields.field("name", &name, as: .line, "what they are called")
        try fields.field("reason", &reason, "why")
        try fields.field("detail", &detail, as: .words, "why, for people")
    }
}
