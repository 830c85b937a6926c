import Basics
import CLinux
import ControlProtocol
import Glibc

/// The user's service manager, as far as the gateway asks it for Kibo's own units.
struct UserManager {
    /// Nil where there is no service manager, or the daemon's socket is not the usual one.
    init?(places: GatewayPlaces) {
        guard let runtime = SocketPath.runtimeDirectory, places.control == runtime + "/kibo/kibod.sock",
            access(runtime + "/systemd/private", F_OK) == 0
        else { return nil }
        // systemctl finds the manager by it.
        setenv("XDG_RUNTIME_DIR", runtime, 1)
    }

    /// Whether `systemctl --user` says yes to these words, which are ours alone.
    /// - Parameter seconds: after how long no answer counts as no; nil: it is waited for.
    func says(_ words: String, within seconds: Int? = nil) -> Bool {
        let limit = seconds.map { "timeout \($0) " } ?? ""
        return CommandWords.with(["sh", "-c", "\(limit)systemctl --user \(words) </dev/null >/dev/null 2>&1"]) {
            kibo_run_in_foreground("/bin/sh", $0) == 0
        }
    }
}

/// Starts the daemon for a page that finds none: by its own unit of the user's service manager, and in no other way. The worker
/// can ask for this one thing, and names nothing.
final class DaemonStarter {
    private static let unit = "kibod.service"

    private let places: GatewayPlaces
    /// The last answers and when they were given. Repeated questions get the last answer and start no program.
    private var canStart: (answer: Bool, at: Instant)?
    private var hasStarted: (answer: Bool, at: Instant)?

    /// What a user can type to start the daemon; nil if nobody here knows.
    let command: String?

    init(_ places: GatewayPlaces) {
        self.places = places
        command =
            Self.manager(places) != nil || DaemonUnit(socket: places.control).systemUser != nil
            ? DaemonUnit(socket: places.control).command("start") : places.isUsual ? "kibod" : nil
    }

    /// The manager; nil if the daemon is no unit of this user's.
    private static func manager(_ places: GatewayPlaces) -> UserManager? {
        DaemonUnit(socket: places.control).systemUser == nil ? UserManager(places: places) : nil
    }

    /// Whether the unit is there.
    func isStartable() -> Bool {
        recent(&canStart) { Self.manager(places)?.says("cat \(Self.unit)", within: WebLimits.managerSeconds) ?? false }
    }

    /// Asks the manager to start the unit, and doesn't wait until it runs.
    /// - Returns: whether the manager took it.
    func start() -> Bool {
        guard isStartable() else { return false }
        return recent(&hasStarted) {
            WebLog.write("a page has asked to start \(Self.unit)")
            return Self.manager(places)?
                .says("start --no-block \(Self.unit)", within: WebLimits.managerSeconds) ?? false
        }
    }

    private func recent(_ last: inout (answer: Bool, at: Instant)?, _ ask: () -> Bool) -> Bool {
        let now = SystemClocks().now
        if let last, now - last.at < .seconds(WebLimits.managerPause) { return last.answer }
        let answer = ask()
        last = (answer, now)
        return answer
    }
}
