import Basics
import Glibc
import Messaging
import Runtime

/// The one directory that holds everything of an account, locked against a second daemon for as long as this value lives.
final class DataDirectory: Sendable {
    let path: String
    private let lock: CInt

    /// Makes the directory (0700) where it isn't there, and locks it.
    init(path: String) throws(StartError) {
        _ = UserMask.bits
        self.path = Paths.absolute(path)
        try Paths.makeDirectory(self.path)
        var status = stat()
        guard stat(self.path, &status) == 0 else { throw StartError(errno: errno, "can't look at \(self.path)") }
        try Self.checkOwner(status, of: self.path)
        if status.st_mode & 0o077 != 0, chmod(self.path, 0o700) != 0 {
            throw .unusable("\(self.path) is open to other users and can't be closed: \(describe(errno))")
        }
        let file = open(self.path + "/lock", O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard file >= 0 else { throw StartError(errno: errno, "can't open \(self.path)/lock") }
        guard flock(file, LOCK_EX | LOCK_NB) == 0 else {
            let code = errno
            guard code == EWOULDBLOCK else {
                close(file)
                throw StartError(errno: code, "can't lock \(self.path)/lock")
            }
            let holder = Self.holder(file)
            close(file)
            throw .alreadyRunning(Self.words(holder, self.path))
        }
        lock = file
        note()
    }

    private static func checkOwner(_ status: stat, of path: String) throws(StartError) {
        guard status.st_uid == geteuid() else {
            throw .unusable("\(path) belongs to another user (number \(status.st_uid), this is \(geteuid()))")
        }
    }

    /// Looks whether a daemon of this user could have its data there, and makes nothing.
    static func check(_ path: String) throws(StartError) {
        let path = Paths.absolute(path)
        var status = stat()
        guard stat(path, &status) == 0 else {
            guard errno == ENOENT else { throw StartError(errno: errno, "can't look at \(path)") }
            guard Destination(at: path).isWritable else {
                throw .unusable("can't make the directory \(path): \(RealmKeyFile.userName) may not write there")
            }
            return
        }
        guard status.st_mode & S_IFMT == S_IFDIR else { throw .unusable("\(path) is not a directory") }
        try checkOwner(status, of: path)
    }

    /// Whether a daemon runs with the data there. If none does, one that starts at this very moment is refused.
    static func isLocked(_ path: String) -> Bool {
        let file = open(Paths.absolute(path) + "/lock", O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard file >= 0 else { return false }
        defer { close(file) }
        return flock(file, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK
    }

    /// Writes down who has the lock. If the directory is on a file server, that may be a daemon of another host.
    private func note() {
        let text = Array("\(Self.hostName) \(getpid())\n".utf8)
        // Without the note a second daemon is refused in fewer words.
        guard ftruncate(lock, 0) == 0 else { return }
        _ = pwrite(lock, text, text.count, 0)
    }

    /// The host and the process that have noted themselves in the file; nil if there is no note.
    private static func holder(_ file: CInt) -> (host: String, process: String)? {
        var bytes = [UInt8](repeating: 0, count: DaemonLimits.lockNoteBytes)
        let count = pread(file, &bytes, bytes.count, 0)
        guard count > 0 else { return nil }
        let words = String(decoding: bytes[..<count], as: UTF8.self).split(whereSeparator: \.isWhitespace)
        guard words.count == 2 else { return nil }
        return (ForeignText.escaped(String(words[0])), ForeignText.escaped(String(words[1])))
    }

    private static func words(_ holder: (host: String, process: String)?, _ path: String) -> String {
        guard let holder else { return "another kibod uses the data in \(path)" }
        guard holder.host != hostName else {
            return "another kibod (process \(holder.process)) uses the data in \(path)"
        }
        return
            "a kibod on the host \(holder.host) uses the data in \(path): stop that one first, or give this one data "
            + "of its own with --data"
    }

    private static var hostName: String { Paths.hostName ?? "localhost" }

    deinit { close(lock) }
}
