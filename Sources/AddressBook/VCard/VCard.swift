/// One person of a vCard file, as far as Kibo is interested.
public struct VCard: Hashable, Sendable {
    /// A telephone number as it stands in the card.
    public struct Phone: Hashable, Sendable {
        /// What somebody wrote, or the number of a `tel:` URI with its parameters.
        public var text: String
        /// What it is called: `mobile`, `home`, `work`, or the person's own word; empty for nothing.
        public var label: String
        /// A fax or pager reads no message.
        public var isFax: Bool
        /// The person's first choice.
        public var isPreferred: Bool

        /// Put together from its fields.
        public init(_ text: String, label: String = "", isFax: Bool = false, isPreferred: Bool = false) {
            self.text = text
            self.label = label
            self.isFax = isFax
            self.isPreferred = isPreferred
        }
    }

    /// What the program that wrote it knows it by; nil if it says nothing.
    public var uid: String?
    /// Never empty.
    public var name: String
    /// In the order of preference.
    public var phones: [Phone]
    /// Addresses that look like some, in the order of preference.
    public var emails: [String]
    /// Where it begins in the file, counted from 1.
    public var line: Int

    /// Put together from its fields.
    public init(uid: String? = nil, name: String, phones: [Phone] = [], emails: [String] = [], line: Int = 1) {
        self.uid = uid
        self.name = name
        self.phones = phones
        self.emails = emails
        self.line = line
    }
}

/// Something in a file that was not taken, and why.
public struct ImportProblem: Hashable, Sendable {
    /// Where, counted from 1.
    public var line: Int
    /// Whose card; empty if it has no name.
    public var name: String
    /// What is wrong: a phrase for people.
    public var text: String

    /// Put together from its fields.
    public init(line: Int, name: String, text: String) {
        self.line = line
        self.name = name
        self.text = text
    }
}

/// What a file came to.
public struct VCardFile: Hashable, Sendable {
    /// Those that can be taken.
    public internal(set) var cards: [VCard] = []
    /// Cards that were not: of groups, and such with neither number nor address.
    public internal(set) var skipped = 0
    /// The first of what was wrong.
    public internal(set) var problems: [ImportProblem] = []
    /// How much was wrong in all.
    public internal(set) var problemCount = 0
    /// The file ends in the middle of a card: something may be missing.
    public internal(set) var isCut = false

    mutating func note(_ text: String, line: Int, name: String = "") {
        problemCount += 1
        guard problems.count < AddressBookLimits.problems else { return }
        problems.append(ImportProblem(line: line, name: name, text: text))
    }
}

/// Why a file can't be taken at all.
public enum VCardError: Error, Hashable, Sendable {
    /// There is no card where one should begin.
    case notVCard
    /// More cards than ``AddressBookLimits/cards``.
    case tooManyCards
    /// Names, numbers and addresses are larger together than any honest file's.
    case tooMuch
}
