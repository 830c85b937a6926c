import Basics
import Reactor

/// Waits for the threads of transfers to let go when the daemon stops, but not for ever: a peer that keeps one busy
/// must not keep the daemon alive. What still runs then is as safe as in a crash.
@ReactorActor final class StopWait {
    private var waiters: [CheckedContinuation<Void, Never>] = []
    private var timer: TimerToken?

    /// - Parameter late: called if the time is over first.
    func wait(orLate late: @escaping @ReactorActor () -> Void) async {
        timer?.cancel()
        timer = Reactor.shared.schedule(at: Reactor.shared.now + TransferServiceLimits.transferStop) { [self] in
            guard !waiters.isEmpty else { return }
            late()
            end()
        }
        await withCheckedContinuation { waiters.append($0) }
    }

    func end() {
        timer?.cancel()
        for waiter in waiters { waiter.resume() }
        waiters = []
    }
}
