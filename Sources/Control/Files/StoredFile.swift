import Basics
import ControlProtocol
import Glibc
import Media
import Messaging
import Reactor
import Store
import Transfer
import Vocabulary

/// A whole file of a transfer, or of a folder in one, as it is on this host's disk.
struct StoredFile: Sendable {
    let name: String
    let size: Int64
    /// The type by the name, or as the sender says.
    let type: MediaType
    let origin: MediaOrigin
    let modified: WallTime
    let file: Descriptor

    /// Opens the file of a transfer. Blocking.
    /// - Parameter entry: which file of a folder, by its place in the list; nil for a single file.
    /// - Throws: a refusal of kind `not_found` if the file is not whole, was moved away, or is another file by now.
    init(_ id: UUIDv7, entry: Int64?, store: Store) throws {
        let (transfer, pages, isOfGuest) = try store.readAndWait { transaction in
            try (
                transaction.transfer(id), entry == nil ? nil : transaction.pages(of: id),
                GuestFiles.has(id, transaction)
            )
        }
        guard let row = transfer else { throw ControlError.noTransfer(id) }
        guard let path = row.path, row.life.removedAt == nil, row.direction == .outgoing || row.state == .done else {
            throw Self.gone
        }
        guard (row.kind == .folder) == (entry != nil) else {
            throw ControlError(
                .invalid, entry == nil ? "the transfer is a folder: name an entry" : "the transfer is a single file",
                field: "entry")
        }
        let origin = row.direction == .incoming ? MediaOrigin.peer(row.peer) : isOfGuest ? .guest : .own
        let root = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)
        guard root >= 0 else { throw Self.gone }
        let opened = Descriptor(adopting: root)
        guard let entry, let pages else {
            try self.init(
                opened, name: row.name, size: row.size, type: MediaType(name: row.mediaType, kind: row.kind),
                origin: origin)
            return
        }
        let manifest = try FolderList(pages).manifest
        guard let index = Int(exactly: entry), index > 0, index < manifest.count, manifest.kind(index) == .file else {
            throw ControlError(.notFound, "the folder has no file \(entry)", field: "entry")
        }
        let names = NamesOnDisk(manifest, at: path)
        guard let file = try? withExtendedLifetime(opened, { try names.open(index, in: opened.number) }) else {
            throw Self.gone
        }
        let name = manifest.name(index)
        try self.init(
            Descriptor(adopting: file), name: name, size: Int64(clamping: manifest.size(index)),
            type: MediaType(ofName: name), origin: origin)
    }

    /// Returns where a whole file or folder lies. Blocking.
    /// - Throws: a refusal of kind `not_found` if it is not whole, or was moved away.
    static func path(of id: UUIDv7, store: Store) throws -> String {
        guard let row = try store.readAndWait({ try $0.transfer(id) }) else { throw ControlError.noTransfer(id) }
        guard let path = row.path, row.life.removedAt == nil, row.direction == .outgoing || row.state == .done else {
            throw gone
        }
        var status = stat()
        let kind = row.kind == .folder ? S_IFDIR : S_IFREG
        guard lstat(path, &status) == 0, status.st_mode & S_IFMT == kind else { throw gone }
        return path
    }

    private init(_ file: Descriptor, name: String, size: Int64, type: MediaType, origin: MediaOrigin) throws {
        var status = stat()
        guard fstat(file.number, &status) == 0, status.st_mode & S_IFMT == S_IFREG, Int64(status.st_size) == size else {
            throw Self.gone
        }
        (self.file, self.name, self.size, self.type, self.origin) = (file, name, size, type, origin)
        modified = WallTime(
            milliseconds: Int64(status.st_mtim.tv_sec) * 1000 + Int64(status.st_mtim.tv_nsec) / 1_000_000)
    }

    static let gone = ControlError(.notFound, "the file is not here, or is another one by now")

    /// The media type of the file's content, as far as it can be told. Blocking.
    func mediaType(_ media: MediaProgram) -> String {
        guard [.image, .audio, .video].contains(type.kind) else { return type.name }
        return TypeInspector.content(of: file.number, from: origin, media)?.mediaType ?? "application/octet-stream"
    }
}

/// The list of a folder's files.
struct FolderList {
    let manifest: Manifest

    /// - Throws: a refusal of kind `not_found` if the list is gone, as those of old transfers are.
    init(_ pages: [TransferPageRow]) throws {
        guard !pages.isEmpty else {
            throw ControlError(.notFound, "the list of the folder's files is not here any more")
        }
        manifest = try Manifest(pages: pages.map(\.entries))
    }

    /// A page of its files.
    /// - Parameter after: the place of the last file of the page before.
    func entries(after: Int64, limit: Int) -> (entries: [JSONValue], next: Int64?) {
        var entries: [JSONValue] = []
        var last: Int64?
        let first = Int(min(max(0, after), Int64(manifest.count))) + 1
        for index in min(first, manifest.count)..<manifest.count where manifest.kind(index) == .file {
            guard entries.count < limit else { return (entries, last) }
            last = Int64(index)
            entries.append([
                "index": .integer(Int64(index)), "path": .string(manifest.path(index)),
                "size": .integer(Int64(clamping: manifest.size(index))),
                "kind": .string(MediaType(ofName: manifest.name(index)).kind.rawValue),
            ])
        }
        return (entries, nil)
    }
}
