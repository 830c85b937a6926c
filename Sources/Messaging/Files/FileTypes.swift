import Vocabulary

/// Decides which types of files are allowed, by their names' extensions.
///
/// This folder (`Files`) decides which files go and come, and what is known of them: by name, size and content, by
/// their senders, and by how much room there is.
package struct FileTypes: Hashable, Sendable {
    /// Anything goes, also a name without an extension; contents are not looked at then.
    package let isUnlimited: Bool
    /// Any name goes, while its content still has to be what it says: the user has said so for this once.
    private var hasEveryName = false
    /// Names without a usual type go, whatever is in them: such a name says nothing that could be wrong.
    private var hasNameless = false
    private var allowed: Set<String>

    /// - Parameter list: extensions without dot in any case, or `*` among them for anything.
    package init(_ list: [String]) {
        isUnlimited = list.contains("*")
        allowed = Set(list.map { Self.canonical($0.lowercased()) })
    }

    /// The same, and files of any name.
    package var withEveryName: FileTypes {
        var types = self
        (types.hasEveryName, types.hasNameless) = (true, true)
        return types
    }

    /// The same, and those types.
    /// - Parameter unlisted: as ``FileType/offered(_:)`` gives them.
    package func adding(_ unlisted: [String]) -> FileTypes {
        var types = self
        types.allowed.formUnion(unlisted.lazy.filter { !$0.isEmpty }.map(Self.canonical))
        if unlisted.contains("") { types.hasNameless = true }
        return types
    }

    package func allows(name: String) -> Bool {
        if isUnlimited || hasEveryName { return true }
        if hasNameless, FileType.offered(name).isEmpty { return true }
        guard let type = Self.type(ofName: name) else { return false }
        return allowed.contains(type)
    }

    /// Whether files of a type go that an offer names.
    package func allows(unlisted type: String) -> Bool {
        isUnlimited || (type.isEmpty ? hasNameless : hasEveryName || allowed.contains(Self.canonical(type)))
    }

    /// Whether a file of that name may have any content.
    package func takesUnread(name: String) -> Bool {
        isUnlimited || hasNameless && FileType.offered(name).isEmpty
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
