import Glibc

/// Decides who may stand behind a socket that a client has connected to.
enum SocketOwner {
    /// Whether a client may speak to a daemon of that user: only to its own user's and to root's. Root speaks to other
    /// users' daemons too, but only where nobody else can have put the socket there.
    /// - Parameter own: the client's user.
    static func isTrusted(_ owner: UInt32, own: UInt32, path: String) -> Bool {
        owner == own || owner == 0 || (own == 0 && isPlace(path, of: owner))
    }

    /// Whether only root and that user can have put something at a path. Each directory on the way, both as the path
    /// says and as links lead, must belong to one of the two, and nobody else may write to it. A sticky directory such
    /// as `/tmp` fails, because anybody can be first there.
    static func isPlace(_ path: String, of owner: UInt32) -> Bool {
        guard let folder = folder(of: path), let real = realpath(folder, nil) else { return false }
        defer { free(real) }
        return isWay(folder, of: owner) && isWay(String(cString: real), of: owner)
    }

    private static func folder(of path: String) -> String? {
        let parts = path.split(separator: "/", omittingEmptySubsequences: false).dropLast()
        if path.hasPrefix("/") { return "/" + parts.joined(separator: "/") }
        guard let current = getcwd(nil, 0) else { return nil }
        defer { free(current) }
        return String(cString: current) + "/" + parts.joined(separator: "/")
    }

    private static func isWay(_ folder: String, of owner: UInt32) -> Bool {
        var built = ""
        for part in ["."] + folder.split(separator: "/").map(String.init) {
            built += "/" + part
            var status = stat()
            guard lstat(built, &status) == 0, status.st_uid == 0 || status.st_uid == owner else { return false }
            // A link has no mode that means anything; its target is checked on the other way.
            guard status.st_mode & S_IFMT == S_IFLNK || status.st_mode & 0o022 == 0 else { return false }
        }
        return true
    }
}
