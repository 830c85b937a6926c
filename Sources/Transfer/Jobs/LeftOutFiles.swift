import Vocabulary

/// The files that a receiver leaves out: its own inspector refuses them, or the sender can't send them. It belongs to
/// the transfer's thread.
struct LeftOutFiles {
    private let plan: ReceivePlan
    /// Files left out on this connection that no checkpoint has yet.
    var pending: [LeftOutFile] = []
    /// The failure to throw if no file is left in the end.
    private(set) var nothingLeft = TransferFailure.refused(.invalid, path: "")

    init(_ plan: ReceivePlan) { self.plan = plan }

    /// Leaves out the files whose names are refused. Throws if that leaves nothing.
    /// - Returns: all files left out, including those of earlier connections.
    mutating func refuseNames(_ parts: ReceivedParts) throws(TransferFailure) -> [RefusedFile] {
        var refused = plan.leftOut
        if let last = refused.last { nothingLeft = .refused(last.reason, path: "") }
        if let inspector = plan.inspector {
            for index in 0..<parts.manifest.count where parts.manifest.kind(index) == .file {
                let file = UInt32(truncatingIfNeeded: index)
                let path = parts.manifest.path(index)
                guard !parts.map.leftOut.contains(file), let reason = inspector.refusal(ofName: path) else {
                    continue
                }
                nothingLeft = .refused(reason, path: "")
                guard parts.manifest.isFolder else { throw nothingLeft }
                parts.map.leaveOut(file: file)
                pending.append(LeftOutFile(file, of: parts.manifest, FileProblem(reason)))
                refused.append(RefusedFile(file: file, reason: reason))
            }
        }
        if parts.manifest.files > 0, parts.map.leftOut.count == parts.manifest.files { throw nothingLeft }
        return refused
    }

    /// Checks the first chunk of a file; nil if it is taken.
    func refusal(
        of content: UnsafeRawBufferPointer, file: UInt32, _ parts: ReceivedParts
    ) throws(TransferFailure) -> Reason? {
        guard let inspector = plan.inspector else { return nil }
        do {
            return try inspector.refusal(ofContent: content, path: parts.manifest.path(Int(file)))
        } catch { throw .interrupted("a file's type can't be told: \(error)") }
    }

    /// Checks a first chunk that consists of `count` zeros, like any other.
    func refusal(
        ofZeros count: Int, file: UInt32, _ parts: ReceivedParts
    ) throws(TransferFailure) -> Reason? {
        guard plan.inspector != nil else { return nil }
        let zeros = UnsafeMutableRawBufferPointer.allocate(byteCount: max(1, count), alignment: 16)
        defer { zeros.deallocate() }
        zeros.initializeMemory(as: UInt8.self, repeating: 0)
        return try refusal(of: UnsafeRawBufferPointer(rebasing: zeros[..<count]), file: file, parts)
    }

    /// Removes the bytes of a file that we refuse. Throws if it is the only file of a transfer, which can't be left
    /// out.
    mutating func refuse(
        _ file: UInt32, _ reason: Reason, _ parts: ReceivedParts
    ) throws(TransferFailure) {
        nothingLeft = .refused(reason, path: "")
        guard parts.manifest.isFolder else { throw nothingLeft }
        try drop(file, FileProblem(reason), parts)
    }

    /// Like ``refuse(_:_:_:)``, where another thread removes the file's bytes before the next checkpoint.
    mutating func refuseLater(_ file: UInt32, _ reason: Reason, _ manifest: Manifest) throws(TransferFailure) {
        nothingLeft = .refused(reason, path: "")
        guard manifest.isFolder else { throw nothingLeft }
        pending.append(LeftOutFile(file, of: manifest, FileProblem(reason)))
    }

    /// Removes the bytes of a file that the sender can't send.
    mutating func skip(_ file: UInt32, _ problem: FileProblem, _ parts: ReceivedParts) throws(TransferFailure) {
        nothingLeft = .peer(problem.reason, detail: problem.detail)
        try drop(file, problem, parts)
    }

    private mutating func drop(
        _ file: UInt32, _ problem: FileProblem, _ parts: ReceivedParts
    ) throws(TransferFailure) {
        do { try parts.store.drop(file: file) } catch { throw error.failure }
        pending.append(LeftOutFile(file, of: parts.manifest, problem))
    }
}
