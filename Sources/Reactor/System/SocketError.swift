import Glibc

/// Why a socket could not be made, or why it ended.
public enum SocketError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The peer did not answer within the time that the caller gave.
    case timedOut
    /// A Unix socket's path does not fit into the system's 107 bytes, is empty, or holds a zero byte. The user has to
    /// choose another directory.
    case unusablePath(String)
    /// A live socket has the address.
    case addressInUse
    /// A system call failed: its name and errno.
    case system(String, CInt)

    public var description: String {
        switch self {
        case .timedOut: "timed out"
        case .unusablePath(let path):
            "unusable socket path (\(path.utf8.count) bytes, at most \(ReactorLimits.unixPathBytes))"
        case .addressInUse: "address already in use"
        case .system(let call, let code): "\(call): \(String(cString: strerror(code)))"
        }
    }
}
