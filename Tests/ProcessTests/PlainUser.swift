import Glibc
import TestSupport

/// A user who isn't root, for tests that root runs.
struct PlainUser {
    let uid: uid_t
    let gid: gid_t

    static let nobody = PlainUser(uid: 65534, gid: 65534)

    /// The beginning of a command line that runs as that user, in this group alone; empty where the tests aren't root's.
    var prefix: [String] {
        guard geteuid() == 0 else { return [] }
        let switching =
            "use POSIX (); $) = '\(gid) \(gid)'; POSIX::setgid(\(gid)); POSIX::setuid(\(uid)); exec @ARGV; die"
        return ["/usr/bin/perl", "-e", switching]
    }

    /// Whether such a user can start the programs where they are.
    static var canStartPrograms: Bool {
        guard geteuid() == 0 else { return true }
        guard access("/usr/bin/perl", X_OK) == 0 else { return false }
        var path = ProgramPaths.directory[...]
        while let slash = path.lastIndex(of: "/") {
            var information = stat()
            guard stat(String(path), &information) == 0, information.st_mode & 0o001 != 0 else { return false }
            path = path[..<slash]
        }
        return true
    }
}
