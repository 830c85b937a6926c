import Vocabulary

/// Decides which types of files are allowed, by their names' extensions.
///
/// This folder (`Files`) decides which files go and come, and what is known of them: by name, size and content, by
/// their senders, and by how much room there is.
package struct FileTypes: Hashable, Sendable {
    /// Whether anything goes, even a name without an extension. Contents are then not looked at.
    package let isUnlimited: Bool
    /// Whether any name goes, because the user has said so for this once. The content must still be what the name says.
    private var hasEveryName = false
    /// Whether names without a usual type go, whatever the content is: such a name says nothing that could be wrong.
    private var hasNameless = false
    private var allowed: Set<String>

    /// - Parameter list: extensions without dot in any case, or `*` among them for anything.
    package init(_ list: [String]) {
        isUnlimited = list.contains("*")
        allowed = Set(list.map { Self.canonical($0.lowercased()) })
    }

    /// The same types, and in addition files of any name.
    package var withEveryName: FileTypes {
        var types = self
        (types.hasEveryName, types.hasNameless) = (true, true)
        return types
    }

    /// The same types, and in addition those of an offer.
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

    /// Whether files of a type that an offer names may go.
    package func allows(unlisted type: String) -> Bool {
        isUnlimited || (type.isEmpty ? hasNameless : hasEveryName || allowed.contains(Self.canonical(type)))
    }

    /// Whether a file of that name may have any content.
    package func acceptsUnread(name: String) -> Bool {
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
