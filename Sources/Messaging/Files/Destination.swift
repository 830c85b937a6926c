import Basics
import Glibc

/// What we know, when an offer comes, about the directory where files go and about the link.
package struct Destination: Hashable, Sendable {
    /// Bytes that an unprivileged user may fill; nil if it can't be told.
    package var freeBytes: UInt64?
    /// Whether files can be made there, as far as permissions go.
    package var isWritable = false
    /// Whether the link costs by the byte.
    package var isMetered = false
    /// The folders of `files.folders`, by their paths.
    package var folders: [String: Destination] = [:]

    package init(freeBytes: UInt64? = nil, isWritable: Bool = false, isMetered: Bool = false) {
        self.freeBytes = freeBytes
        self.isWritable = isWritable
        self.isMetered = isMetered
    }
}

// MARK: Of the file system

extension Destination {
    /// Looks at a folder that has to be there: where a disk isn't mounted, nothing is put under its name. Blocking.
    package init(ofFolder path: String) {
        if access(path, F_OK) == 0 { self.init(at: path) } else { self.init() }
    }

    /// Looks at a directory. If it isn't there yet, the nearest one above it is looked at. Blocking.
    package init(at directory: String) {
        self.init()
        var path = directory[...]
        while true {
            let name = path.isEmpty ? "/" : String(path)
            var figures = statvfs()
            if statvfs(name, &figures) == 0 {
                var status = stat()
                let isDirectory = stat(name, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
                freeBytes = figures.freeBytes
                // A file system without any blocks, such as /proc, holds no files, whatever root may do.
                isWritable = isDirectory && figures.f_blocks > 0 && access(name, W_OK | X_OK) == 0
                return
            }
            guard errno == ENOENT, let slash = path.lastIndex(of: "/") else { return }
            path = path[..<slash]
        }
    }
}
