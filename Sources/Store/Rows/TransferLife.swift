import Basics

/// What a transfer's row holds beside the thing itself: who holds it, when it got on, what is left of it on the disk.
public struct TransferLife: Hashable, Sendable {
    /// Who has paused a transfer. It goes on when nobody does any more.
    public struct Sides: OptionSet, Hashable, Sendable {
        public let rawValue: Int64
        public init(rawValue: Int64) { self.rawValue = rawValue }
        public static let us = Sides(rawValue: 1)
        public static let peer = Sides(rawValue: 2)
    }

    public var pausedBy: Sides = []
    /// When bytes of it first began to move.
    public var acceptedAt: WallTime?
    /// When bytes of it were last written down.
    public var lastProgressAt: WallTime?
    /// When the file was removed for its age (`files.keepDays`).
    public var removedAt: WallTime?
    /// Time of the last change of the content that the finished file had, nanoseconds since 1970.
    public var finalModified: Int64?
    /// There may be a part of it on the disk, under a name of its own.
    public var hasPart = false
    /// An older version began it: its part may have the name that parts had then. Not stored with the row.
    public var hasFormerPart = false
    /// Why it failed, in the words of the wire: they are more than those of the control interface.
    public var failure: String?

    public init() {}
}
