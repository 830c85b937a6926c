import CAddressBook

/// A telephone number that is complete: it means the same everywhere.
public struct PhoneNumber: Hashable, Sendable {
    /// What sort of line it is, by its range.
    public enum Kind: Hashable, Sendable { case mobile, fixed, other }

    /// The prefix of its country, such as 49.
    public let callingCode: Int
    /// The rest, without what is dialled before it within the country. (In Italy the zero belongs to the number.)
    public let national: String
    /// ISO 3166-1 alpha-2 of the country; nil if there is no one country.
    public let region: String?
    /// Digits that are dialled behind it; empty for none.
    public let `extension`: String
    /// What sort of line it is. Slow beside reading a number: to be asked of those that it matters for.
    public var kind: Kind {
        switch Int(kibo_phone_kind(e164)) {
        case KIBO_PHONE_MOBILE: .mobile
        case KIBO_PHONE_FIXED: .fixed
        default: .other
        }
    }

    /// `+` and digits, without the extension.
    public var e164: String { "+\(callingCode)\(national)" }

    /// What a text is that should be a number.
    public enum Reading: Hashable, Sendable {
        case number(PhoneNumber)
        /// It has no `+`, and nobody says in which country it is.
        case needsCountry
        /// It is of use in its own country or town only, such as 110.
        case short
        /// It is none.
        case none
    }

    /// Reads what people write, and the number of a `tel:` URI (RFC 3966) with its parameters.
    /// - Parameter country: where a number without `+` is from.
    public static func read(_ text: String, in country: Country?) -> Reading {
        let isShort =
            text.utf8.count <= AddressBookLimits.phoneCharacters || text.count <= AddressBookLimits.phoneCharacters
        guard isShort, !text.utf8.contains(0) else { return .none }
        var found = kibo_phone_number()
        switch Int(kibo_phone_read(text, country?.region ?? "ZZ", &found)) {
        case KIBO_PHONE_NUMBER:
            let number = PhoneNumber(found)
            return number.e164.utf8.count - 1 <= AddressBookLimits.digits ? .number(number) : .none
        case KIBO_PHONE_NEEDS_COUNTRY: return .needsCountry
        case KIBO_PHONE_SHORT: return .short
        default: return .none
        }
    }

    private init(_ found: kibo_phone_number) {
        callingCode = Int(found.calling_code)
        national = Country.text(found.national)
        let region = Country.text(found.region)
        self.region = region.isEmpty ? nil : region
        self.extension = Country.text(found.extension)
    }
}
