import Basics
import CLinux
import ControlProtocol
import Glibc
import Reactor
import Runtime
import Transfer

/// The files of uploads, beneath the data directory: `uploads/ID/content/NAME`, and beside `content` what is known
/// about the upload (`about`), how long it has been here (`since`), and whether all of it is here (`finished`). The
/// folder is the truth: after a kill everything is read from it.
///
/// Its methods block. Names come checked; still, no link is followed.
struct UploadFiles: Sendable {
    /// An operation that the system refused.
    struct Failure: Error, CustomStringConvertible {
        let call: String
        let code: CInt
        var description: String { "\(call): \(describe(code))" }
        /// Whether the disk is full.
        var isFull: Bool { code == ENOSPC || code == EDQUOT }
    }

    let root: String

    init(data directory: String) { root = directory + "/uploads" }

    /// Where the bytes of an upload lie.
    func path(of record: UploadRecord) -> String { "\(folder(record.id))/content/\(record.name)" }

    private func folder(_ id: UUIDv7) -> String { "\(root)/\(id)" }

    /// The upload whose bytes lie there; nil for other paths.
    func upload(at path: String) -> UUIDv7? {
        guard path.hasPrefix(root + "/") else { return nil }
        return UUIDv7(String(path.dropFirst(root.utf8.count + 1).prefix { $0 != "/" }))
    }

    // MARK: Making

    func make(_ record: UploadRecord) throws {
        try Paths.makeDirectory(root)
        do {
            for path in [folder(record.id), "\(folder(record.id))/content"] {
                try check("mkdir", mkdir(path, 0o700))
            }
            if record.isFolder {
                try check("mkdir", mkdir(path(of: record), 0o700))
            } else {
                close(try create(path(of: record)))
            }
            // Written last: without it the upload doesn't count.
            try write(record.about.encoded, to: "\(folder(record.id))/about")
        } catch {
            remove(record.id)
            throw error
        }
    }

    /// Writes down since when an upload is here. If a kill cuts it short, it is not a number and doesn't count.
    func note(since stamp: Int64, of id: UUIDv7) throws {
        let path = "\(folder(id))/since"
        unlink(path)
        try write(Array("\(stamp)\n".utf8), to: path)
    }

    private func since(_ id: UUIDv7) -> Int64? {
        guard let text = try? Paths.readFile("\(folder(id))/since", limit: 64), text.last == UInt8(ascii: "\n") else {
            return nil
        }
        return Int64(String(decoding: text.dropLast(), as: UTF8.self))
    }

    private func create(_ path: String) throws -> CInt {
        try check("create", Glibc.open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600))
    }

    private func write(_ bytes: [UInt8], to path: String) throws {
        let file = try create(path)
        defer { close(file) }
        let count = Glibc.write(file, bytes, bytes.count)
        guard count == bytes.count else { throw Failure(call: "write", code: count < 0 ? errno : ENOSPC) }
    }

    /// The file of an upload, to be written at its end.
    func open(_ record: UploadRecord) throws -> (file: Descriptor, received: Int64) {
        let file = Descriptor(
            adopting: try check("open", Glibc.open(path(of: record), O_WRONLY | O_NOFOLLOW | O_CLOEXEC)))
        return (file, Int64(try check("seek", lseek(file.number, 0, SEEK_END))))
    }

    /// Bytes that are here of a file; 0 for none.
    func received(_ record: UploadRecord) -> Int64 {
        var status = stat()
        return lstat(path(of: record), &status) == 0 ? Int64(status.st_size) : 0
    }

    /// Free bytes of the disk; nil if that can't be told.
    func free() -> UInt64? {
        var figures = statvfs()
        return statvfs(root, &figures) == 0 ? figures.freeBytes : nil
    }

    // MARK: Finishing

    /// Makes an upload durable and says so.
    func finish(_ record: UploadRecord) throws {
        // The files of a folder are many, and all are on one disk.
        try synchronize(path(of: record)) { record.isFolder ? kibo_syncfs($0) : fsync($0) }
        try synchronize("\(folder(record.id))/about")
        try write([], to: "\(folder(record.id))/finished")
        for directory in ["\(folder(record.id))/content", folder(record.id), root] { try synchronize(directory) }
    }

    /// Makes small files and finishes them, either all or none. They are many and all on one disk, which is
    /// synchronised twice, so that no file is finished whose bytes aren't here.
    func make(_ small: [(record: UploadRecord, bytes: [UInt8])]) throws {
        do {
            for (record, bytes) in small {
                try make(record)
                let file = try open(record).file
                let count = Glibc.write(file.number, bytes, bytes.count)
                guard count == bytes.count else { throw Failure(call: "write", code: count < 0 ? errno : ENOSPC) }
            }
            try synchronize(root, by: kibo_syncfs)
            for (record, _) in small { try write([], to: "\(folder(record.id))/finished") }
            try synchronize(root, by: kibo_syncfs)
        } catch {
            for (record, _) in small { remove(record.id) }
            throw error
        }
    }

    private func synchronize(_ path: String, by means: (CInt) -> CInt = fsync) throws {
        let file = try check("open", Glibc.open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC))
        defer { close(file) }
        try check("sync", means(file))
    }

    /// Puts the file of a folder into its place.
    /// - Throws: a failure with `EEXIST` if there is something.
    func place(_ record: UploadRecord, in parent: UploadRecord) throws {
        let directory = try directory(of: record.place, in: parent)
        let source = "\(folder(record.id))/content/\(record.name)"
        try check("rename", kibo_rename_noreplace(AT_FDCWD, source, directory.number, record.name))
        remove(record.id)
    }

    /// The directory of a place in a folder; it is made if it is not there.
    private func directory(of place: [String], in parent: UploadRecord) throws -> Descriptor {
        var directory = Descriptor(
            adopting: try check(
                "open", Glibc.open(path(of: parent), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)))
        for name in place.dropLast() {
            if mkdirat(directory.number, name, 0o700) != 0, errno != EEXIST {
                throw Failure(call: "mkdir", code: errno)
            }
            directory = Descriptor(
                adopting: try check("open", kibo_open_beneath(directory.number, name, O_RDONLY | O_DIRECTORY, 0)))
        }
        return directory
    }

    /// The result of putting small files into a folder: how many are new, their bytes, and why no more are there.
    struct Put: Sendable {
        var files: Int64 = 0
        var bytes: Int64 = 0
        var failure: Failure?
    }

    /// Writes small files into their places in a folder, until one can't be written. They are synchronised with the folder.
    func put(_ files: [UploadTable.SmallFile], in parent: UploadRecord) -> Put {
        var done = Put()
        for file in files {
            do {
                guard try put(file, in: parent) else { continue }
                done.files += 1
                done.bytes += Int64(file.bytes.count)
            } catch {
                done.failure = error as? Failure ?? Failure(call: "write", code: EIO)
                break
            }
        }
        return done
    }

    /// - Returns: whether the file is new; a request whose answer was lost comes again.
    private func put(_ small: UploadTable.SmallFile, in parent: UploadRecord) throws -> Bool {
        guard let name = small.place.last else { return false }
        let directory = try directory(of: small.place, in: parent)
        let made = kibo_open_beneath(directory.number, name, O_WRONLY | O_CREAT | O_EXCL, 0o600)
        if made < 0, errno == EEXIST {
            guard holds(small.bytes, name, in: directory) else { throw Failure(call: "create", code: EEXIST) }
            return false
        }
        let file = Descriptor(adopting: try check("create", made))
        let count = Glibc.write(file.number, small.bytes, small.bytes.count)
        guard count == small.bytes.count else {
            let code = count < 0 ? errno : ENOSPC
            unlinkat(directory.number, name, 0)
            throw Failure(call: "write", code: code)
        }
        return true
    }

    /// Whether a file has these bytes and no others.
    private func holds(_ bytes: [UInt8], _ name: String, in directory: Descriptor) -> Bool {
        let number = kibo_open_beneath(directory.number, name, O_RDONLY | O_NONBLOCK | O_NOCTTY, 0)
        guard number >= 0 else { return false }
        let file = Descriptor(adopting: number)
        var there = [UInt8](repeating: 0, count: bytes.count + 1)
        let count = read(file.number, &there, there.count)
        return count == bytes.count && there.dropLast().elementsEqual(bytes)
    }

    /// Whether a folder has something in a place.
    func has(_ place: [String], in parent: UploadRecord) -> Bool {
        let directory = Glibc.open(path(of: parent), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        guard directory >= 0 else { return false }
        defer { close(directory) }
        let opened = kibo_open_beneath(
            directory, place.joined(separator: "/"), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY, 0)
        if opened >= 0 { close(opened) }
        return opened >= 0
    }

    // MARK: Removing

    /// Removes an upload with everything it has. What can't be removed now is removed when the daemon looks through all
    /// uploads.
    func remove(_ id: UUIDv7) { remove("\(id)") }

    private func remove(_ name: String) { try? Removal.remove(name, in: root) }

    /// The names in a folder.
    private static func names(in folder: CInt) -> [String] {
        // closedir closes the descriptor that fdopendir was given.
        let copy = fcntl(folder, F_DUPFD_CLOEXEC, 0)
        guard copy >= 0, let stream = fdopendir(copy) else {
            close(copy)
            return []
        }
        defer { closedir(stream) }
        var names: [String] = []
        while let entry = readdir(stream) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names
    }

    // MARK: After a start

    /// Reads all uploads that are here, and removes what a kill has left of others.
    func scan() -> [UploadRecord] {
        let folder = Glibc.open(root, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        guard folder >= 0 else { return [] }
        defer { close(folder) }
        var records: [UUIDv7: UploadRecord] = [:]
        for name in Self.names(in: folder) {
            guard let id = UUIDv7(name), id.description == name, let record = record(id) else {
                remove(name)
                continue
            }
            records[id] = record
        }
        // A file whose folder is gone or finished has nowhere to go.
        for record in records.values {
            guard let parent = record.parent, records[parent]?.isFolder != true || records[parent]?.isFinished == true
            else {
                continue
            }
            remove(record.id)
            records[record.id] = nil
        }
        return Array(records.values)
    }

    /// Nil where something is missing: a file was put into its folder, or a kill came while it was made.
    private func record(_ id: UUIDv7) -> UploadRecord? {
        guard let bytes = try? Paths.readFile("\(folder(id))/about", limit: ControlLimits.uploadAbout),
            let about = try? JSONParser.parse(bytes), var record = UploadRecord(id: id, about: about),
            access(path(of: record), F_OK) == 0
        else { return nil }
        record.since = since(id)
        record.isFinished = access("\(folder(id))/finished", F_OK) == 0
        if record.isFolder, !record.isFinished { count(path(of: record), into: &record) }
        return record
    }

    /// Counts the files of a folder and their bytes.
    private func count(_ path: String, into record: inout UploadRecord) {
        let folder = Glibc.open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        guard folder >= 0 else { return }
        defer { close(folder) }
        for name in Self.names(in: folder) {
            var status = stat()
            guard fstatat(folder, name, &status, AT_SYMLINK_NOFOLLOW) == 0 else { continue }
            if status.st_mode & S_IFMT == S_IFDIR {
                count(path + "/" + name, into: &record)
            } else {
                record.files += 1
                record.bytes += Int64(status.st_size)
            }
        }
    }

    @discardableResult
    private func check<Result: SignedInteger>(_ call: String, _ result: Result) throws -> Result {
        guard result >= 0 else { throw Failure(call: call, code: errno) }
        return result
    }
}
