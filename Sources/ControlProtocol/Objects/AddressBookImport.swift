import Vocabulary

/// The result of an import.
public struct AddressBookImport: Hashable, Sendable {
    /// Something in the file that was not taken.
    public struct Problem: Hashable, Sendable {
        /// In the file, counted from 1.
        public var line: Int64
        /// The name on the card; empty if it has none.
        public var name: String
        /// A text that says what is wrong.
        public var text: String

        /// Put together from its fields.
        public init(line: Int64, name: String, text: String) {
            self.line = line
            self.name = name
            self.text = text
        }
    }

    /// Entries that are new, are different now, are as they were, are gone.
    public var added: Int64 = 0
    public var updated: Int64 = 0
    public var unchanged: Int64 = 0
    public var removed: Int64 = 0
    /// Cards that were not taken.
    public var skipped: Int64 = 0
    /// Numbers without `+` that could not be read for want of a country.
    public var numbersWithoutCountry: Int64 = 0
    /// The country that numbers without `+` are taken to be from, ISO 3166-1 alpha-2; nil if unknown.
    public var country: String?
    /// How that is known: `parameter`, `profile`, `locale`; nil if unknown.
    public var countryFrom: String?
    /// The first of what was wrong, and how much was in all.
    public var problems: [Problem] = []
    public var problemCount: Int64 = 0

    /// One that did nothing.
    public init() {}

    /// Reads the object as it travels; unknown fields are ignored.
    ///
    /// - Throws: ``ShapeError`` naming the field that is missing or of the wrong type.
    public init(json: JSONValue) throws(ShapeError) {
        let reader = try JSONReader(json, as: "AddressBookImport")
        added = try reader.integer("added")
        updated = try reader.integer("updated")
        unchanged = try reader.optionalInteger("unchanged") ?? 0
        removed = try reader.optionalInteger("removed") ?? 0
        skipped = try reader.integer("skipped")
        numbersWithoutCountry = try reader.optionalInteger("numbersWithoutCountry") ?? 0
        country = try reader.optionalString("country")
        countryFrom = try reader.optionalString("countryFrom")
        problems = try reader.list("problems", Problem.init(json:))
        problemCount = try reader.optionalInteger("problemCount") ?? 0
    }

    /// The value as it travels.
    public var json: JSONValue {
        [
            "added": .integer(added), "updated": .integer(updated), "unchanged": .integer(unchanged),
            "removed": .integer(removed), "skipped": .integer(skipped),
            "numbersWithoutCountry": .integer(numbersWithoutCountry), "country": .optional(country),
            "countryFrom": .optional(countryFrom), "problems": .array(problems.map(\.json)),
            "problemCount": .integer(problemCount),
        ]
    }
}

extension AddressBookImport.Problem {
    /// Reads the object as it travels; unknown fields are ignored.
    ///
    /// - Throws: ``ShapeError`` naming the field that is missing or of the wrong type.
    public init(json: JSONValue) throws(ShapeError) {
        let reader = try JSONReader(json, as: "AddressBookImport.problems")
        line = try reader.integer("line")
        name = try reader.string("name")
        text = try reader.string("text")
    }

    /// The value as it travels.
    public var json: JSONValue { ["line": .integer(line), "name": .string(name), "text": .string(text)] }
}

/// The outcome of invitations.
public struct Invitations: Hashable, Sendable {
    /// A person who is invited.
    public struct Recipient: Hashable, Sendable {
        /// Their entry of the address book.
        public var entry: String
        public var name: String
        /// The address or number.
        public var to: String
        /// The text for them.
        public var text: String

        /// Put together from its fields.
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
        public var entry: String
        public var name: String
        /// An error kind.
        public var reason: Reason
        /// A text for people that says what is the matter.
        public var detail: String

        /// Put together from its fields.
        public init(entry: String, name: String, reason: Reason, detail: String) {
            self.entry = entry
            self.name = name
            self.reason = reason
            self.detail = detail
        }
    }

    /// `mailto:` or `sms:` for each, in the order of ``recipients``; or one for all of them.
    public var links: [String] = []
    /// The text that is written to all of them, with its placeholders.
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
        links = try reader.strings("links")
        text = try reader.optionalString("text") ?? ""
        sent = try reader.optionalInteger("sent") ?? 0
        recipients = try reader.list("recipients", Recipient.init(json:))
        failed = try reader.list("failed", Failed.init(json:))
    }

    /// As `invite.compose` answers.
    public var composed: JSONValue {
        [
            "links": .strings(links), "text": .string(text), "recipients": .array(recipients.map(\.json)),
            "failed": .array(failed.map(\.json)),
        ]
    }

    /// As `invite.send` answers.
    public var delivered: JSONValue {
        [
            "sent": .integer(sent), "recipients": .array(recipients.map(\.json)), "failed": .array(failed.map(\.json)),
        ]
    }
}

extension Invitations.Recipient {
    /// Reads the object as it travels; unknown fields are ignored.
    ///
    /// - Throws: ``ShapeError`` naming the field that is missing or of the wrong type.
    public init(json: JSONValue) throws(ShapeError) {
        let reader = try JSONReader(json, as: "Invitations.recipients")
        entry = try reader.string("entry")
        name = try reader.string("name")
        to = try reader.string("to")
        text = try reader.string("text")
    }

    /// The value as it travels.
    public var json: JSONValue {
        ["entry": .string(entry), "name": .string(name), "to": .string(to), "text": .string(text)]
    }
}

extension Invitations.Failed {
    /// Reads the object as it travels; unknown fields are ignored.
    ///
    /// - Throws: ``ShapeError`` naming the field that is missing or of the wrong type.
    public init(json: JSONValue) throws(ShapeError) {
        let reader = try JSONReader(json, as: "Invitations.failed")
        entry = try reader.string("entry")
        name = try reader.string("name")
        reason = Reason(code: try reader.string("reason"))
        detail = try reader.string("detail")
    }

    /// The value as it travels.
    public var json: JSONValue {
        ["entry": .string(entry), "name": .string(name), "reason": .string(reason.contract), "detail": .string(detail)]
    }
}
