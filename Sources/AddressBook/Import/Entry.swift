/// A person of the address book: what is kept of a card, with its numbers read.
public struct AddressEntry: Hashable, Sendable {
    /// A telephone number.
    public struct Phone: Hashable, Sendable {
        /// The number as it is written in the file.
        public var given: String
        /// `+` and digits; nil if the number's country is unknown, or if the number works in its own country only.
        public var e164: String?
        /// The prefix of the country in ``e164``; 0 without.
        public var callingCode: Int
        /// ISO 3166-1 alpha-2; nil if the number has no single country.
        public var region: String?
        /// Digits that are dialled after the number; empty for none. A line with an extension has no profile of its
        /// own.
        public var `extension`: String
        /// The number's label; empty for none.
        public var label: String
        /// Whether the line may receive a short message: it is no fax and has no extension.
        public var takesText: Bool

        /// Makes a number from its fields.
        public init(
            given: String, e164: String? = nil, callingCode: Int = 0, region: String? = nil, extension: String = "",
            label: String = "", takesText: Bool = true
        ) {
            self.given = given
            self.e164 = e164
            self.callingCode = callingCode
            self.region = region
            self.extension = `extension`
            self.label = label
            self.takesText = takesText
        }

        /// Whether the number's range is that of a fixed line.
        var isFixedLine: Bool {
            guard let e164, case .number(let number) = PhoneNumber.read(e164, in: nil) else { return false }
            return number.kind == .fixed
        }

        /// The number under which a profile may list this line; nil if there is none.
        public var key: String? { `extension`.isEmpty ? e164 : nil }
    }

    /// The identifier that the program which wrote the card uses for it.
    public var uid: String?
    public var name: String
    public var phones: [Phone]
    public var emails: [String]

    /// Makes an entry from its fields.
    public init(uid: String? = nil, name: String, phones: [Phone] = [], emails: [String] = []) {
        self.uid = uid
        self.name = name
        self.phones = phones
        self.emails = emails
    }

    /// The number to which a short message goes: the first mobile phone's, else the first that may be one.
    public var textNumber: Phone? {
        let able = phones.filter { $0.takesText && $0.e164 != nil }
        return able.first { $0.label == "mobile" } ?? able.first { !$0.isFixedLine }
    }
}

/// Numbers of one file, counted by how they could be read.
public struct NumberCount: Hashable, Sendable {
    /// Numbers in international form.
    public var international = 0
    /// Numbers without `+`, while no country is given.
    public var needCountry = 0
    /// Numbers that work in their own country or town only.
    public var local = 0
    /// Texts that are no numbers.
    public var unreadable = 0

    /// Makes a count of zero each.
    public init() {}
}

extension AddressEntry {
    /// Makes the entry of a card.
    /// - Parameter country: the country of numbers without `+`.
    public init(_ card: VCard, country: Country?, count: inout NumberCount) {
        var phones: [Phone] = []
        for phone in card.phones {
            let read = Self.read(phone, country, &count)
            // The card has the same number twice, written in two ways.
            if phones.contains(where: { $0.e164 != nil && $0.e164 == read.e164 && $0.extension == read.extension }) {
                continue
            }
            phones.append(read)
        }
        self.init(uid: card.uid, name: card.name, phones: phones, emails: card.emails)
    }

    private static func read(_ phone: VCard.Phone, _ country: Country?, _ count: inout NumberCount) -> Phone {
        switch PhoneNumber.read(phone.text, in: country) {
        case .number(let number):
            count.international += 1
            return Phone(
                given: phone.text, e164: number.e164, callingCode: number.callingCode, region: number.region,
                extension: number.extension, label: phone.label,
                takesText: !phone.isFax && number.extension.isEmpty)
        case .needsCountry: count.needCountry += 1
        case .short: count.local += 1
        case .none: count.unreadable += 1
        }
        return Phone(given: phone.text, label: phone.label, takesText: !phone.isFax)
    }
}
