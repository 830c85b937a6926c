import Basics
import ControlProtocol
import LocalSend
import Network
import Reactor
import Runtime
import Vocabulary

/// Looks for LocalSend devices at their addresses when the user asks for it. Only one scan runs at a time. A client that asks
/// for the same scan meanwhile gets the same answer.
@ReactorActor final class ScanService {
    private let environment: Environment
    private let choice: InterfaceChoice
    private let keeper: BridgeKeeper
    private var scan: DeviceScan?
    /// What the scan that runs asks; nil for all addresses.
    private var asked: IPAddress?
    /// A scan is over, and the list will have what it has found.
    private var listing: TimerToken?
    private var waiters: [CheckedContinuation<(asked: Int, found: Int), any Error>] = []

    init(environment: Environment, interfaces: [String]?, keeper: BridgeKeeper) {
        self.environment = environment
        choice = InterfaceChoice(names: interfaces)
        self.keeper = keeper
    }

    /// Asks, and waits until all have answered or have had their time.
    /// - Parameter address: the only one that is asked; nil for those around this host.
    /// - Throws: a refusal.
    func scan(address: String?) async throws -> (asked: Int, found: Int) {
        guard let program = keeper.program, let own = keeper.own, keeper.port != nil else {
            throw ControlError(.offline, "LocalSend doesn't work here now: \(keeper.problem ?? "it is off, or begins")")
        }
        let one = try address.map { try target($0) }
        if scan != nil, asked != one {
            throw ControlError(.busy, "another scan is under way", hint: .tryInAMoment)
        }
        return try await withCheckedThrowingContinuation { waiter in
            waiters.append(waiter)
            guard scan == nil else { return }
            asked = one
            scan = DeviceScan(
                one.map { [$0] } ?? keeper.neighbourhood.scanned, program: program, own: own,
                mayBePlain: environment.settings[SettingsCatalogue.localSendPlain], choice: choice,
                met: { [weak self] in self?.keeper.say(.met($0)) },
                over: { [weak self] in self?.finish(asked: $0.asked, found: $0.found) })
        }
    }

    /// Ends it: the bridge has ended, or a device must not be spoken with any more as when the scan began.
    func stop() {
        scan?.stop()
        end(.failure(ControlError(.offline, "LocalSend was restarted or switched off meanwhile")))
    }

    /// The bridge reports a device a moment after it has heard of it. A client that gets the answer should find it in the list.
    private func finish(asked: Int, found: Int) {
        let pause = found > 0 ? GuestLimits.listPause : .zero
        listing = Reactor.shared.schedule(at: environment.clocks.now + pause) { [weak self] in
            self?.end(.success((asked: asked, found: found)))
        }
    }

    private func end(_ result: Result<(asked: Int, found: Int), any Error>) {
        scan = nil
        listing?.cancel()
        let waiters = waiters
        self.waiters = []
        for waiter in waiters { waiter.resume(with: result) }
    }

    private func target(_ address: String) throws(ControlError) -> IPAddress {
        guard let address = IPAddress(address), case .v4 = address else {
            throw ControlError(
                .invalid, "\(ForeignText.escaped(address)) is not the address of a device: LocalSend needs IPv4",
                field: "address")
        }
        guard keeper.neighbourhood.contains(address), isReachable(address) else {
            throw ControlError(.notAllowed, "\(address) is not on this network", field: "address")
        }
        return address
    }

    /// Whether an interface that the daemon uses leads there.
    private func isReachable(_ address: IPAddress) -> Bool {
        if case .barred = choice.way(to: SocketAddress(address, port: DeviceInfo.usualPort)) { return false }
        return true
    }
}
