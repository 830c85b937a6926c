import Glibc

/// Finds the control socket by the contract's rule: the given path, else `$KIBO_SOCKET`, else
/// `$XDG_RUNTIME_DIR/kibo/kibod.sock`, else `/tmp/kibo-<uid>/kibod.sock`.
public enum SocketPath {
    /// The path for this process.
    public static func resolve(explicit: String? = nil) -> String {
        resolve(explicit: explicit, environment: variable, uid: getuid())
    }

    /// The rule itself.
    ///
    /// - Parameters:
    ///   - explicit: the value of `--socket`.
    ///   - environment: looks up a variable; an empty one counts as not set.
    public static func resolve(explicit: String?, environment: (String) -> String?, uid: UInt32) -> String {
        func variable(_ name: String) -> String? {
            environment(name).flatMap { $0.isEmpty ? nil : $0 }
        }
        if let explicit { return explicit }
        if let path = variable("KIBO_SOCKET") { return path }
        // The XDG rule: a relative path in the variable is to be ignored.
        if let directory = variable("XDG_RUNTIME_DIR"), directory.hasPrefix("/") {
            return directory + "/kibo/kibod.sock"
        }
        return "/tmp/kibo-\(uid)/kibod.sock"
    }

    private static func variable(_ name: String) -> String? {
        getenv(name).map { String(cString: $0) }
    }
}
