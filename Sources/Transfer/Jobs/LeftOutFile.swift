/// A file of a folder that is left out while the rest goes on.
public struct LeftOutFile: Hashable, Sendable {
    /// Number of the entry in the manifest.
    public let file: UInt32
    /// Within what was offered.
    public let path: String
    /// Bytes, by the manifest.
    public let size: UInt64
    public let problem: FileProblem

    init(_ file: UInt32, of manifest: Manifest, _ problem: FileProblem) {
        self.init(
            file: file, path: manifest.path(Int(file)), size: manifest.size(Int(file)), problem: problem)
    }

    public init(file: UInt32, path: String, size: UInt64, problem: FileProblem) {
        self.file = file
        self.path = path
        self.size = size
        self.problem = problem
    }
}

/// Says what a receiver takes, file by file. Called on the transfer's thread.
public protocol ContentInspector: Sendable {
    /// By path within the offer (empty for a single file), before anything is asked for.
    func refusal(ofName path: String) -> TransferReason?
    /// The beginning of a file's content (its first chunk, at most 1 MiB; empty for an empty file), before it is written.
    /// Blocking.
    func refusal(ofContent bytes: UnsafeRawBufferPointer, path: String) throws -> TransferReason?
}

/// What a sender has to tell its caller of files left out: each once, many at a time. Belongs to the transfer's thread.
struct LeftOutNotes {
    private let tell: @Sendable ([LeftOutFile]) throws -> Void
    private var pending: [LeftOutFile] = []
    private var known: Set<UInt32> = []

    init(_ tell: @escaping @Sendable ([LeftOutFile]) throws -> Void) { self.tell = tell }

    mutating func add(_ file: LeftOutFile) throws(TransferFailure) {
        guard known.insert(file.file).inserted else { return }
        pending.append(file)
        if pending.count >= TransferLimits.refusalsPerMessage { try write() }
    }

    mutating func write() throws(TransferFailure) {
        guard !pending.isEmpty else { return }
        do { try tell(pending) } catch { throw .journal("\(error)") }
        pending = []
    }
}
