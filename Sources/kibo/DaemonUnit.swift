import ControlProtocol
import Glibc

/// The systemd unit as which a daemon runs: the user's own `kibod`, or the system's `kibod@USER`.
struct DaemonUnit: Equatable {
    /// The user of a unit of the system; nil for the user's own unit.
    let systemUser: String?

    /// The unit of this user's daemon.
    static var own: DaemonUnit { DaemonUnit(socket: SocketPath.find()) }

    /// - Parameters:
    ///   - socket: where the daemon is, or would be.
    ///   - host: this host, except in tests.
    init(socket: String, on host: SocketHost = .current) {
        systemUser = Self.user(of: socket) ?? Self.ownSystemUser(socket, host)
    }

    /// The user of a socket that a unit of the system has.
    private static func user(of socket: String) -> String? {
        let parts = socket.split(separator: "/")
        let place = SocketPath.systemDirectory.split(separator: "/")
        guard parts.count == place.count + 2, parts.starts(with: place), parts.last == "kibod.sock" else { return nil }
        return String(parts[place.count])
    }

    /// The user, if only the unit of the system has data of theirs: while it doesn't run it has no socket either.
    private static func ownSystemUser(_ socket: String, _ host: SocketHost) -> String? {
        guard socket == SocketPath.resolve(explicit: nil, on: host), let user = host.user(),
            host.presence("\(dataDirectory)/\(user)/data") != .missing
        else { return nil }
        let home = host.environment("XDG_DATA_HOME") ?? host.environment("HOME").map { $0 + "/.local/share" } ?? "/"
        return host.presence(home + "/kibo/keys") == .missing ? user : nil
    }

    /// Where the units of the system have their data.
    private static let dataDirectory = "/var/lib/kibo"

    /// What to type to start it, stop it or the like.
    func command(_ verb: String) -> String {
        systemUser.map { "sudo systemctl \(verb) kibod@\($0)" } ?? "systemctl --user \(verb) kibod"
    }

    /// What to type to see its log.
    var log: String { systemUser.map { "sudo journalctl -u kibod@\($0)" } ?? "journalctl --user -u kibod" }

    /// What to type to repair its database, while it doesn't run.
    var repair: String {
        systemUser.map { "kibo doctor --repair --data \(Self.dataDirectory)/\($0)/data" } ?? "kibo doctor --repair"
    }
}

extension Context {
    /// How long a daemon that was just started has to answer.
    private static let patience = Duration.seconds(10)

    /// The connection to the daemon. Where none runs and its unit is installed, the unit is turned on first: it then starts
    /// with each login.
    func startingClient() throws(ClientError) -> ControlClient {
        do {
            return try client()
        } catch {
            guard case .noDaemon = error, turnUnitOn() else { throw error }
            if !json { console.errorLine("The daemon is running now, and will start whenever you log in.") }
            return try client(patience: Self.patience)
        }
    }

    /// - Returns: false where there is no service manager, no such unit, or another socket or unit is meant.
    private func turnUnitOn() -> Bool {
        guard let runtime = SocketPath.runtimeDirectory, socketPath == runtime + "/kibo/kibod.sock",
            access(runtime + "/systemd/private", F_OK) == 0, DaemonUnit(socket: socketPath).systemUser == nil
        else { return false }
        // systemctl finds the manager by it.
        setenv("XDG_RUNTIME_DIR", runtime, 1)
        let words = "systemctl --user enable --now kibod.service >/dev/null 2>&1"
        return Program.run("/bin/sh", ["-c", words]) == 0
    }
}
