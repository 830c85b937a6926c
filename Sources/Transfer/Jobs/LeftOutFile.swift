import Vocabulary

/// A file of a folder that is left out while the rest of the transfer goes on.
public struct LeftOutFile: Hashable, Sendable {
    /// The number of the entry in the manifest.
    public let file: UInt32
    /// The path within the offer.
    public let path: String
    /// The file's bytes according to the manifest.
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

/// Decides what a receiver takes, file by file. It is called on the transfer's thread.
public protocol ContentInspector: Sendable {
    /// Checks a path within the offer (empty for a single file), before anything is requested.
    func refusal(ofName path: String) -> Reason?
    /// Checks the beginning of a file's content (its first chunk, at most 1 MiB; empty for an empty file), before it is
    /// written. Blocking.
    func refusal(ofContent bytes: UnsafeRawBufferPointer, path: String) throws -> Reason?
}

/// Left-out files that a sender has to report to its caller, each once and many at a time. It belongs to the transfer's
/// thread.
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
