import Glibc
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
        guard stat(self.path, &status) == 0, status.st_uid == geteuid() else {
            throw .failed("\(self.path) belongs to another user")
        }
        if status.st_mode & 0o077 != 0, chmod(self.path, 0o700) != 0 {
            throw .failed("\(self.path) is open to other users and can't be closed: \(describe(errno))")
        }
        let file = open(self.path + "/lock", O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard file >= 0 else { throw .failed("can't open \(self.path)/lock: \(describe(errno))") }
        guard flock(file, LOCK_EX | LOCK_NB) == 0 else {
            close(file)
            throw .alreadyRunning("another kibod uses the data in \(self.path)")
        }
        lock = file
    }

    deinit { close(lock) }
}
