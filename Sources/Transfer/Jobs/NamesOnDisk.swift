import Basics
import Glibc

/// The names of a folder's entries on one disk: the offered names, except where the disk doesn't take them. The same
/// list always gives the same names, so they are not stored. It belongs to one thread.
package final class NamesOnDisk {
    private let manifest: Manifest
    private let files: any FileLayer
    /// Whether the disk drops dots at the end of a name, as FAT does. A name with such dots then leads to another file.
    private let dropsDots: Bool
    /// The entries that are called something else here.
    private(set) var others: [Int: String] = [:]
    private lazy var substitutes = Self.substitutes(manifest)

    init(_ manifest: Manifest, dropsDots: Bool, _ files: any FileLayer) {
        self.manifest = manifest
        self.dropsDots = dropsDots
        self.files = files
    }

    /// Makes the names for reading a complete folder at an absolute path. Blocking.
    package convenience init(_ manifest: Manifest, at path: String, _ files: any FileLayer = SystemFiles()) {
        let status = (try? files.status(path, in: AT_FDCWD)) ?? nil
        self.init(
            manifest, dropsDots: status.map { Self.dropsDots(path, in: AT_FDCWD, sameAs: $0, files) } ?? false, files)
    }

    /// Opens a file for reading, beneath the folder's descriptor and without following links.
    package func open(_ index: Int, in root: CInt) throws(FileError) -> CInt {
        try finding(index, in: root) { () throws(FileError) in
            try files.open(path(index), in: root, flags: O_RDONLY | O_NONBLOCK | O_NOCTTY, mode: 0)
        }
    }

    /// Whether the disk drops dots at the end of a name: then the name with a dot added leads to the same file or
    /// folder.
    static func dropsDots(_ name: String, in folder: CInt, sameAs status: FileStatus, _ files: any FileLayer) -> Bool {
        guard let other = try? files.status(name + ".", in: folder) else { return false }
        return other.isSame(as: status)
    }

    /// The path beneath the root, with the other names as far as they are known.
    func path(_ index: Int) -> String {
        guard !others.isEmpty else { return manifest.path(index) }
        return chain(index).map(name).joined(separator: "/")
    }

    /// The last component.
    func name(_ index: Int) -> String { others[index] ?? manifest.name(index) }

    /// The entries with another name, in the list's order.
    var renamed: [RenamedEntry] {
        others.sorted { $0.key < $1.key }.map { RenamedEntry(offered: manifest.path($0.key), name: $0.value) }
    }

    /// Makes an entry, under another name if the disk doesn't take the offered one. The folders above it must be there.
    /// - Parameter body: makes the entry under the name or path that this object gives for it; may be called again with
    ///   another name.
    func making<Value>(_ index: Int, _ body: () throws(FileError) -> Value) throws(FileError) -> Value {
        let offered = manifest.name(index)
        guard others[index] == nil, DiskName.isDoubtful(offered) else { return try body() }
        var refusal = FileError("make \(ForeignText.escaped(offered))", EINVAL)
        if !isOtherFile(offered) {
            do { return try body() } catch {
                guard DiskName.mayRefuse(error) else { throw error }
                refusal = error
            }
        }
        for substitute in substitutes[index] ?? [] {
            others[index] = substitute
            do { return try body() } catch {
                guard DiskName.mayRefuse(error) else { throw error }
            }
        }
        others[index] = nil
        throw refusal
    }

    /// Opens an entry that may have been made under another name before.
    func finding<Value>(_ index: Int, in root: CInt, _ body: () throws(FileError) -> Value) throws(FileError) -> Value {
        let doubtful = chain(index).filter { others[$0] == nil && DiskName.isDoubtful(manifest.name($0)) }
        guard !doubtful.isEmpty else { return try body() }
        if !doubtful.contains(where: { isOtherFile(manifest.name($0)) }) {
            do { return try body() } catch {
                guard DiskName.mayRefuse(error) else { throw error }
            }
        }
        for entry in doubtful { learn(entry, in: root) }
        return try body()
    }

    /// Looks for the first substitute that is on the disk, if the offered name isn't, and remembers it.
    private func learn(_ index: Int, in root: CInt) {
        let parent = manifest.parent(index)
        let folder: CInt
        if parent == 0 {
            folder = root
        } else {
            guard let opened = try? files.open(path(parent), in: root, flags: O_RDONLY | O_DIRECTORY, mode: 0) else {
                return
            }
            folder = opened
        }
        defer { if folder != root { files.close(folder) } }
        func isThere(_ name: String) -> Bool { (try? files.status(name, in: folder)) ?? nil != nil }
        let offered = manifest.name(index)
        guard isOtherFile(offered) || !isThere(offered) else { return }
        others[index] = substitutes[index]?.first(where: isThere)
    }

    private func isOtherFile(_ name: String) -> Bool { dropsDots && name.hasSuffix(".") }

    /// The entries on the way from the root, which is not included, to this entry, which is.
    private func chain(_ index: Int) -> [Int] {
        var taken: [Int] = []
        var at = index
        while at > 0 {
            taken.append(at)
            at = manifest.parent(at)
        }
        return taken.reversed()
    }

    private struct Place: Hashable {
        let folder: Int
        let key: String
    }

    /// The names to try for each entry whose own name a disk may refuse. No two entries of a folder ever get the same
    /// name.
    private static func substitutes(_ manifest: Manifest) -> [Int: [String]] {
        let doubtful = (1..<max(1, manifest.count)).filter { DiskName.isDoubtful(manifest.name($0)) }
        let folders = Set(doubtful.map(manifest.parent))
        var taken: Set<Place> = []
        for index in 1..<max(1, manifest.count) where folders.contains(manifest.parent(index)) {
            taken.insert(Place(folder: manifest.parent(index), key: SafeName.clashKey(manifest.name(index))))
        }
        var names: [Int: [String]] = [:]
        for index in doubtful {
            let isFolder = manifest.kind(index) == .folder
            names[index] = DiskName.substitutes(manifest.name(index), isFolder: isFolder).map { name in
                let limit = name.utf8.count > DiskName.shortBytes ? TransferLimits.nameBytes : DiskName.shortBytes
                var (free, number) = (name, 0)
                while !taken.insert(
                    Place(folder: manifest.parent(index), key: SafeName.clashKey(free))
                ).inserted {
                    // The first number to try is the entry's own, so that many long names that begin alike are told
                    // apart at once.
                    number += number == 0 ? index : 1
                    free = SafeName.numbered(name, number, isFolder: isFolder, limit: limit)
                }
                return free
            }
        }
        return names
    }
}
