import Basics
import ControlProtocol
import Reactor
import Transfer

/// Tells clients how transfers get on: each at most five times a second, one that stands still once a second until its
/// rate has fallen to nothing, and the last state always.
@ReactorActor final class ProgressEvents {
    private unowned let context: Context
    /// Those that are under way; some may have nothing to say.
    private let running: @ReactorActor () -> [RunningTransfer]
    private var timer: TimerToken?

    init(context: Context, running: @escaping @ReactorActor () -> [RunningTransfer]) {
        self.context = context
        self.running = running
    }

    /// There is news of a transfer.
    func noted(_ transfer: RunningTransfer) {
        let now = context.clocks.now
        if transfer.published.map({ now - $0 >= DaemonLimits.progressPace }) ?? true { publish(transfer, now) }
        arm()
    }

    /// It has ended, which is written down: whoever only follows progress sees how.
    func ended(_ transfer: RunningTransfer) {
        guard transfer.published != nil else { return }
        transfer.published = context.clocks.now
        compose(transfer, nil, rate: 0)
    }

    func stop() {
        timer?.cancel()
        timer = nil
    }

    /// As clients see how far it is.
    func rate(of transfer: RunningTransfer) -> Int64 { transfer.gauge.rate(now: context.clocks.now) }

    private func arm() {
        guard timer == nil else { return }
        timer = Reactor.shared.schedule(at: context.clocks.now + DaemonLimits.standstillPace) { [weak self] in
            guard let self else { return }
            timer = nil
            look()
        }
    }

    private func look() {
        let now = context.clocks.now
        var isNeeded = false
        for transfer in running() {
            guard let published = transfer.published else { continue }
            if now - published >= DaemonLimits.standstillPace, transfer.shownRate > 0 || transfer.hasNews {
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
        let composer = context.composer
        let id = transfer.id
        context.store.submitRead {
            try $0.transfer(id)
        } completion: { [weak context] result in
            guard case .success(let row?) = result else { return }
            let object = composer.transfer(
                row, rate: rate, bytesDone: progress.map { Int64(clamping: $0.bytesShown) },
                filesDone: progress.map { Int64($0.filesDone) })
            Reactor.shared.post { context?.events.ephemeral(.transferProgress, .update, object.json) }
        }
    }
}
