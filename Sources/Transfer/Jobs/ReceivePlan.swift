import Basics

/// What is to be received and what is already there. The daemon keeps it in its database and rebuilds it after a crash.
public struct ReceivePlan: Sendable {
    /// Names the transfer on this host, and its part file.
    public let transfer: UUIDv7
    /// What the sender calls it.
    public let wireID: UUIDv7
    /// The name as offered; it must pass ``SafeName/problem(_:)``.
    public let name: String
    /// What was offered and accepted.
    public let offer: ReceiverMachine.Offer
    /// The absolute path of the destination folder; it must exist.
    public let directory: String
    /// The bytes that must stay free on that file system.
    public let freeSpaceReserve: UInt64
    /// The manifest, once ``TransferJournal/manifestReceived(_:)`` got it.
    public let manifest: Manifest?
    /// All committed chunks, in any order.
    public let committed: [ChunkRun]
    /// All files that ``TransferJournal/leftOut(_:)`` got.
    public let leftOut: [RefusedFile]
    /// The last mark that ``TransferJournal/willFinish(_:)`` got.
    public let finishMark: FinishMark?
    /// Permission bits that no received file may have, as in umask(2); the receiver decides.
    public let mask: UInt16
    /// Whether no received file may be executed, whatever its sender says.
    public let isPlain: Bool
    /// Whether the file comes sealed, and its list may say nothing but its length.
    public let isSealed: Bool
    /// Looks at the content of what comes; nil if it may have any type.
    public let inspector: (any ContentInspector)?

    /// - Parameter wireID: nil if it is `transfer`.
    public init(
        transfer: UUIDv7, wireID: UUIDv7? = nil, name: String, offer: ReceiverMachine.Offer, directory: String,
        freeSpaceReserve: UInt64 = TransferLimits.freeSpaceReserve, manifest: Manifest? = nil,
        committed: [ChunkRun] = [], leftOut: [RefusedFile] = [], finishMark: FinishMark? = nil, mask: UInt16 = 0o022,
        isPlain: Bool = false, isSealed: Bool = false, inspector: (any ContentInspector)? = nil
    ) {
        self.transfer = transfer
        self.wireID = wireID ?? transfer
        self.name = name
        self.offer = offer
        self.directory = directory
        self.freeSpaceReserve = freeSpaceReserve
        self.manifest = manifest
        self.committed = committed
        self.leftOut = leftOut
        self.finishMark = finishMark
        self.mask = mask
        self.isPlain = isPlain
        self.isSealed = isSealed
        self.inspector = inspector
    }

    /// The same plan for a source that has the file sealed, under another id.
    public func sealed(as wireID: UUIDv7) -> ReceivePlan {
        ReceivePlan(
            transfer: transfer, wireID: wireID, name: name, offer: offer, directory: directory,
            freeSpaceReserve: freeSpaceReserve, manifest: manifest, committed: committed, leftOut: leftOut,
            finishMark: finishMark, mask: mask, isPlain: isPlain, isSealed: true, inspector: inspector)
    }

    /// The absolute path of the part file or part folder.
    public var partPath: String { path(of: partName) }
    var partName: String { SafeName.part(transfer) }

    /// Removes the part of a transfer that will not go on. A missing part is no error. Blocking.
    /// - Parameter files: the disk.
    public func discardPart(files: any FileLayer = SystemFiles()) throws(TransferFailure) {
        do throws(FileError) {
            let folder = try files.openFolder(directory)
            defer { files.close(folder) }
            // Do this while the part is there: only then is every file recognised that holds the final name for it.
            releaseName(in: folder, files)
            try Removal.remove(partName, in: directory)
        } catch { throw error.failure }
    }

    /// Removes the file that a daemon left under the final name, to hold it, when it died.
    func releaseName(in folder: CInt, _ files: any FileLayer) {
        guard let name = finishMark?.name else { return }
        FinalName.release(name, for: partName, in: folder, files)
    }

    private func path(of component: String) -> String {
        directory.hasSuffix("/") ? directory + component : directory + "/" + component
    }
}

/// The result of a successful receiving transfer.
public struct ReceiveOutcome: Hashable, Sendable {
    /// The absolute path of what was received.
    public let path: String
    public let size: UInt64
    public let files: Int
}
