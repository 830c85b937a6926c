import Glibc

/// What the file system says about a file: the data by which we recognise it, and when it was last used.
struct FileAge: Equatable, Sendable {
    let inode: UInt64
    let size: Int64
    /// Nanoseconds since 1970.
    let modified: Int64
    let accessed: Int64
    let isFile: Bool
    /// How many names the file has.
    let links: UInt64

    /// Nil if nothing has that name. Looks at a link itself, not at its target. Blocking.
    init?(_ path: String) {
        var status = stat()
        guard lstat(path, &status) == 0 else { return nil }
        self.init(status)
    }

    init(_ status: stat) {
        inode = UInt64(status.st_ino)
        size = Int64(status.st_size)
        modified = Self.nanoseconds(status.st_mtim)
        accessed = Self.nanoseconds(status.st_atim)
        links = UInt64(status.st_nlink)
        isFile = status.st_mode & S_IFMT == S_IFREG
    }

    private static func nanoseconds(_ time: timespec) -> Int64 {
        let (seconds, overflow) = Int64(time.tv_sec).multipliedReportingOverflow(by: 1_000_000_000)
        return overflow ? (time.tv_sec < 0 ? .min : .max) : seconds &+ Int64(time.tv_nsec)
    }
}
