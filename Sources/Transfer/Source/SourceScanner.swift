import CLinux
import Glibc
import Vocabulary

/// The result of a scan: everything that an offer and a ``SendPlan`` need.
public struct ScannedSource: Sendable {
    /// Something left out: its path within the folder (escaped where it isn't UTF-8) and why.
    public struct Skipped: Hashable, Sendable {
        public let path: String
        public let cause: LeftOutCause
    }

    /// The last component of the path, or the name under which the source is offered instead.
    public private(set) var name: String
    public let kind: ManifestEntry.Kind
    /// The bytes of all files.
    public let size: UInt64
    /// The number of files, without folders.
    public let files: Int
    public let source: SourceList
    public let skipped: [Skipped]

    /// Offers the source under another name; on this disk it keeps its own.
    public mutating func rename(to name: String) { self.name = name }

    /// The entries in the manifest's order.
    public var entries: LazyMapCollection<Range<Int>, SourceEntry> { source.entries }
}

/// Scans what is to be sent. It blocks, so call it on a worker thread.
public enum SourceScanner {
    /// Why nothing can be offered.
    public enum Failure: Error, Hashable, Sendable, CustomStringConvertible {
        /// The path is not absolute. A daemon's working folder means nothing to a user.
        case relativePath
        case notFound
        case symbolicLink
        /// It is neither a file nor a folder.
        case special
        case name(SafeName.Problem)
        /// There are more than ``TransferLimits/entries``, or the names exceed ``TransferLimits/manifestPathBytes``.
        case tooManyEntries
        /// The size exceeds ``TransferLimits/transferBytes``.
        case tooLarge
        case io(FileError)

        /// The reason that the user is told.
        public var reason: Reason {
            switch self {
            case .relativePath, .special, .symbolicLink, .name: .invalid
            case .notFound: .notFound
            case .tooManyEntries, .tooLarge: .tooLarge
            case .io(let error): error.reason
            }
        }

        public var description: String {
            switch self {
            case .relativePath: "the path does not begin at the root"
            case .notFound: "there is no such file"
            case .symbolicLink: "it is a symbolic link"
            case .special: "it is neither a file nor a folder"
            case .name(let problem): problem.description
            case .tooManyEntries: "it has too many files"
            case .tooLarge: "it is too large"
            case .io(let error): error.description
            }
        }
    }

    /// Scans a file, or a folder with everything below it. Links are never followed, not even as the path's last
    /// component.
    /// - Parameter leavesOut: whether a file in a folder is not to be sent; gets the folder's descriptor and the file's
    ///   name.
    public static func scan(
        _ path: String, leavesOut: @escaping (CInt, String) -> Bool = { _, _ in false }
    ) throws(Failure) -> ScannedSource {
        guard path.utf8.first == UInt8(ascii: "/") else { throw .relativePath }
        var trimmed = path[...]
        while trimmed.utf8.count > 1, trimmed.utf8.last == UInt8(ascii: "/") { trimmed.removeLast() }
        let name = String(
            trimmed[(trimmed.lastIndex(of: "/").map { trimmed.index(after: $0) } ?? trimmed.startIndex)...])
        if let problem = SafeName.problem(name) { throw .name(problem) }
        let descriptor = try openRoot(String(trimmed))
        defer { close(descriptor) }
        let status: FileStatus
        do { status = try SystemFiles().status(descriptor) } catch { throw .io(error) }
        var walk = Walk(leavesOut: leavesOut)
        switch status.kind {
        case .file: try walk.add("", path: "", in: 0, .file, status)
        case .folder:
            try walk.add("", path: "", in: 0, .folder, status)
            try walk.folder(descriptor, number: 0, path: "", depth: 0)
        case .link, .other: throw .special
        }
        return try walk.result(name: name, kind: status.kind == .folder ? .folder : .file)
    }

    private static func openRoot(_ path: String) throws(Failure) -> CInt {
        // O_NONBLOCK is set because opening a pipe must not wait for its writer.
        let descriptor = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
        guard descriptor < 0 else { return descriptor }
        switch errno {
        case ENOENT, ENOTDIR: throw .notFound
        case ELOOP: throw .symbolicLink
        case ENXIO: throw .special
        case let code: throw .io(FileError("open", code))
        }
    }
}

/// The state of one scan.
private struct Walk {
    let leavesOut: (CInt, String) -> Bool
    private var builder = ManifestBuilder()
    private var identities = SourceIdentities()
    private var skipped: [ScannedSource.Skipped] = []

    init(leavesOut: @escaping (CInt, String) -> Bool) { self.leavesOut = leavesOut }

    /// Takes an entry, or notes why it must be left out.
    /// - Parameter folder: the number of the containing folder's entry.
    mutating func add(
        _ name: String, path: String, in folder: Int, _ kind: ManifestEntry.Kind, _ status: FileStatus
    ) throws(SourceScanner.Failure) {
        do {
            try builder.append(
                parent: UInt64(folder), name: name, kind: kind, size: status.size, mode: status.mode,
                modified: status.modified)
            identities.append(SourceIdentity(status))
        } catch {
            switch error {
            case .clash: skip(path, .clash)
            case .name: skip(path, .name)
            case .tooDeep, .pathTooLong: skip(path, .tooDeep)
            case .tooManyEntries, .namesTooLong: throw .tooManyEntries
            case .tooLarge: throw .tooLarge
            case .root, .parent, .malformed: skip(path, .unreadable)
            }
        }
    }

    /// Takes everything in a folder in the order of its names' bytes, so that the same folder gives the same manifest.
    mutating func folder(
        _ descriptor: CInt, number: Int, path: String, depth: Int
    ) throws(SourceScanner.Failure) {
        for bytes in try names(in: descriptor).sorted(by: { $0.lexicographicallyPrecedes($1) }) {
            guard let name = String(validating: bytes, as: UTF8.self) else {
                skip(join(path, String(decoding: bytes, as: UTF8.self)), .name)
                continue
            }
            try item(name, in: descriptor, number: number, path: join(path, name), depth: depth)
        }
    }

    private mutating func item(
        _ name: String, in folder: CInt, number: Int, path: String, depth: Int
    ) throws(SourceScanner.Failure) {
        guard let status = try? SystemFiles().status(name, in: folder) else { return skip(path, .unreadable) }
        switch status.kind {
        case .link: skip(path, .symbolicLink)
        case .other: skip(path, .special)
        case .file:
            guard faccessat(folder, name, R_OK, AT_EACCESS) == 0 else { return skip(path, .unreadable) }
            if leavesOut(folder, name) { return skip(path, .type) }
            try add(name, path: path, in: number, .file, status)
        case .folder:
            guard depth < TransferLimits.depth else { return skip(path, .tooDeep) }
            let below = kibo_open_beneath(folder, name, O_RDONLY | O_DIRECTORY, 0)
            guard below >= 0 else { return skip(path, .unreadable) }
            defer { close(below) }
            let count = builder.count
            try add(name, path: path, in: number, .folder, status)
            if builder.count > count {
                try self.folder(below, number: count, path: path, depth: depth + 1)
            }
        }
    }

    private func names(in descriptor: CInt) throws(SourceScanner.Failure) -> [[UInt8]] {
        // closedir closes the descriptor given to fdopendir, and the caller still needs its own.
        let copy = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
        guard copy >= 0 else { throw .io(FileError("list", errno)) }
        guard let stream = fdopendir(copy) else {
            let code = errno
            close(copy)
            throw .io(FileError("list", code))
        }
        defer { closedir(stream) }
        var names: [[UInt8]] = []
        while let item = readdir(stream) {
            let offset = MemoryLayout<dirent>.offset(of: \dirent.d_name) ?? 0
            let start = UnsafeRawPointer(item).advanced(by: offset).assumingMemoryBound(to: UInt8.self)
            let name = Array(
                UnsafeBufferPointer(
                    start: start, count: strlen(UnsafeRawPointer(start).assumingMemoryBound(to: CChar.self))))
            if name != [0x2E] && name != [0x2E, 0x2E] { names.append(name) }
            guard names.count <= TransferLimits.entries else { throw .tooManyEntries }
        }
        return names
    }

    consuming func result(name: String, kind: ManifestEntry.Kind) throws(SourceScanner.Failure) -> ScannedSource {
        let manifest: Manifest
        do { manifest = try builder.finish() } catch { throw .notFound }
        return ScannedSource(
            name: name, kind: kind, size: manifest.size, files: manifest.files,
            source: SourceList(manifest: manifest, identities: identities), skipped: skipped)
    }

    private mutating func skip(_ path: String, _ cause: LeftOutCause) {
        skipped.append(ScannedSource.Skipped(path: path, cause: cause))
    }

    private func join(_ folder: String, _ name: String) -> String { folder.isEmpty ? name : folder + "/" + name }
}
