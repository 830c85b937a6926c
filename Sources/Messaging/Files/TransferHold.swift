import Store
import Vocabulary

/// What pausing and resuming make of a transfer: the same on both sides, whoever does it. Only what is paused by nobody
/// goes on.
extension TransferRow {
    /// Whether this side holds it, alone or with the other.
    package func isHeld(by side: TransferPause) -> Bool { life.pausedBy == side || life.pausedBy == .both }

    /// A side holds it.
    /// - Returns: false if that changes nothing: it is over, or held by that side already. An offer that its sender holds
    ///   stays an offer until it is accepted.
    package mutating func hold(by side: TransferPause) -> Bool {
        guard !state.isOver, !isHeld(by: side) else { return false }
        life.pausedBy = life.pausedBy == nil ? side : .both
        if state != .offered { stand() }
        return true
    }

    /// A side doesn't hold it any more.
    /// - Returns: false if that changes nothing.
    package mutating func release(by side: TransferPause) -> Bool {
        guard !state.isOver, isHeld(by: side) else { return false }
        life.pausedBy = life.pausedBy == .both ? (side == .us ? .peer : .us) : nil
        if state == .paused, life.pausedBy == nil { state = .queued }
        return true
    }

    /// It is accepted or begins anew: it waits for its turn, unless somebody holds it.
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
