import Transfer

/// The name of a file as a device offers it, or gets it, with the folders before it.
package struct OfferedName: Sendable {
    /// The outermost folder as it was named; nil for a file in none. Files belong together whose folder was named by the same bytes.
    let root: [UInt8]?
    /// The safe names of the folders before it, the outermost first.
    package let folders: [String]
    /// The safe name of the file.
    package let name: String

    /// The folders as they are shown; nil for a file in none.
    package var folder: String? { folders.isEmpty ? nil : folders.joined(separator: "/") }

    /// The names of the files of an offer. Once they have named as many folders as an offer may have, files lie in their outermost
    /// folders: each folder costs a directory that has to be synchronised.
    static func all(_ offered: [String]) -> [OfferedName] {
        // Two outermost folders never share a directory, whatever their safe names are.
        var known: Set<[[UInt8]]> = []
        return offered.map { text in
            let name = OfferedName(text, depth: GuestLimits.folders)
            guard let root = name.root else { return name }
            let path = [root] + name.folders.dropFirst().map { Array($0.utf8) }
            let new = path.indices.map { Array(path[...$0]) }.filter { !known.contains($0) }
            guard new.isEmpty || known.count + new.count <= GuestLimits.foldersOfOffer else {
                return OfferedName(text, depth: 1)
            }
            known.formUnion(new)
            return name
        }
    }

    /// - Parameters:
    ///   - offered: any characters at all. Nothing that is made from it leads out of a directory.
    ///   - depth: the most folders; a file that was deeper goes into the last of these.
    package init(_ offered: String, depth: Int = .max) {
        // By bytes, because a slash and an accent after it are one character, which is no slash.
        let parts = offered.utf8.split(separator: UInt8(ascii: "/"))
            .filter { !$0.elementsEqual(".".utf8) && !$0.elementsEqual("..".utf8) }
        guard let last = parts.last else {
            (root, folders, name) = (nil, [], SafeName.made(from: offered))
            return
        }
        let before = parts.dropLast()
        root = before.first.map { Array($0) }
        folders = before.prefix(depth).map { SafeName.made(from: String(decoding: $0, as: UTF8.self)) }
        name = SafeName.made(from: String(decoding: last, as: UTF8.self))
    }
}
