import Basics
import Glibc
import Reactor
import Runtime
import Threads

/// Thumbnails on the disk, beneath the data directory. They can all be made again, and those not used for longest go
/// first. The methods block, and are for one thread.
final class ThumbnailCache: Sendable {
    private let folder: String
    /// Bytes of all thumbnails; nil until they are counted.
    private let bytes = Lock<Int64?>(nil)

    init(data directory: String) { folder = directory + "/thumbnails" }

    /// Opens the thumbnail with this name, which then counts as used; nil if it is not here.
    func open(_ name: String) -> Descriptor? {
        let file = Glibc.open("\(folder)/\(name)", O_RDONLY | O_NOFOLLOW | O_CLOEXEC)
        guard file >= 0 else { return nil }
        futimens(file, nil)
        return Descriptor(adopting: file)
    }

    /// Stores a thumbnail, and removes others if there are too many. Without room nothing is stored.
    func store(_ content: [UInt8], as name: String) {
        do throws(StartError) { try Paths.makeDirectory(folder) } catch { return }
        let path = "\(folder)/\(name)"
        let partial = path + ".new"
        unlink(partial)
        let file = Glibc.open(partial, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard file >= 0 else { return }
        let count = write(file, content, content.count)
        close(file)
        guard count == content.count, rename(partial, path) == 0 else {
            unlink(partial)
            return
        }
        let sum = bytes.withLock { $0 }.map { $0 + Int64(content.count) } ?? all().reduce(0) { $0 + $1.size }
        bytes.withLock { $0 = sum > ControlLimits.thumbnailCache ? shrink() : sum }
    }

    /// Removes the thumbnails not used for longest, until three quarters of the room are in use.
    private func shrink() -> Int64 {
        let entries = all().sorted { $0.usedAt < $1.usedAt }
        var sum = entries.reduce(0) { $0 + $1.size }
        for item in entries where sum > ControlLimits.thumbnailCache / 4 * 3 {
            unlink("\(folder)/\(item.name)")
            sum -= item.size
        }
        return sum
    }

    private func all() -> [(name: String, size: Int64, usedAt: Int64)] {
        guard let directory = opendir(folder) else { return [] }
        defer { closedir(directory) }
        var entries: [(name: String, size: Int64, usedAt: Int64)] = []
        while let entry = readdir(directory) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            var status = stat()
            guard !name.hasPrefix("."), fstatat(dirfd(directory), name, &status, AT_SYMLINK_NOFOLLOW) == 0 else {
                continue
            }
            entries.append((name, Int64(status.st_size), Int64(status.st_mtim.tv_sec)))
        }
        return entries
    }
}
