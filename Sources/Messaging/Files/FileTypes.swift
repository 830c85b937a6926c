/// Decides which types of files are allowed, by their names' extensions.
///
/// This folder (`Files`) decides which files go and come, and what is known of them: by name, size and content, by
/// their senders, and by how much room there is.
package struct FileTypes: Hashable, Sendable {
    /// Anything goes, also a name without an extension; contents are not looked at then.
    package let isUnlimited: Bool
    private let allowed: Set<String>

    /// - Parameter list: extensions without dot in any case, or `*` among them for anything.
    package init(_ list: [String]) {
        isUnlimited = list.contains("*")
        allowed = Set(list.map { Self.canonical($0.lowercased()) })
    }

    package func allows(name: String) -> Bool {
        if isUnlimited { return true }
        guard let type = Self.type(ofName: name) else { return false }
        return allowed.contains(type)
    }

    /// The extension in lower case; where it is written in several ways, the usual one. Nil for a name without one.
    package static func type(ofName name: String) -> String? {
        guard let dot = name.lastIndex(of: "."), dot != name.startIndex else { return nil }
        let type = name[name.index(after: dot)...]
        return type.isEmpty ? nil : canonical(type.lowercased())
    }

    private static func canonical(_ type: String) -> String { otherSpellings[type] ?? type }

    private static let otherSpellings = ["jpeg": "jpg", "jpe": "jpg", "tiff": "tif", "htm": "html", "mpeg": "mpg"]
}
