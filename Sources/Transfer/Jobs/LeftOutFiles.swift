/// What a receiver leaves out: by its own inspector, or because the sender can't send it. Belongs to the transfer's thread.
struct LeftOutFiles {
    private let plan: ReceivePlan
    /// Left out on this connection and not yet handed to a checkpoint.
    var pending: [LeftOutFile] = []
    /// What to say if nothing is left in the end.
    private(set) var nothingLeft = TransferFailure.refused(.invalid, path: "")

    init(_ plan: ReceivePlan) { self.plan = plan }

    /// Leaves out the files whose names are not taken. Throws if that leaves nothing.
    /// - Returns: all that are left out, also those of earlier connections.
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

    /// Looks at the first chunk of a file; nil if it is taken.
    func refusal(
        of content: UnsafeRawBufferPointer, file: UInt32, _ parts: ReceivedParts
    ) throws(TransferFailure) -> TransferReason? {
        guard let inspector = plan.inspector else { return nil }
        do {
            return try inspector.refusal(ofContent: content, path: parts.manifest.path(Int(file)))
        } catch { throw .interrupted("a file's type can't be told: \(error)") }
    }

    /// As for any other first chunk of that many bytes, of zeros.
    func refusal(
        ofZeros count: Int, file: UInt32, _ parts: ReceivedParts
    ) throws(TransferFailure) -> TransferReason? {
        guard plan.inspector != nil else { return nil }
        let zeros = UnsafeMutableRawBufferPointer.allocate(byteCount: max(1, count), alignment: 16)
        defer { zeros.deallocate() }
        zeros.initializeMemory(as: UInt8.self, repeating: 0)
        return try refusal(of: UnsafeRawBufferPointer(rebasing: zeros[..<count]), file: file, parts)
    }

    /// Removes what is there of a file that we refuse. The only file of a transfer can't be left out: then it throws.
    mutating func refuse(
        _ file: UInt32, _ reason: TransferReason, _ parts: ReceivedParts
    ) throws(TransferFailure) {
        nothingLeft = .refused(reason, path: "")
        guard parts.manifest.isFolder else { throw nothingLeft }
        try drop(file, FileProblem(reason), parts)
    }

    /// As ``refuse(_:_:_:)``, where what is there is removed by somebody else before the next checkpoint.
    mutating func refuseLater(_ file: UInt32, _ reason: TransferReason, _ manifest: Manifest) throws(TransferFailure) {
        nothingLeft = .refused(reason, path: "")
        guard manifest.isFolder else { throw nothingLeft }
        pending.append(LeftOutFile(file, of: manifest, FileProblem(reason)))
    }

    /// Removes what is there of a file that the sender can't send.
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
