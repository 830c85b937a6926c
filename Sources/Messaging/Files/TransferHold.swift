import Store
import Vocabulary

/// What pausing and resuming make of a transfer: the same on both sides, whichever of them does it. A transfer goes on
/// only when neither side pauses it.
extension TransferRow {
    /// Whether this side holds the transfer, alone or with the other.
    package func isHeld(by side: TransferPause) -> Bool { life.pausedBy == side || life.pausedBy == .both }

    /// A side holds the transfer.
    /// - Returns: false if that changes nothing: the transfer is over, or that side holds it already. An offer that its
    ///   sender holds stays an offer until it is accepted.
    package mutating func hold(by side: TransferPause) -> Bool {
        guard !state.isOver, !isHeld(by: side) else { return false }
        life.pausedBy = life.pausedBy == nil ? side : .both
        if state != .offered { stand() }
        return true
    }

    /// A side doesn't hold the transfer any more.
    /// - Returns: false if that changes nothing.
    package mutating func release(by side: TransferPause) -> Bool {
        guard !state.isOver, isHeld(by: side) else { return false }
        life.pausedBy = life.pausedBy == .both ? (side == .us ? .peer : .us) : nil
        if state == .paused, life.pausedBy == nil { state = .queued }
        return true
    }

    /// The transfer is accepted or begins anew: it waits for its turn, unless a side holds it.
    package mutating func line() {
        if life.pausedBy == nil { state = .queued } else { stand() }
        reason = nil
        detail = nil
        finishedAt = nil
        life.failure = nil
    }

    private mutating func stand() {
        state = .paused
        reason = nil
        detail = nil
    }
}
