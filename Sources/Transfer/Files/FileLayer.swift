// Files: the receiving side's disk. All operations go through a `FileLayer`, beneath a folder's descriptor and without
// following links. So no name and no exchanged folder leads out of it, and tests can make any step fail.
import Basics
import CLinux
import Glibc

/// The identity and state of the file that a descriptor or name leads to.
public struct FileStatus: Hashable, Sendable {
    /// The kinds that a transfer distinguishes; `other` is never touched.
    public enum Kind: Hashable, Sendable { case file, folder, link, other }
    public let device: UInt64
    public let inode: UInt64
    public let kind: Kind
    public let size: UInt64
    public let mode: UInt16
    public let owner: UInt32
    public let links: UInt64
    /// The time of the content's last change, in nanoseconds since 1970.
    public let modified: Int64
    /// The kernel's own time of the last change, in nanoseconds since 1970; users can't set it.
    public let changed: Int64
    /// The number of 512-byte blocks on disk.
    public let blocks: UInt64
    /// The time when a folder was made, in nanoseconds since 1970; 0 for files, and where the file system doesn't tell.
    public let born: Int64

    /// - Parameter born: the time when it was made, if known.
    init(_ status: stat, born: Int64 = 0) {
        self.born = born
        device = UInt64(status.st_dev)
        inode = UInt64(status.st_ino)
        switch status.st_mode & S_IFMT {
        case S_IFREG: kind = .file
        case S_IFDIR: kind = .folder
        case S_IFLNK: kind = .link
        default: kind = .other
        }
        size = UInt64(clamping: status.st_size)
        mode = UInt16(truncatingIfNeeded: status.st_mode & 0o7777)
        owner = status.st_uid
        links = UInt64(status.st_nlink)
        modified = Self.nanoseconds(status.st_mtim)
        changed = Self.nanoseconds(status.st_ctim)
        blocks = UInt64(clamping: status.st_blocks)
    }

    /// Saturates, because some file systems have times after the year 2262.
    private static func nanoseconds(_ time: timespec) -> Int64 {
        let (product, overflow) = Int64(time.tv_sec).multipliedReportingOverflow(by: 1_000_000_000)
        let (sum, again) = product.addingReportingOverflow(Int64(time.tv_nsec))
        return overflow || again ? (time.tv_sec < 0 ? .min : .max) : sum
    }

    /// Whether device and inode are equal. This holds only while both are open: device numbers change when a file
    /// system is mounted again.
    public func isSame(as other: FileStatus) -> Bool { device == other.device && inode == other.inode }
}

/// What a synchronisation covers.
public enum SyncScope: Hashable, Sendable {
    /// fdatasync.
    case data
    /// fsync.
    case file
    /// syncfs: all files of that file system at once, far cheaper than thousands of single calls.
    case fileSystem
}

/// File operations of the receiving side. Descriptors are the system's; a name is relative to a folder's descriptor.
/// The transfer's thread and its checkpoint thread call them.
public protocol FileLayer: Sendable {
    /// Opens below `folder` (openat2: beneath it, no links on the way); O_CLOEXEC is added.
    func open(_ path: String, in folder: CInt, flags: CInt, mode: mode_t) throws(FileError) -> CInt
    /// Opens a folder by its absolute path.
    func openFolder(_ path: String) throws(FileError) -> CInt
    func close(_ descriptor: CInt)
    func status(_ descriptor: CInt) throws(FileError) -> FileStatus
    /// The status of the name itself, not of a link's target. Nil if there is no such name.
    func status(_ name: String, in folder: CInt) throws(FileError) -> FileStatus?
    func makeFolder(_ name: String, in folder: CInt) throws(FileError)
    /// Writes all bytes.
    func write(_ bytes: UnsafeRawBufferPointer, to descriptor: CInt, at offset: UInt64) throws(FileError)
    /// Reads as many bytes as fit; fewer at the end of the file.
    func read(
        into bytes: UnsafeMutableRawBufferPointer, from descriptor: CInt, at offset: UInt64
    ) throws(FileError) -> Int
    /// Reserves the space and sets the size.
    func reserve(_ descriptor: CInt, size: UInt64) throws(FileError)
    func truncate(_ descriptor: CInt, size: UInt64) throws(FileError)
    /// Makes a stretch read as zeros without taking space.
    func punch(_ descriptor: CInt, offset: UInt64, length: UInt64) throws(FileError)
    func synchronise(_ descriptor: CInt, _ scope: SyncScope) throws(FileError)
    /// Sets permission bits (nil leaves them) and the time of the last change (nanoseconds since 1970).
    func setAttributes(_ descriptor: CInt, mode: UInt16?, modified: Int64) throws(FileError)
    /// Gives what has a name in `source` another one in `folder` without replacing anything. Throws EEXIST if the new name
    /// is taken, and EINVAL, ENOSYS or EOPNOTSUPP if the disk can't rename without replacing.
    func rename(_ name: String, from source: CInt, to other: String, in folder: CInt) throws(FileError)
    /// Gives what is called `other` in `source` the name `name` in `folder`, and replaces the file or empty folder that has
    /// that name.
    func replace(_ name: String, in folder: CInt, by other: String, from source: CInt) throws(FileError)
    func remove(_ name: String, in folder: CInt, isFolder: Bool) throws(FileError)
    /// Bytes that an ordinary user may still use.
    func freeBytes(_ descriptor: CInt) throws(FileError) -> UInt64
}

extension FileLayer {
    /// Renames within a folder.
    func rename(_ name: String, to other: String, in folder: CInt) throws(FileError) {
        try rename(name, from: folder, to: other, in: folder)
    }
}

/// The system's file operations.
public struct SystemFiles: FileLayer {
    public init() {}

    public func open(_ path: String, in folder: CInt, flags: CInt, mode: mode_t) throws(FileError) -> CInt {
        try check("open") { kibo_open_beneath(folder, path, flags, mode) }
    }

    public func openFolder(_ path: String) throws(FileError) -> CInt {
        try check(FileError.openingFolder) { Glibc.open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC) }
    }

    public func close(_ descriptor: CInt) { _ = Glibc.close(descriptor) }

    public func status(_ descriptor: CInt) throws(FileError) -> FileStatus {
        var result = stat()
        _ = try check("stat") { fstat(descriptor, &result) }
        return FileStatus(result, born: Self.born(result, descriptor, ""))
    }

    public func status(_ name: String, in folder: CInt) throws(FileError) -> FileStatus? {
        var result = stat()
        guard fstatat(folder, name, &result, AT_SYMLINK_NOFOLLOW) == 0 else {
            let code = errno
            if code == ENOENT { return nil }
            throw FileError("stat", code)
        }
        return FileStatus(result, born: Self.born(result, folder, name))
    }

    private static func born(_ status: stat, _ descriptor: CInt, _ name: String) -> Int64 {
        status.st_mode & S_IFMT == S_IFDIR ? kibo_born(descriptor, name) : 0
    }

    public func makeFolder(_ name: String, in folder: CInt) throws(FileError) {
        _ = try check("make folder") { mkdirat(folder, name, 0o700) }
    }

    public func write(_ bytes: UnsafeRawBufferPointer, to descriptor: CInt, at offset: UInt64) throws(FileError) {
        guard var position = off_t(exactly: offset) else { throw FileError("write", EFBIG) }
        var rest = bytes
        while !rest.isEmpty {
            let count = pwrite(descriptor, rest.baseAddress, rest.count, position)
            if count < 0 {
                let code = errno
                if code == EINTR { continue }
                throw FileError("write", code)
            }
            guard count > 0 else { throw FileError("write", EIO) }
            position += off_t(count)
            rest = UnsafeRawBufferPointer(rebasing: rest[count...])
        }
    }

    public func read(
        into bytes: UnsafeMutableRawBufferPointer, from descriptor: CInt, at offset: UInt64
    ) throws(FileError) -> Int {
        guard let position = off_t(exactly: offset) else { throw FileError("read", EFBIG) }
        var done = 0
        while done < bytes.count {
            let count = pread(
                descriptor, bytes.baseAddress?.advanced(by: done), bytes.count - done, position + off_t(done))
            if count < 0 {
                let code = errno
                if code == EINTR { continue }
                throw FileError("read", code)
            }
            if count == 0 { break }
            done += count
        }
        return done
    }

    public func reserve(_ descriptor: CInt, size: UInt64) throws(FileError) {
        guard let length = Int64(exactly: size) else { throw FileError("reserve", EFBIG) }
        guard length > 0 else { return }
        do {
            _ = try check("reserve") { kibo_fallocate(descriptor, 0, length) }
        } catch {
            // Not every file system can reserve; setting the size is enough.
            guard error.code == EOPNOTSUPP || error.code == ENOSYS else { throw error }
            try truncate(descriptor, size: size)
        }
    }

    public func truncate(_ descriptor: CInt, size: UInt64) throws(FileError) {
        guard let length = off_t(exactly: size) else { throw FileError("truncate", EFBIG) }
        _ = try check("truncate") { ftruncate(descriptor, length) }
    }

    public func punch(_ descriptor: CInt, offset: UInt64, length: UInt64) throws(FileError) {
        guard let start = Int64(exactly: offset), let count = Int64(exactly: length) else {
            throw FileError("punch hole", EFBIG)
        }
        guard count > 0 else { return }
        do {
            _ = try check("punch hole") { kibo_punch_hole(descriptor, start, count) }
        } catch {
            guard error.code == EOPNOTSUPP || error.code == ENOSYS else { throw error }
            try writeZeros(descriptor, offset: offset, length: length)
        }
    }

    public func synchronise(_ descriptor: CInt, _ scope: SyncScope) throws(FileError) {
        try checkIfPossible("synchronise", on: descriptor) {
            switch scope {
            case .data: fdatasync(descriptor)
            case .file: fsync(descriptor)
            case .fileSystem: kibo_syncfs(descriptor)
            }
        }
    }

    public func setAttributes(_ descriptor: CInt, mode: UInt16?, modified: Int64) throws(FileError) {
        if let mode { try checkIfPossible("set mode", on: descriptor) { fchmod(descriptor, mode_t(mode & 0o777)) } }
        let (seconds, rest) = modified.quotientAndRemainder(dividingBy: 1_000_000_000)
        let nanoseconds = rest < 0 ? rest + 1_000_000_000 : rest
        let time = timespec(tv_sec: Int(rest < 0 ? seconds - 1 : seconds), tv_nsec: Int(nanoseconds))
        let times = [time, time]
        try checkIfPossible("set time", on: descriptor) { futimens(descriptor, times) }
    }

    public func rename(_ name: String, from source: CInt, to other: String, in folder: CInt) throws(FileError) {
        _ = try check("rename") { kibo_rename_noreplace(source, name, folder, other) }
    }

    public func replace(_ name: String, in folder: CInt, by other: String, from source: CInt) throws(FileError) {
        _ = try check("rename") { renameat(source, other, folder, name) }
    }

    public func remove(_ name: String, in folder: CInt, isFolder: Bool) throws(FileError) {
        _ = try check("remove") { unlinkat(folder, name, isFolder ? AT_REMOVEDIR : 0) }
    }

    public func freeBytes(_ descriptor: CInt) throws(FileError) -> UInt64 {
        var result = statvfs()
        _ = try check("statvfs") { fstatvfs(descriptor, &result) }
        return result.freeBytes
    }

    private func writeZeros(_ descriptor: CInt, offset: UInt64, length: UInt64) throws(FileError) {
        let zeros = [UInt8](repeating: 0, count: TransferLimits.readAheadBytes)
        var done: UInt64 = 0
        while done < length {
            let count = Int(min(UInt64(zeros.count), length - done))
            var failure: FileError?
            zeros.withUnsafeBytes { bytes in
                do throws(FileError) {
                    try write(UnsafeRawBufferPointer(rebasing: bytes[..<count]), to: descriptor, at: offset + done)
                } catch { failure = error }
            }
            if let failure { throw failure }
            done += UInt64(count)
        }
    }

    /// Network and foreign file systems lack some calls: for modes, times, or the synchronisation of a folder. A file
    /// without them is still whole.
    private func checkIfPossible(
        _ operation: String, on descriptor: CInt, _ call: () -> CInt
    ) throws(FileError) {
        do { _ = try check(operation, call) } catch {
            let isLacking = [EINVAL, ENOSYS, EOPNOTSUPP].contains(error.code)
            // Where the mount makes up the owner, that may be somebody else.
            guard isLacking || error.code == EPERM && !FileNumbers.last(at: descriptor) else { throw error }
        }
    }

    private func check(_ operation: String, _ call: () -> CInt) throws(FileError) -> CInt {
        while true {
            let result = call()
            if result >= 0 { return result }
            let code = errno
            if code != EINTR { throw FileError(operation, code) }
        }
    }
}
