import Reactor

/// Lets requests of one connection reach the store in the order in which they came, even when one of them first has
/// work to do on disk.
///
/// Nobody waits while nobody prepares anything: the usual message pays a comparison.
@ReactorActor package final class OrderedLane {
    private var isTaken = false
    private var waiting: [CheckedContinuation<Void, Never>] = []

    package init() {}

    /// Waits for those before, then holds the lane until ``leave()``.
    package func enter() async {
        if isTaken {
            await withCheckedContinuation { waiting.append($0) }
        }
        isTaken = true
    }

    /// Waits for those before, without holding the lane.
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
