import Basics
import CLinux
import Glibc
import Store
import Transfer

/// A received file that may be removed for its age. It is removed only if it is without doubt the file that we made,
/// and was not used since. A file in doubt stays.
package enum KeptFile {
    package enum Verdict: Equatable {
        case removed
        /// The file is not old enough, or the system can't tell.
        case stays
        /// The file has another time of use (nanoseconds since 1970) than when it was last looked at.
        case used(at: Int64)
        /// The file is another one, or somewhere else, or gone: it is not ours to remove, now or ever.
        case notOurs
    }

    /// What a file system says about times of use.
    struct Mount {
        let flags: UInt
        let type: Int64

        /// Whether the times of use mean anything. They don't if nobody writes them (`noatime`, read-only), nor on
        /// network and user-space file systems, which may make them up.
        var tellsUse: Bool {
            flags & (Self.readOnly | Self.noAccessTimes) == 0 && !Self.others.contains(type)
        }

        /// ST_RDONLY and ST_NOATIME of statvfs(3).
        private static let readOnly: UInt = 1
        private static let noAccessTimes: UInt = 1024
        /// NFS, CIFS, SMB2, FUSE, 9p (statfs(2)).
        private static let others: Set<Int64> = [0x6969, 0xFF53_4D42, 0xFE53_4D42, 0x6573_5546, 0x0102_1997]
    }

    /// Whether a file was put directly into the directory.
    static func lies(_ row: TransferRow, in directory: String) -> Bool {
        guard let path = row.path, let slash = path.lastIndex(of: "/") else { return false }
        var directory = directory[...]
        while directory.count > 1, directory.last == "/" { directory = directory.dropLast() }
        return path[..<slash] == directory
    }

    /// Looks at a file and removes it if it is old.
    /// - Parameter old: the stamp up to which a file counts as old.
    package static func look(_ file: KeptFileRow, old: Int64) -> Verdict {
        remove(file.transfer, lastUse: file.lastUse, isOld: (file.since ?? .max) <= old)
    }

    /// The stamp from which on a file with this time of use counts as unused. If the time has changed since the last
    /// look, that is now, whatever time the system wrote down. At the first look we have only that time: it counts as
    /// far as the clock can be trusted, and not before the file's message came.
    package static func since(_ file: KeptFileRow, usedAt time: Int64, in transaction: WriteTransaction) -> Int64 {
        guard file.lastUse == nil, let cameAt = file.cameAt, let finishedAt = file.transfer.finishedAt else {
            return transaction.stamp
        }
        let used = max(WallTime(milliseconds: time / 1_000_000), finishedAt)
        return max(transaction.stamp(at: used), min(cameAt, transaction.stamp))
    }

    /// Removes the file of a transfer if it is old and was not used since it was last looked at. Blocking.
    /// - Parameters:
    ///   - lastUse: its time of use when it was last looked at.
    ///   - isOld: whether it has been known to be unused for long enough.
    package static func remove(_ row: TransferRow, lastUse: Int64?, isOld: Bool) -> Verdict {
        guard let path = row.path, let slash = path.lastIndex(of: "/"), row.kind != .folder,
            row.direction == .incoming, row.state == .done
        else { return .notOurs }
        let folder = open(slash == path.startIndex ? "/" : String(path[..<slash]), O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard folder >= 0 else { return .stays }
        defer { close(folder) }
        let name = String(path[path.index(after: slash)...])
        var system = statvfs()
        guard let age = look(name, in: folder) else { return errno == ENOENT ? .notOurs : .stays }
        guard isOurs(age, row) else { return .notOurs }
        // Ask the folder's file system. Only a bind could make the file a mount of its own, and that keeps the times.
        guard fstatvfs(folder, &system) == 0 else { return .stays }
        let mount = Mount(flags: system.f_flag, type: kibo_file_system_type(folder))
        guard mount.tellsUse else { return .stays }
        guard age.accessed == lastUse else { return .used(at: age.accessed) }
        guard isOld else { return .stays }
        return moveAside(name, row, in: folder)
    }

    /// Renames the file aside first: if another file took its name since we looked, that file gets the name back.
    private static func moveAside(_ name: String, _ row: TransferRow, in folder: CInt) -> Verdict {
        let aside = SafeName.part(row.id)
        guard FinalName.move(name, to: aside, in: folder) else { return .stays }
        guard let age = look(aside, in: folder), isOurs(age, row) else {
            _ = FinalName.move(aside, to: name, in: folder)
            return .notOurs
        }
        guard unlinkat(folder, aside, 0) == 0 else {
            _ = FinalName.move(aside, to: name, in: folder)
            return .stays
        }
        return .removed
    }

    private static func look(_ name: String, in folder: CInt) -> FileAge? {
        var status = stat()
        guard fstatat(folder, name, &status, AT_SYMLINK_NOFOLLOW) == 0 else { return nil }
        return FileAge(status)
    }

    /// Compares inode, size and time of the last change of the content, and checks that the file has no second name.
    private static func isOurs(_ age: FileAge, _ row: TransferRow) -> Bool {
        age.isFile && age.links == 1 && age.inode == row.finalIno && age.size == row.size
            && age.modified == row.life.finalModified
    }
}
