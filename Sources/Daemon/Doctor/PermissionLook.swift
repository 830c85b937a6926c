import Glibc

/// Who else may read what is ours. Blocking, and only looks.
enum PermissionLook {
    struct Problem: Equatable {
        let text: String
        let hint: String
    }

    /// Of those that are there.
    static func problems(_ paths: [String]) -> [Problem] {
        paths.compactMap { path in
            var status = stat()
            guard lstat(path, &status) == 0 else { return nil }
            if status.st_uid != geteuid() {
                return Problem(
                    text: "\(path) belongs to another user", hint: "Give it back: sudo chown -R \"$USER\" '\(path)'")
            }
            let mode = status.st_mode & 0o777
            guard mode & 0o077 != 0 else { return nil }
            return Problem(
                text: "\(path) is open to others (mode \(String(mode, radix: 8)))",
                hint: "Close it: chmod go= '\(path)'")
        }
    }
}
