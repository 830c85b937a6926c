import CLinux
import Glibc

/// The file of a listening Unix socket, recognised by device and inode.
struct UnixSocketFile {
    private let path: String
    private let device: dev_t
    private let inode: ino_t

    /// Binds `fd` to `path`, and takes over the file of a dead socket.
    static func bind(_ fd: CInt, to path: String, mode: mode_t) throws(SocketError) -> UnixSocketFile {
        // The inode that bind makes inherits the socket's mode without the bits of the umask, so it is never wider than
        // asked for.
        guard fchmod(fd, mode) == 0 else { throw .system("fchmod", errno) }
        var code = try bindOnce(fd, path)
        if code == EADDRINUSE {
            try removeDead(path)
            code = try bindOnce(fd, path)
        }
        if code == EADDRINUSE { throw .addressInUse }
        guard code == 0 else { throw .system("bind", code) }
        // Restores what the umask took away.
        guard chmod(path, mode) == 0 else { throw .system("chmod", errno) }
        var status = stat()
        guard lstat(path, &status) == 0 else { throw .system("lstat", errno) }
        return UnixSocketFile(path: path, device: status.st_dev, inode: status.st_ino)
    }

    /// Removes the file, unless another socket has taken the path since.
    func remove() {
        var status = stat()
        guard lstat(path, &status) == 0, status.st_dev == device, status.st_ino == inode else { return }
        unlink(path)
    }

    private static func bindOnce(_ fd: CInt, _ path: String) throws(SocketError) -> CInt {
        try AddressCoding.with(unixPath: path) { Glibc.bind(fd, $0, $1) == 0 ? 0 : errno }
    }

    private static func removeDead(_ path: String) throws(SocketError) {
        var status = stat()
        guard lstat(path, &status) == 0 else { return }
        guard status.st_mode & S_IFMT == S_IFSOCK else { throw .addressInUse }
        let probe = try SystemCalls.socket(AF_UNIX, SOCK_STREAM)
        defer { close(probe) }
        let code = try AddressCoding.with(unixPath: path) { connect(probe, $0, $1) == 0 ? 0 : errno }
        // Only a refusal means that there is no listener; a full backlog (EAGAIN) belongs to a live one.
        guard code == ECONNREFUSED else { throw .addressInUse }
        unlink(path)
    }
}
