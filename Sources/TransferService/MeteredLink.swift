import Basics
import Glibc
import Media
import Runtime
import Threads

/// Whether the link costs by the byte, as far as NetworkManager knows. We ask it over D-Bus with `busctl`, which comes
/// with systemd, in a child process with a time limit, and remember the answer for some seconds. Without NetworkManager
/// no link is metered.
package final class MeteredLink: Sendable {
    private struct Memory {
        var isMetered = false
        var until: Instant?
    }

    private let program: String?
    private let patience: Duration
    private let bus: String?
    private let memory = Lock(Memory())

    /// - Parameter bus: the address of another message bus than the system's.
    package init(
        program: String? = MeteredLink.find(), patience: Duration = TransferServiceLimits.meteredAnswer,
        bus: String? = nil
    ) {
        self.program = program
        self.patience = patience
        self.bus = bus ?? Paths.environment("DBUS_SYSTEM_BUS_ADDRESS")
    }

    package static func find() -> String? {
        ["/usr/bin/busctl", "/bin/busctl", "/usr/local/bin/busctl"].first { access($0, X_OK) == 0 }
    }

    /// Whether the link is metered. Blocking, for a moment.
    package var isMetered: Bool {
        guard let program else { return false }
        return memory.withLock { memory in
            let now = SystemClocks().now
            if let until = memory.until, now < until { return memory.isMetered }
            memory.isMetered = ask(program, until: now + patience)
            memory.until = SystemClocks().now + TransferServiceLimits.meteredMemory
            return memory.isMetered
        }
    }

    private func ask(_ program: String, until deadline: Instant) -> Bool {
        let name = "org.freedesktop.NetworkManager"
        let words = ["--system", "get-property", name, "/org/freedesktop/NetworkManager", name, "Metered"]
        let variables = bus.map { ["DBUS_SYSTEM_BUS_ADDRESS=" + $0] } ?? []
        guard let child = try? MediaChild(program, words, variables: variables) else { return false }
        defer { child.finish() }
        guard let bytes = try? child.read(limit: 256, until: deadline, isEnough: { _ in false }) else { return false }
        return Self.isMetered(answer: String(decoding: bytes, as: UTF8.self))
    }

    /// `u 1` is yes and `u 3` a guess of it (NMMetered); 0 is unknown, 2 and 4 are no.
    package static func isMetered(answer: String) -> Bool { answer == "u 1\n" || answer == "u 3\n" }
}
