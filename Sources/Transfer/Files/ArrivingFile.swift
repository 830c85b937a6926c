import Basics
import CLinux
import Glibc
import Threads

/// A file that comes from elsewhere than a peer, in one piece, written by another process, and that gets its name when all of it
/// is here. Until then it has a name that no received file may have, by which it is found after a crash. All calls block.
public final class ArrivingFile: Sendable {
    private struct State {
        var descriptor: CInt
        var part: String
        /// The directory in which new directories are made around the file, until it gets its name.
        var stage: String?
    }

    private let files: any FileLayer
    private let folder: CInt
    private let directory: String
    private let state: Lock<State>

    /// The descriptor: for writing, and after ``seal(size:reserve:)`` for reading. It is closed with this object.
    public var descriptor: CInt { state.withLock { $0.descriptor } }

    /// Makes the file.
    /// - Parameters:
    ///   - owner: marks the files of one owner among others in the same directory: up to 32 letters and digits.
    ///   - number: tells the files of an owner apart.
    /// - Throws: the call that failed.
    public convenience init(in directory: String, owner: String, number: UInt64) throws(FileError) {
        try self.init(in: directory, owner: owner, number: number, files: SystemFiles())
    }

    init(in directory: String, owner: String, number: UInt64, files: any FileLayer) throws(FileError) {
        self.files = files
        folder = try files.openFolder(directory)
        self.directory = directory
        let part = Self.prefix(owner) + String(number) + SafeName.partSuffix
        do throws(FileError) {
            let file = try files.open(part, in: folder, flags: O_RDWR | O_CREAT | O_EXCL, mode: 0o600)
            state = Lock(State(descriptor: file, part: part))
        } catch {
            files.close(folder)
            throw error
        }
    }

    deinit {
        close(descriptor)
        close(folder)
    }

    private static let stageSuffix = "-folder" + SafeName.partSuffix
    private static func prefix(_ owner: String) -> String { ".guest-\(owner)-" }

    /// Its length now.
    public var size: Int64 {
        var status = stat()
        return fstat(descriptor, &status) == 0 ? Int64(status.st_size) : -1
    }

    /// Makes sure that nobody can change it any more who was given the descriptor: what is looked at from here on is what is kept.
    /// - Parameters:
    ///   - size: the bytes that it must have.
    ///   - reserve: the bytes that must stay free where a copy has to be made.
    /// - Throws: the call that failed; ESTALE if the size is another, ENOSPC without room for a copy.
    public func seal(size: Int64, reserve: UInt64) throws(FileError) {
        let files = SystemFiles()
        try state.withLock { state throws(FileError) in
            let reading = try files.open(state.part, in: folder, flags: O_RDONLY, mode: 0)
            guard let before = try? files.status(state.descriptor), let now = try? files.status(reading),
                now.isSame(as: before)
            else {
                close(reading)
                throw FileError("find the part again", ESTALE)
            }
            close(state.descriptor)
            state.descriptor = reading
            guard now.size == UInt64(clamping: size) else { throw FileError("keep", ESTALE) }
            // Granted only while nobody has it open for writing (fcntl(2)).
            if kibo_lease(reading, true) == 0 {
                _ = kibo_lease(reading, false)
                return
            }
            // Somebody has, or the disk knows no leases: what counts is a copy.
            let (needed, overflow) = now.size.addingReportingOverflow(reserve)
            let free = try files.freeBytes(folder)
            guard !overflow, free == .max || free >= needed else { throw FileError("copy", ENOSPC) }
            try copy(&state, files)
        }
    }

    private func copy(_ state: inout State, _ files: SystemFiles) throws(FileError) {
        let name = String(state.part.dropLast(SafeName.partSuffix.count)) + "-copy" + SafeName.partSuffix
        let copy = try files.open(name, in: folder, flags: O_RDWR | O_CREAT | O_EXCL, mode: 0o600)
        var status = stat()
        var done: off_t = 0
        var code: CInt = fstat(state.descriptor, &status) == 0 ? 0 : errno
        var buffer = [UInt8](repeating: 0, count: 1 << 20)
        while code == 0, done < status.st_size {
            let count = pread(state.descriptor, &buffer, min(buffer.count, Int(status.st_size - done)), done)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else {
                code = count < 0 ? errno : ESTALE
                break
            }
            var written = 0
            while written < count, code == 0 {
                let more = buffer.withUnsafeBytes {
                    write(copy, $0.baseAddress?.advanced(by: written), count - written)
                }
                if more > 0 { written += more } else if errno != EINTR { code = errno }
            }
            done += off_t(count)
        }
        guard code == 0 else {
            close(copy)
            unlinkat(folder, name, 0)
            throw FileError("copy", code)
        }
        close(state.descriptor)
        unlinkat(folder, state.part, 0)
        state = State(descriptor: copy, part: name)
    }

    // MARK: Its end

    /// Makes the content durable, and gives the file its name, or one with a number if that is taken; nothing is ever replaced.
    /// - Parameters:
    ///   - name: one that ``SafeName`` has no problem with.
    ///   - mode: the permissions that it gets.
    /// - Returns: the path.
    /// - Throws: the call that failed; the file is still there then.
    public func finish(as name: String, mode: UInt16) throws(FileError) -> String {
        try makeReady(mode)
        let given = try giveName(name, in: folder)
        // The name is there; where it can't be made durable, it is there until a power cut.
        try? files.synchronise(folder, .file)
        return path(of: given)
    }

    /// Does the same within a folder that comes with the file. What is missing of the directories is made out of sight and gets
    /// its place with the file in it, so that a crash leaves no empty ones.
    /// - Parameters:
    ///   - root: the outermost folder.
    ///   - folders: those between it and the file, by names that ``SafeName`` has no problem with. A directory
    ///     of such a name that was made for no other folder is used.
    ///   - directoryMode: the permissions of directories that are made.
    /// - Returns: the path of the outermost directory.
    /// - Throws: the call that failed; only ``remove()`` may follow then.
    public func finish(
        as name: String, mode: UInt16, in root: ArrivingFolder, below folders: [String], directoryMode: UInt16
    ) throws(FileError) -> String {
        try makeReady(mode)
        var rootName: String?
        // How many of the folders are there.
        var depth = 0
        var place = folder
        defer { if place != folder { files.close(place) } }
        if let made = try root.open(in: folder, files) {
            place = made.descriptor
            rootName = made.name
            while depth < folders.count, let below = try root.open(Array(folders[...depth]), in: place, files) {
                files.close(place)
                place = below
                depth += 1
            }
        }
        let missing = (rootName == nil ? [root.name] : []) + folders[depth...]
        if !missing.isEmpty {
            var (names, status) = try build(missing, around: name, in: place, mode: directoryMode)
            if rootName == nil {
                let given = names.removeFirst()
                rootName = given
                root.isAt(given, status)
            }
            for (index, name) in zip(depth..., names) { root.isAt(Array(folders[...index]), name) }
        } else {
            _ = try giveName(name, in: place)
        }
        try? files.synchronise(place, .file)
        return path(of: rootName ?? root.name)
    }

    private func makeReady(_ mode: UInt16) throws(FileError) {
        guard fchmod(descriptor, mode_t(mode)) == 0 || errno == EPERM else { throw FileError("chmod", errno) }
        try files.synchronise(descriptor, .file)
    }

    private func giveName(_ name: String, in place: CInt) throws(FileError) -> String {
        try FinalName.giveFree(
            name, to: state.withLock { $0.part }, from: folder, in: place, isFolder: false, files)
    }

    private func path(of name: String) -> String {
        directory.hasSuffix("/") ? directory + name : directory + "/" + name
    }

    /// Makes directories one in the other, with the file in the innermost, and then gives the outermost its name.
    /// - Parameters:
    ///   - wanted: their names, the outermost first.
    ///   - place: where the outermost gets its name.
    /// - Returns: the names that they have, and which directory the outermost is.
    private func build(
        _ wanted: [String], around name: String, in place: CInt, mode: UInt16
    ) throws(FileError) -> (names: [String], status: FileStatus) {
        let part = state.withLock { $0.part }
        let stage = String(part.dropLast(SafeName.partSuffix.count)) + Self.stageSuffix
        try files.makeFolder(stage, in: folder)
        state.withLock { $0.stage = stage }
        var chain = [try ArrivingFolder.openNew(stage, in: folder, mode: mode, files)]
        defer { for directory in chain { files.close(directory) } }
        var innermost = chain[0]
        let status = try files.status(innermost)
        var names: [String] = []
        for name in wanted.dropFirst() {
            let made = try ArrivingFolder.make(name, in: innermost, files)
            names.append(made)
            innermost = try ArrivingFolder.openNew(made, in: innermost, mode: mode, files)
            chain.append(innermost)
        }
        _ = try giveName(name, in: innermost)
        for directory in chain { try? files.synchronise(directory, .file) }
        let given = try FinalName.giveFree(wanted[0], to: stage, from: folder, in: place, isFolder: true, files)
        state.withLock { $0.stage = nil }
        return ([given] + names, status)
    }

    /// Removes what has come.
    public func remove() {
        let (part, stage) = state.withLock { ($0.part, $0.stage) }
        unlinkat(folder, part, 0)
        if let stage { try? Removal.remove(stage, in: folder) }
    }

    /// Removes what a crash has left in a directory. None of this owner's files may be under way.
    public static func sweep(_ directory: String, owner: String) {
        guard let folder = opendir(directory) else { return }
        defer { closedir(folder) }
        var names: [String] = []
        while let entry = readdir(folder) {
            let name = withUnsafePointer(to: entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if name.hasPrefix(prefix(owner)), name.hasSuffix(SafeName.partSuffix) { names.append(name) }
        }
        for name in names {
            if unlinkat(dirfd(folder), name, 0) == 0 || !name.hasSuffix(stageSuffix) { continue }
            try? Removal.remove(name, in: dirfd(folder))
        }
    }
}
