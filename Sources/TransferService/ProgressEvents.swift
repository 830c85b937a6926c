import Basics
import Reactor
import Runtime
import Transfer

/// Tells clients how transfers get on: at most five times a second for each; for one that stands still once a second,
/// until its rate has fallen to zero; and always the last state.
@ReactorActor final class ProgressEvents {
    private let environment: Environment
    private unowned let clients: any TransferObserver
    /// The transfers that are under way; some may have nothing to say.
    private let running: @ReactorActor () -> [RunningTransfer]
    private var timer: TimerToken?

    init(
        environment: Environment, clients: any TransferObserver,
        running: @escaping @ReactorActor () -> [RunningTransfer]
    ) {
        self.environment = environment
        self.clients = clients
        self.running = running
    }

    /// Call when a transfer has made progress.
    func noted(_ transfer: RunningTransfer) {
        let now = environment.clocks.now
        if transfer.published.map({ now - $0 >= TransferServiceLimits.progressPace }) ?? true { publish(transfer, now) }
        arm()
    }

    /// Call when the end of a transfer is stored. A client that only follows progress then sees how it ended.
    func ended(_ transfer: RunningTransfer) {
        guard transfer.published != nil else { return }
        transfer.published = environment.clocks.now
        compose(transfer, nil, rate: 0)
    }

    func stop() {
        timer?.cancel()
        timer = nil
    }

    /// The rate as clients see it.
    func rate(of transfer: RunningTransfer) -> Int64 { transfer.gauge.rate(now: environment.clocks.now) }

    private func arm() {
        guard timer == nil else { return }
        timer = Reactor.shared.schedule(at: environment.clocks.now + TransferServiceLimits.standstillPace) {
            [weak self] in
            guard let self else { return }
            timer = nil
            look()
        }
    }

    private func look() {
        let now = environment.clocks.now
        var isNeeded = false
        for transfer in running() {
            guard let published = transfer.published else { continue }
            if now - published >= TransferServiceLimits.standstillPace, transfer.shownRate > 0 || transfer.hasNews {
                publish(transfer, now)
            }
            if transfer.shownRate > 0 || transfer.hasNews { isNeeded = true }
        }
        if isNeeded { arm() }
    }

    private func publish(_ transfer: RunningTransfer, _ now: Instant) {
        guard let progress = transfer.progress else { return }
        transfer.published = now
        transfer.shownRate = transfer.gauge.rate(now: now)
        transfer.shownBytes = progress.bytesShown
        compose(transfer, progress, rate: transfer.shownRate)
    }

    private func compose(_ transfer: RunningTransfer, _ progress: TransferProgress?, rate: Int64) {
        let id = transfer.id
        environment.store.read {
            try $0.transfer(id)
        } then: { [weak clients] result in
            if case .success(let row?) = result { clients?.progressed(row, rate: rate, progress) }
        }
    }
}
