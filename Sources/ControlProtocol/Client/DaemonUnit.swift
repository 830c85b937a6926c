/// The systemd unit as which a daemon runs: the user's own `kibod`, or the system's `kibod@USER`.
package struct DaemonUnit: Equatable {
    /// The user of a unit of the system; nil for the user's own unit.
    package let systemUser: String?

    /// The unit of this user's daemon.
    package static var own: DaemonUnit { DaemonUnit(socket: SocketPath.find()) }

    /// - Parameters:
    ///   - socket: where the daemon is, or would be.
    ///   - host: this host, except in tests.
    package init(socket: String, on host: SocketHost = .current) {
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
    package static let dataDirectory = "/var/lib/kibo"

    /// What to type to start it, stop it or the like.
    package func command(_ verb: String) -> String {
        systemUser.map { "sudo systemctl \(verb) kibod@\($0)" } ?? "systemctl --user \(verb) kibod"
    }

    /// What to type to see its log.
    package var log: String { systemUser.map { "sudo journalctl -u kibod@\($0)" } ?? "journalctl --user -u kibod" }
}
