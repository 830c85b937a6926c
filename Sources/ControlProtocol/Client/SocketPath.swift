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

    /// Where the system unit `kibod@USER` has its socket: in a folder of that name, which is that user's own.
    public static let systemDirectory = "/run/kibo"

    /// Where a client finds the daemon: as ``resolve(explicit:)`` says; where nothing is at the usual place, at the socket of
    /// the system unit of this user, if that is there.
    public static func find(explicit: String? = nil) -> String {
        find(
            explicit: explicit, environment: variable, uid: getuid(),
            user: getpwuid(getuid()).map { String(cString: $0.pointee.pw_name) }, isThere: { access($0, F_OK) == 0 })
    }

    /// The rule itself; see ``resolve(explicit:environment:uid:)``.
    ///
    /// - Parameters:
    ///   - user: the user's name; nil if the system knows none.
    ///   - isThere: whether a file is there.
    public static func find(
        explicit: String?, environment: (String) -> String?, uid: UInt32, user: String?, isThere: (String) -> Bool
    ) -> String {
        let usual = resolve(explicit: explicit, environment: environment, uid: uid)
        // What was named is meant, whether it is there or not.
        let isNamed = explicit != nil || environment("KIBO_SOCKET").map { !$0.isEmpty } ?? false
        guard !isNamed, !isThere(usual), let user else { return usual }
        let system = "\(systemDirectory)/\(user)/kibod.sock"
        return isThere(system) ? system : usual
    }

    private static func variable(_ name: String) -> String? {
        getenv(name).map { String(cString: $0) }
    }
}
