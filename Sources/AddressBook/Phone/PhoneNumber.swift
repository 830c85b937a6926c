import CText

/// A complete telephone number, which means the same everywhere.
public struct PhoneNumber: Hashable, Sendable {
    /// The kind of line, by the number's range.
    public enum Kind: Hashable, Sendable { case mobile, fixed, other }

    /// The calling code of its country, such as 49.
    public let callingCode: Int
    /// The rest, without the digits dialled before it within the country. (In Italy the zero belongs to the number.)
    public let national: String
    /// ISO 3166-1 alpha-2 of the country; nil if there is no single country.
    public let region: String?
    /// Digits that are dialled after the number; empty for none.
    public let `extension`: String
    /// The kind of line. This is slow compared with reading a number, so ask only where it matters.
    public var kind: Kind {
        switch Int(kibo_phone_kind(e164)) {
        case KIBO_PHONE_MOBILE: .mobile
        case KIBO_PHONE_FIXED: .fixed
        default: .other
        }
    }

    /// `+` and digits, without the extension.
    public var e164: String { "+\(callingCode)\(national)" }

    /// The result of reading a text.
    public enum Reading: Hashable, Sendable {
        case number(PhoneNumber)
        /// The text has no `+`, and no country is given.
        case needsCountry
        /// The number works in its own country or town only, such as 110.
        case short
        /// The text is no number.
        case none
    }

    /// Reads a number as people write it, or the number of a `tel:` URI (RFC 3966) with its parameters.
    /// - Parameter country: the country of a number without `+`.
    public static func read(_ text: String, in country: Country?) -> Reading {
        let isShort =
            text.utf8.count <= AddressBookLimits.phoneCharacters || text.count <= AddressBookLimits.phoneCharacters
        guard isShort, !text.utf8.contains(0) else { return .none }
        var parsed = kibo_phone_number()
        switch Int(kibo_phone_read(text, country?.region ?? "ZZ", &parsed)) {
        case KIBO_PHONE_NUMBER:
            let number = PhoneNumber(parsed)
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
