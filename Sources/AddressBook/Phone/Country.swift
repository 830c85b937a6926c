import CText

/// A country of the telephone network.
public struct Country: Hashable, Sendable {
    /// ISO 3166-1 alpha-2, such as `DE`.
    public let region: String
    /// Its prefix in international numbers, such as 49. Several countries may share one.
    public let callingCode: Int
    /// The digits dialled before a national number within the country, which are no part of it; empty for none.
    public let trunkPrefix: String
    /// The country's name in English.
    public let name: String

    /// All countries, in order of ``region``.
    public static let all: [Country] = {
        let count = kibo_countries(nil, 0)
        var table = [kibo_country](repeating: kibo_country(), count: count)
        let filled = min(count, kibo_countries(&table, count))
        return table.prefix(filled).map { country in
            Country(
                region: text(country.region), callingCode: Int(country.calling_code),
                trunkPrefix: text(country.trunk_prefix), name: text(country.name))
        }
    }()

    /// Finds a country by `DE`, `de`, `+49`, `0049` or `49`, or by its English name; the main one if several share a
    /// code.
    public init?(_ text: String) {
        let word = String(text[...].trimmed())
        let digits = word.drop { $0 == "+" }
        if !digits.isEmpty, digits.utf8.allSatisfy({ UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }) {
            guard let code = Int32(digits) else { return nil }
            self.init(callingCode: code)
        } else {
            let lower = word.lowercased()
            guard
                let country = Self.all.first(where: { $0.region.lowercased() == lower || $0.name.lowercased() == lower }
                )
            else { return nil }
            self = country
        }
    }

    /// Finds the (main) country of a calling code; nil if it has none, such as the code of freephone numbers.
    public init?(callingCode: Int32) {
        var region: (CChar, CChar, CChar, CChar, CChar, CChar, CChar, CChar) = (0, 0, 0, 0, 0, 0, 0, 0)
        let isFound = withUnsafeMutableBytes(of: &region) { bytes in
            kibo_country_of_code(callingCode, bytes.baseAddress?.assumingMemoryBound(to: CChar.self)) != 0
        }
        let name = Self.text(region)
        guard isFound, let country = Self.all.first(where: { $0.region == name }) else { return nil }
        self = country
    }

    /// Finds a country by the value of LANG, LC_ALL or the like: `de_AT.UTF-8` is Austria. Nil where it names no
    /// country.
    public init?(locale: String) {
        let base = locale.prefix { $0 != "." && $0 != "@" }
        let parts = base.split(separator: "_")
        guard parts.count >= 2, let last = parts.last, last.count == 2 else { return nil }
        self.init(String(last))
    }

    private init(region: String, callingCode: Int, trunkPrefix: String, name: String) {
        self.region = region
        self.callingCode = callingCode
        self.trunkPrefix = trunkPrefix
        self.name = name
    }

    /// The text of a C array that ends in NUL.
    static func text<Characters>(_ array: Characters) -> String {
        withUnsafeBytes(of: array) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
    }
}
