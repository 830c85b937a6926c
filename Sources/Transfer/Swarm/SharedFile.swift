import Basics
import Crypto
import Threads

/// A member's part of a group's file, which it gives to others. The threads that give it and the one that fetches it
/// share it.
public final class SharedFile: Sendable {
    private struct State {
        var giver: UploadChooser
        var have: ChunkSet
        var path: String
        var version = 0
        var bytesGiven: UInt64 = 0
        var hasChanged = false
    }

    /// Names the transfer on this host.
    public let transfer: UUIDv7
    /// What the members call it.
    public let wireID: UUIDv7
    public let list: SharedFileList
    /// Seals what is given; nil if it is given as it lies on the disk.
    let seal: FileSeal?
    private let clocks: any Clocks
    private let state: Lock<State>

    /// - Parameters:
    ///   - wireID: nil if it is `transfer`.
    ///   - path: the absolute path of the file or folder, or of its part.
    ///   - have: the chunks that are here; nil for all.
    ///   - seal: seals what is given; the list has its hashes.
    ///   - isAuthor: whether this member is the author, which gives what it has given least.
    public init(
        transfer: UUIDv7, wireID: UUIDv7? = nil, list: SharedFileList, path: String, have: ChunkSet? = nil,
        seal: FileSeal? = nil, isAuthor: Bool, seed: UInt64,
        clocks: any Clocks = SystemClocks()
    ) {
        self.transfer = transfer
        self.wireID = wireID ?? transfer
        self.list = list
        self.seal = seal
        self.clocks = clocks
        state = Lock(
            State(
                giver: UploadChooser(chunks: list.layout.count, isAuthor: isAuthor, seed: seed, now: clocks.now),
                have: have ?? ChunkSet(allBelow: list.layout.count), path: path))
    }

    /// The current path.
    public var path: String { state.withLock { $0.path } }
    /// The bytes of content given so far.
    public var bytesGiven: UInt64 { state.withLock { $0.bytesGiven } }
    /// Whether a chunk differed from the list, because the file has changed.
    public var hasChanged: Bool { state.withLock { $0.hasChanged } }

    /// Notes the path after the part was renamed.
    func moved(to path: String) { state.withLock { $0.path = path } }

    /// Adds chunks that are on disk now.
    func add(_ runs: [ChunkRun]) {
        guard !runs.isEmpty else { return }
        state.withLock { state in
            for run in runs { state.have.insert(run.first..<run.first + UInt64(run.count)) }
            state.version += 1
        }
    }

    func remove(_ indices: Range<UInt64>) { state.withLock { for index in indices { $0.have.remove(index) } } }

    /// The present chunks that were not announced yet; nil if nothing is new since the version that the caller knows.
    func news(since version: inout Int, told: inout ChunkSet) -> [Range<UInt64>] {
        state.withLock { state in
            guard version != state.version + 1 else { return [] }
            version = state.version + 1
            var new = state.have
            new.subtract(told)
            told.formUnion(new)
            return new.ranges()
        }
    }

    func choose(_ ranges: [Range<UInt64>], count: Int) -> [UInt64] {
        state.withLock { $0.giver.choose(ranges, count: count, have: $0.have, now: clocks.now) }
    }

    func gave(_ index: UInt64, bytes: Int, isWhole: Bool) {
        state.withLock { state in
            state.giver.gave(index, isWhole: isWhole, now: clocks.now)
            if isWhole { state.bytesGiven += UInt64(bytes) }
        }
    }

    /// Removes a chunk whose content differs from the list.
    func lost(_ index: UInt64) {
        state.withLock { state in
            state.have.remove(index)
            state.hasChanged = true
        }
    }
}
