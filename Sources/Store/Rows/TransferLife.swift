import Basics
import Vocabulary

/// The state of a transfer beside its content: pauses, times, and what is left of it on the disk.
public struct TransferLife: Hashable, Sendable {
    /// The sides that have paused the transfer. It goes on when neither has.
    public var pausedBy: TransferPause?
    /// When its bytes first began to move.
    public var acceptedAt: WallTime?
    /// When the file was removed for its age (`files.keepDays`).
    public var removedAt: WallTime?
    /// The time of the finished file's last change of content, in nanoseconds since 1970.
    public var finalModified: Int64?
    /// Whether a part of it may be on the disk, under a name of its own.
    public var hasPart = false
    /// Why it failed, in the words of the wire, which are more than those of the control API.
    public var failure: Reason?

    /// Why the receiver holds the offer back, which may be us or the peer; nil unless it waits for that.
    public var heldBack: HoldReason?

    public init() {}
}
