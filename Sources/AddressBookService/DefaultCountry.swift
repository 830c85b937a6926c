import AddressBook
import Glibc

/// Where numbers without `+` are from, and how that is known.
struct DefaultCountry: Sendable {
    enum Source: String, Sendable { case parameter, profile, locale }

    let country: Country
    let source: Source

    /// The default where the client gives none: the country of the own number, else of the daemon's locale.
    /// - Parameter ownPhone: in E.164.
    init?(ownPhone: String?, environment: (String) -> String? = Self.environment) {
        if let ownPhone, case .number(let number) = PhoneNumber.read(ownPhone, in: nil),
            let country = number.region.flatMap({ Country($0) })
                ?? Country(callingCode: Int32(clamping: number.callingCode))
        {
            self.init(country: country, source: .profile)
            return
        }
        // This is the order in which programs look (locale(7)). The first variable that is set decides, whatever its
        // value.
        let set = ["LC_ALL", "LC_TELEPHONE", "LANG"].compactMap { environment($0) }.first { !$0.isEmpty }
        guard let set, let country = Country(locale: set) else { return nil }
        self.init(country: country, source: .locale)
    }

    init(country: Country, source: Source) {
        self.country = country
        self.source = source
    }

    static func environment(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }
}
