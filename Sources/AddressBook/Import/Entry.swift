/// A person of the address book: what is kept of a card, with its numbers read.
public struct AddressEntry: Hashable, Sendable {
    /// A telephone number.
    public struct Phone: Hashable, Sendable {
        /// As somebody wrote it.
        public var given: String
        /// `+` and digits; nil if it is not known in which country it is, or if it is of use in its own only.
        public var e164: String?
        /// The prefix of the country in ``e164``; 0 without.
        public var callingCode: Int
        /// ISO 3166-1 alpha-2; nil if there is no one country.
        public var region: String?
        /// Digits that are dialled behind it; empty for none. Such a line has no profile of its own.
        public var `extension`: String
        /// What it is called; empty for nothing.
        public var label: String
        /// Whether it may read a short message: no fax, and nothing behind an extension.
        public var takesText: Bool

        /// Put together from its fields.
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

        /// By its range.
        var isFixedLine: Bool {
            guard let e164, case .number(let number) = PhoneNumber.read(e164, in: nil) else { return false }
            return number.kind == .fixed
        }

        /// By what it is found in a profile; nil if it can't be.
        public var key: String? { `extension`.isEmpty ? e164 : nil }
    }

    /// What the program that wrote the card knows it by.
    public var uid: String?
    public var name: String
    public var phones: [Phone]
    public var emails: [String]

    /// Put together from its fields.
    public init(uid: String? = nil, name: String, phones: [Phone] = [], emails: [String] = []) {
        self.uid = uid
        self.name = name
        self.phones = phones
        self.emails = emails
    }

    /// Which of its numbers a short message goes to: the first that is a mobile phone's, else the first that may be one.
    public var textNumber: Phone? {
        let able = phones.filter { $0.takesText && $0.e164 != nil }
        return able.first { $0.label == "mobile" } ?? able.first { !$0.isFixedLine }
    }
}

/// Numbers of one file that could not be read, by reason.
public struct NumberCount: Hashable, Sendable {
    /// Known everywhere.
    public var international = 0
    /// Without `+`, and without a country.
    public var needCountry = 0
    /// Of use in their own country or town only.
    public var local = 0
    /// None.
    public var unreadable = 0

    /// None of any.
    public init() {}
}

extension AddressEntry {
    /// The entry that a card is.
    /// - Parameter country: where numbers without `+` are from.
    public init(_ card: VCard, country: Country?, count: inout NumberCount) {
        var phones: [Phone] = []
        for phone in card.phones {
            let read = Self.read(phone, country, &count)
            // The same number twice, written in two ways.
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
