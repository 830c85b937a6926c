import Store
import Vocabulary

/// What pausing and resuming make of a transfer: the same on both sides, whichever of them does it. A transfer goes on
/// only when neither side pauses it.
extension TransferRow {
    /// Whether this side has paused the transfer, alone or with the other.
    package func isPaused(by side: TransferPause) -> Bool { life.pausedBy == side || life.pausedBy == .both }

    /// Pauses the transfer for a side.
    /// - Returns: false if that changes nothing: the transfer is over, or that side has paused it already. An offer
    ///   that its sender pauses stays an offer until it is accepted.
    package mutating func pause(by side: TransferPause) -> Bool {
        guard !state.isOver, !isPaused(by: side) else { return false }
        life.pausedBy = life.pausedBy == nil ? side : .both
        if state != .offered { stop() }
        return true
    }

    /// Ends a side's pause.
    /// - Returns: false if that changes nothing.
    package mutating func resume(by side: TransferPause) -> Bool {
        guard !state.isOver, isPaused(by: side) else { return false }
        life.pausedBy = life.pausedBy == .both ? (side == .us ? .peer : .us) : nil
        if state == .paused, life.pausedBy == nil { state = .queued }
        return true
    }

    /// Queues a transfer that was accepted or starts again: it waits for a slot, unless a side has paused it.
    package mutating func queue() {
        if life.pausedBy == nil { state = .queued } else { stop() }
        reason = nil
        detail = nil
        finishedAt = nil
        life.failure = nil
        life.heldBack = nil
    }

    /// Whether a peer has offered this and neither the user nor the settings have taken it: it has no folder to go to.
    package var isUntaken: Bool { direction == .incoming && path == nil }

    private mutating func stop() {
        state = .paused
        reason = nil
        detail = nil
    }
}
