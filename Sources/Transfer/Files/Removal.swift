import CLinux
import Glibc

/// Removes files and folders that the daemon made: the parts of cancelled transfers, and uploads.
package enum Removal {
    /// Removes a file, or a folder with all its content. A missing name is no error, but a missing directory is one,
    /// because its disk may be away for a moment. Links inside are removed, never followed.
    package static func remove(_ name: String, in directory: String) throws(FileError) {
        let folder = try SystemFiles().openFolder(directory)
        defer { SystemFiles().close(folder) }
        try remove(name, in: folder)
    }

    /// Does the same within an open directory.
    static func remove(_ name: String, in folder: CInt) throws(FileError) {
        let files = SystemFiles()
        guard let status = try files.status(name, in: folder) else { return }
        if status.kind == .folder { try empty(name, in: folder, depth: 0) }
        try files.remove(name, in: folder, isFolder: status.kind == .folder)
    }

    private static func empty(_ name: String, in folder: CInt, depth: Int) throws(FileError) {
        guard depth <= TransferLimits.depth + 1 else { throw FileError("remove", ELOOP) }
        let files = SystemFiles()
        let descriptor = try files.open(name, in: folder, flags: O_RDONLY | O_DIRECTORY, mode: 0)
        // closedir closes it.
        guard let stream = fdopendir(descriptor) else {
            let code = errno
            files.close(descriptor)
            throw FileError("list", code)
        }
        defer { closedir(stream) }
        while let item = readdir(stream) {
            let offset = MemoryLayout<dirent>.offset(of: \dirent.d_name) ?? 0
            let start = UnsafeRawPointer(item).advanced(by: offset).assumingMemoryBound(to: CChar.self)
            // The bytes are used as they are, because a name inside may be anything.
            if strcmp(start, ".") == 0 || strcmp(start, "..") == 0 { continue }
            if unlinkat(descriptor, start, 0) == 0 { continue }
            let code = errno
            guard code == EISDIR || code == EPERM, let below = String(validatingCString: start) else {
                throw FileError("remove", code)
            }
            try empty(below, in: descriptor, depth: depth + 1)
            try files.remove(below, in: descriptor, isFolder: true)
        }
    }
}
