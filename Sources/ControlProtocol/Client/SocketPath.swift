import Glibc

/// Finds the control socket, by the same rule in every program of Kibo. The socket is the first of
///
/// 1. the named one: `--socket`, else `$KIBO_SOCKET`,
/// 2. `kibo/kibod.sock` in the user's runtime directory (``SocketHost/runtimeDirectory``),
/// 3. `/tmp/kibo-<uid>/kibod.sock`; for root `/run/kibo-0/kibod.sock`.
///
/// The daemon binds the first of them. A client that was told none looks at the others, too: the daemon may have been started
/// before there was a runtime directory, or by the system unit `kibod@USER`.
public enum SocketPath {
    /// Where the daemon of this process's user binds its socket.
    public static func resolve(explicit: String? = nil) -> String { resolve(explicit: explicit, on: .current) }

    /// Where a client of this process's user finds the daemon.
    public static func find(explicit: String? = nil) -> String { find(explicit: explicit, on: .current) }

    /// The runtime directory of this process's user; nil where there is none.
    public static var runtimeDirectory: String? { SocketHost.current.runtimeDirectory }

    /// The rule for the daemon.
    /// - Parameter explicit: the value of `--socket`.
    package static func resolve(explicit: String?, on host: SocketHost) -> String {
        named(explicit, host) ?? socket(in: host.runtimeDirectory.map { $0 + "/kibo" } ?? host.lastDirectory)
    }

    /// Where the system unit `kibod@USER` has its socket: in a folder of that name, which is that user's own.
    public static let systemDirectory = "/run/kibo"

    /// The rule for a client: the first place with a socket. A socket's file outlives a daemon that was killed, so
    /// among several the first one that answers counts. If there is none at all, the result is a place that this
    /// process may not look into, or else the daemon's first place.
    package static func find(explicit: String?, on host: SocketHost) -> String {
        if let named = named(explicit, host) { return named }
        let usual = resolve(explicit: nil, on: host)
        var places = [usual]
        // Somebody chose a runtime directory other than the system's, so the daemon at the usual place may be another
        // one.
        if host.runtimeDirectory.map({ $0 == host.systemRuntimeDirectory }) ?? true {
            // In /tmp any user can have been first.
            let last = socket(in: host.lastDirectory)
            if last != usual, host.isPrivate(host.lastDirectory) { places.append(last) }
        }
        if let user = host.user() { places.append(socket(in: "\(systemDirectory)/\(user)")) }
        let there = places.filter { host.presence($0) == .there }
        if there.count > 1, let living = there.first(where: host.isAnswered) { return living }
        return there.first ?? places.first { host.presence($0) == .denied } ?? usual
    }

    /// Why a directory may not hold the daemon's socket; nil if it may. Only the last directory of the rule can be
    /// refused: in `/tmp` another user may have made it first, or a link in its place.
    package static func problem(with directory: String) -> String? { problem(with: directory, on: .current) }

    package static func problem(with directory: String, on host: SocketHost) -> String? {
        guard directory == host.lastDirectory, !host.isPrivate(directory) else { return nil }
        return "\(directory) must be a directory of this user with mode 0700, and no link; "
            + "remove it, set XDG_RUNTIME_DIR or choose another place with --socket"
    }

    private static func named(_ explicit: String?, _ host: SocketHost) -> String? {
        explicit ?? host.variable("KIBO_SOCKET")
    }

    private static func socket(in directory: String) -> String { directory + "/kibod.sock" }
}

/// What the rule of ``SocketPath`` asks of a host.
package struct SocketHost {
    /// What is known of a directory.
    package struct Directory {
        /// The user who owns it.
        package var owner: UInt32
        /// The permission bits.
        package var mode: UInt32
        /// Whether the path itself is a symbolic link to it.
        package var isLink: Bool

        package init(owner: UInt32, mode: UInt32 = 0o700, isLink: Bool = false) {
            (self.owner, self.mode, self.isLink) = (owner, mode, isLink)
        }
    }

    /// What a look at a socket's path tells.
    package enum Presence {
        case there, missing
        /// A directory on the way may not be looked into.
        case denied
    }

    /// Looks up a variable of the environment.
    package var environment: (String) -> String?
    package var uid: UInt32
    /// The user's name, which may have to be asked of another host; nil if the system knows none.
    package var user: () -> String?
    /// Looks at a directory; nil if there is none at that path.
    package var directory: (String) -> Directory?
    package var presence: (String) -> Presence
    /// Whether a program takes connections at a socket.
    package var isAnswered: (String) -> Bool

    package init(
        environment: @escaping (String) -> String?, uid: UInt32, user: @escaping () -> String?,
        directory: @escaping (String) -> Directory?, presence: @escaping (String) -> Presence,
        isAnswered: @escaping (String) -> Bool
    ) {
        (self.environment, self.uid, self.user) = (environment, uid, user)
        (self.directory, self.presence, self.isAnswered) = (directory, presence, isAnswered)
    }

    /// The user's runtime directory: `$XDG_RUNTIME_DIR`, or else what the system makes at each login, because cron,
    /// `sudo -u` and some ways of ssh set no variable. A directory that belongs to another user, as after `su`, or that
    /// everybody may write to doesn't count.
    package var runtimeDirectory: String? {
        if let named = variable("XDG_RUNTIME_DIR"), named.hasPrefix("/"), isOwn(named) { return named }
        return isPrivate(systemRuntimeDirectory) ? systemRuntimeDirectory : nil
    }

    /// Where systemd and elogind make it.
    package var systemRuntimeDirectory: String { "/run/user/\(uid)" }

    /// Where the socket is if there is no runtime directory. Root has a place where nobody else can be first.
    package var lastDirectory: String { uid == 0 ? "/run/kibo-0" : "/tmp/kibo-\(uid)" }

    /// An empty variable counts as not set.
    package func variable(_ name: String) -> String? { environment(name).flatMap { $0.isEmpty ? nil : $0 } }

    /// Whether a directory is this user's alone, and no link.
    package func isPrivate(_ path: String) -> Bool {
        guard let folder = directory(path) else { return false }
        return !folder.isLink && folder.owner == uid && folder.mode & 0o077 == 0
    }

    /// Whether a directory is this user's own or missing: the daemon makes a missing one.
    private func isOwn(_ path: String) -> Bool {
        guard let folder = directory(path) else { return true }
        return folder.owner == uid && folder.mode & 0o002 == 0
    }

    /// This host and this process's user.
    package static var current: SocketHost {
        SocketHost(
            environment: { getenv($0).map { String(cString: $0) } }, uid: getuid(),
            user: { getpwuid(getuid()).map { String(cString: $0.pointee.pw_name) } },
            directory: look, presence: presence, isAnswered: isAnswered)
    }

    private static func look(_ path: String) -> Directory? {
        var (own, target) = (stat(), stat())
        guard lstat(path, &own) == 0, stat(path, &target) == 0, target.st_mode & S_IFMT == S_IFDIR else { return nil }
        return Directory(
            owner: target.st_uid, mode: target.st_mode & 0o777, isLink: own.st_mode & S_IFMT == S_IFLNK)
    }

    private static func presence(_ path: String) -> Presence {
        var status = stat()
        if lstat(path, &status) == 0 { return .there }
        return errno == EACCES ? .denied : .missing
    }
    private static func isAnswered(_ path: String) -> Bool {
        do { _ = try UnixSocket.connect(path: path) } catch { return false }
        return true
    }
}
