import Basics
import ControlProtocol
import LocalSend
import Reactor
import Runtime

/// Looks whether devices can find this host and connect to it, as far as that shows on this host alone: our own announcements come
/// back, and devices that hear them connect.
@ReactorActor final class BridgeExamination {
    private let clocks: any Clocks
    private let keeper: BridgeKeeper
    /// The interfaces on which an announcement has come back since the last examination began.
    private var echoed: Set<UInt32> = []
    /// Whether a device has connected since then.
    private var isReached = false

    init(clocks: any Clocks, keeper: BridgeKeeper) {
        self.clocks = clocks
        self.keeper = keeper
    }

    func heard(_ report: BridgeReport) {
        switch report {
        case .echoed(let interface) where keeper.interfaces[interface] != nil: echoed.insert(interface)
        case .reached: isReached = true
        default: break
        }
    }

    /// Asks all devices who they are, and waits a moment for what comes of it.
    /// - Parameters:
    ///   - name: what this host is called in the lists of others.
    ///   - isAlone: whether no device is near.
    /// - Returns: nil if the bridge doesn't serve, or doesn't any more.
    func look(
        name: String, isAlone: @escaping @ReactorActor () -> Bool, firewall: GuestService.FirewallLook
    ) async -> DoctorCheck? {
        guard let port = keeper.port, let own = keeper.own else { return nil }
        let run = keeper.run
        (echoed, isReached) = ([], false)
        keeper.say(.announce)
        let begin = clocks.now
        if keeper.hasDatagrams {
            await wait(until: begin + GuestLimits.echoTime) { [self] in silent.isEmpty }
        }
        var found = BridgeFindings(
            name: name, port: port, isPlain: !own.info.isEncrypted, hasDatagrams: keeper.hasDatagrams, silent: silent,
            unjoined: keeper.names { keeper.unjoined.contains($0) },
            firewall: await firewall(DeviceInfo.usualPort, port, keeper.hasDatagrams && silent.isEmpty))
        let isClosed = !found.firewall.ok
        await wait(until: begin + GuestLimits.answerTime) { [self] in !isAlone() && (isReached || !isClosed) }
        guard run == keeper.run, keeper.port == port else { return nil }
        (found.isReached, found.isAlone) = (isReached, isAlone())
        return found.check
    }

    /// Interfaces on which nothing has come back, by name.
    private var silent: [String] { keeper.names { !echoed.contains($0) && !keeper.unjoined.contains($0) } }

    private func wait(until deadline: Instant, for isThere: @ReactorActor () -> Bool) async {
        while !isThere(), clocks.now < deadline {
            let next = clocks.now + GuestLimits.lookPause
            await withCheckedContinuation { continuation in
                Reactor.shared.schedule(at: next) { continuation.resume() }
            }
        }
    }
}
