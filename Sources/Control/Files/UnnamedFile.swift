import Glibc
import Reactor

/// Files without a name that are passed to a client: nothing is left of them, however the daemon ends.
enum UnnamedFile {
    /// Makes a file that can be read and written. On a file system without nameless files (O_TMPFILE), its name is
    /// removed at once.
    /// - Returns: nil and errno on failure.
    static func make(in directory: String) -> Descriptor? {
        // O_TMPFILE as Linux has it, which Glibc's overlay lacks: the bit of its own, and O_DIRECTORY.
        let file = open(directory, 0o20000000 | O_DIRECTORY | O_RDWR | O_CLOEXEC, 0o600)
        if file >= 0 { return Descriptor(adopting: file) }
        guard [EOPNOTSUPP, EISDIR, EINVAL].contains(errno) else { return nil }
        let path = "\(directory)/unnamed-\(UInt64.random(in: .min ... .max))"
        let named = open(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard named >= 0 else { return nil }
        unlink(path)
        return Descriptor(adopting: named)
    }
}
