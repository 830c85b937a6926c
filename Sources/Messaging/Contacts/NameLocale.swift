import Glibc

/// The locale by which names sort.
package enum NameLocale {
    /// What the environment of this daemon says; nil for none, or for one that has no language.
    package static let own: String? = of { getenv($0).map { String(cString: $0) } }

    /// Follows the rules of setlocale(3): the first of these that is set and not empty counts.
    package static func of(_ variable: (String) -> String?) -> String? {
        let value = ["LC_ALL", "LC_COLLATE", "LANG"].lazy.compactMap(variable).first { !$0.isEmpty } ?? ""
        let name = String(value.prefix { $0 != "." && $0 != "@" })
        return ["", "C", "POSIX"].contains(name) ? nil : name
    }
}
