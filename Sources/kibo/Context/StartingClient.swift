import ControlProtocol
import Glibc

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

extension DaemonUnit {
    /// What to type to repair its database, while it doesn't run.
    var repair: String {
        systemUser.map { "kibo doctor --repair --data \(Self.dataDirectory)/\($0)/data" } ?? "kibo doctor --repair"
    }
}
