import ControlProtocol
import Testing

@testable import kibo

@Suite("The unit of a daemon, in words to its user")
struct DaemonUnitTests {
    private func host(_ there: [String]) -> SocketHost {
        SocketHost(
            environment: { $0 == "XDG_DATA_HOME" ? "/data" : nil }, uid: 1000, user: { "anna" },
            directory: { $0 == "/run/user/1000" ? SocketHost.Directory(owner: 1000) : nil },
            presence: { there.contains($0) ? .there : .missing }, isAnswered: { _ in false })
    }

    @Test("A user whose daemon is kibod@USER is told that unit, whether it runs or not; others are told their own")
    func names() {
        let (own, system) = ("/run/user/1000/kibo/kibod.sock", "/run/kibo/anna/kibod.sock")
        let running = DaemonUnit(socket: system, on: host([]))
        #expect(running.command("stop") == "sudo systemctl stop kibod@anna")
        #expect(running.log == "sudo journalctl -u kibod@anna")
        #expect(running.repair == "kibo doctor --repair --data /var/lib/kibo/anna/data")
        #expect(DaemonUnit(socket: own, on: host(["/var/lib/kibo/anna/data"])) == running)
        // Who has both means their own by the usual socket.
        let both = host(["/var/lib/kibo/anna/data", "/data/kibo/keys"])
        for unit in [
            DaemonUnit(socket: own, on: both), DaemonUnit(socket: own, on: host([])),
            DaemonUnit(socket: "/srv/kibod.sock", on: host(["/var/lib/kibo/anna/data"])),
        ] {
            #expect(unit.command("start") == "systemctl --user start kibod")
            #expect(unit.log == "journalctl --user -u kibod" && unit.repair == "kibo doctor --repair")
        }
    }
}
