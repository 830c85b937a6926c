import Control
import ControlProtocol
import Reactor
import Runtime

/// How the user learns of calls here: by windows, and by the desktop's notification.
@ReactorActor package final class RingTargets {
    private let environment: Environment
    private unowned let events: EventHub
    /// Whether the desktop's notification can ring; its service says so here.
    package var desktopRings: @ReactorActor () -> Bool = { false }
    /// Gets each change of a call, for the desktop's notification.
    package var changed: @ReactorActor (Call) -> Void = { _ in }

    init(environment: Environment, events: EventHub) {
        self.environment = environment
        self.events = events
    }

    /// Whether anything here can ring.
    var canRing: Bool { events.rings || desktopRings() }

    /// Tells clients and the desktop how a call stands.
    func tell(_ call: Call) {
        events.ephemeral(.callChanged, .update, call.json)
        changed(call)
    }

    /// Returns what `system.doctor` says about incoming calls; nil if the settings let no call ring.
    func check() -> DoctorCheck? {
        guard environment.settings[SettingsCatalogue.callsAllow] != .nobody else { return nil }
        var findings: [DoctorFinding] = events.rings ? [.callsRingInWindow] : []
        if desktopRings() { findings.append(.callsRingOnDesktop) }
        guard findings.isEmpty else {
            return DoctorCheck(name: "calls", ok: true, findings: findings.map { .init($0) })
        }
        // Many hosts have no user before a screen: it is only wrong where the user wants notifications on the desktop.
        let isWanted = environment.settings[SettingsCatalogue.notificationsDesktop] == .on
        return DoctorCheck(
            name: "calls", ok: !isWanted, findings: [.init(.callsCantRing)],
            advice: isWanted ? [.init(.keepWindowOpen)] : [])
    }
}
