import Vocabulary

/// One person of a vCard file, with the fields that Kibo uses.
public struct VCard: Hashable, Sendable {
    /// A telephone number as it stands in the card.
    public struct Phone: Hashable, Sendable {
        /// The number as it is written, or the number of a `tel:` URI with its parameters.
        public var text: String
        /// The label: `mobile`, `home`, `work`, or a word of the file's author; empty for none.
        public var label: String
        /// Whether the line is a fax or pager, which can't receive messages.
        public var isFax: Bool
        /// Whether the card marks it as preferred.
        public var isPreferred: Bool

        /// Makes a number from its fields.
        public init(_ text: String, label: String = "", isFax: Bool = false, isPreferred: Bool = false) {
            self.text = text
            self.label = label
            self.isFax = isFax
            self.isPreferred = isPreferred
        }
    }

    /// The identifier that the program which wrote the card uses; nil if it gives none.
    public var uid: String?
    /// The name; never empty.
    public var name: String
    /// The numbers, in the order of preference.
    public var phones: [Phone]
    /// The texts that look like e-mail addresses, in the order of preference.
    public var emails: [String]
    /// The line in the file where the card begins, counted from 1.
    public var line: Int

    /// Makes a card from its fields.
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
    /// The line in the file, counted from 1.
    public var line: Int
    /// The name on the card; empty if it has none.
    public var name: String
    /// The sort of the mistake.
    public var problem: CardProblem
    /// The name of the field, or its text, where the problem alone does not say it.
    public var detail: String?
}

/// The result of reading a file.
public struct VCardFile: Hashable, Sendable {
    /// The cards that can be taken.
    public internal(set) var cards: [VCard] = []
    /// The number of cards that were left out: groups, and cards with neither a number nor an address.
    public internal(set) var skipped = 0
    /// The first problems, up to ``AddressBookLimits/problems``.
    public internal(set) var problems: [ImportProblem] = []
    /// The number of all problems.
    public internal(set) var problemCount = 0
    /// Whether the file ends in the middle of a card, so that something may be missing.
    public internal(set) var isCut = false

    mutating func note(_ problem: CardProblem, _ detail: String? = nil, line: Int, name: String = "") {
        problemCount += 1
        guard problems.count < AddressBookLimits.problems else { return }
        problems.append(ImportProblem(line: line, name: name, problem: problem, detail: detail))
    }
}

/// Why a file can't be taken at all.
public enum VCardError: Error, Hashable, Sendable, CustomStringConvertible {
    /// There is no card where the first should begin.
    case notVCard
    /// The file has more cards than ``AddressBookLimits/cards``.
    case tooManyCards
    /// Names, numbers and addresses together are larger than in any honest file.
    case tooMuch

    public var description: String {
        switch self {
        case .notVCard: "the file is no vCard"
        case .tooManyCards: "the file has too many cards"
        case .tooMuch: "the file is too large"
        }
    }
}
