import Basics

/// What is to be received and what is there already. The daemon keeps it in its database and makes it again after a
/// crash.
public struct ReceivePlan: Sendable {
    public let transfer: UUIDv7
    /// The name as offered; it must pass ``SafeName/problem(_:)``.
    public let name: String
    /// What was offered and accepted.
    public let offer: ReceiverMachine.Offer
    /// Absolute path of the folder to put it in; it must exist.
    public let directory: String
    /// Bytes that stay free on that file system.
    public let freeSpaceFloor: UInt64
    /// The manifest, once ``TransferJournal/manifestReceived(_:)`` had it.
    public let manifest: Manifest?
    /// Every chunk that was committed, in any order.
    public let committed: [ChunkRun]
    /// Every file that ``TransferJournal/leftOut(_:)`` had.
    public let leftOut: [RefusedFile]
    /// The last one that ``TransferJournal/willFinish(_:)`` had.
    public let finishMark: FinishMark?
    /// Permission bits that nothing received may have, as umask(2): the receiver's own word.
    public let mask: UInt16
    /// An older version may have begun it: its part may have the name that parts had then.
    public let hasFormerPart: Bool
    /// What is taken; nil takes everything.
    public let inspector: (any ContentInspector)?

    public init(
        transfer: UUIDv7, name: String, offer: ReceiverMachine.Offer, directory: String,
        freeSpaceFloor: UInt64 = TransferLimits.freeSpaceFloor, manifest: Manifest? = nil,
        committed: [ChunkRun] = [], leftOut: [RefusedFile] = [], finishMark: FinishMark? = nil, mask: UInt16 = 0o022,
        hasFormerPart: Bool = false, inspector: (any ContentInspector)? = nil
    ) {
        self.transfer = transfer
        self.name = name
        self.offer = offer
        self.directory = directory
        self.freeSpaceFloor = freeSpaceFloor
        self.manifest = manifest
        self.committed = committed
        self.leftOut = leftOut
        self.finishMark = finishMark
        self.mask = mask
        self.hasFormerPart = hasFormerPart
        self.inspector = inspector
    }

    /// Absolute path of the part file or part folder.
    public var partPath: String { path(of: partName) }
    var partName: String { SafeName.part(of: name, transfer: transfer) }
    /// What an older version may have called the part; nil where none has.
    var formerPartName: String? { hasFormerPart ? SafeName.formerPart(of: name, transfer: transfer) : nil }

    /// Removes the part, for a transfer that will not go on. Nothing there is no error. Blocking.
    public func discardPart() throws(TransferFailure) {
        do {
            try PartRemoval.remove(partName, in: directory)
            if let formerPartName { try PartRemoval.remove(formerPartName, in: directory) }
        } catch { throw error.failure }
    }

    private func path(of component: String) -> String {
        directory.hasSuffix("/") ? directory + component : directory + "/" + component
    }
}

/// How a receiving transfer ended well.
public struct ReceiveOutcome: Hashable, Sendable {
    /// Absolute path of what was received.
    public let path: String
    public let size: UInt64
    public let files: Int
}
