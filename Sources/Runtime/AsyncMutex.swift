import Reactor

/// Lets the jobs of one owner take effect in the order in which they came, even when one of them has work to do first:
/// requests of one connection reach the store in order, and changes of the account come one after the other.
///
/// While no job holds the lane, none waits: the usual request pays a comparison.
@ReactorActor package final class AsyncMutex {
    private var isTaken = false
    private var waiting: [CheckedContinuation<Void, Never>] = []

    package init() {}

    /// Waits for the jobs before, then holds the lane until ``leave()``.
    package func enter() async {
        if isTaken {
            await withCheckedContinuation { waiting.append($0) }
        }
        isTaken = true
    }

    /// Waits for the jobs before, without holding the lane.
    package func pass() async {
        guard isTaken else { return }
        await enter()
        leave()
    }

    package func leave() {
        if waiting.isEmpty {
            isTaken = false
        } else {
            // The lane stays taken: it goes straight to the next one.
            waiting.removeFirst().resume()
        }
    }
}
