import Basics
import Threads
import Vocabulary

/// The state that the threads of a fetch share.
final class DownloadState: Sendable {
    /// Microseconds between two checks of the thread that owns the part.
    static let tick: UInt32 = 20_000

    private struct State {
        var list: SharedFileList?
        /// Since when a source has been sending the list.
        var listSince: Instant?
        var machine: PiecePicker?
        var map = ChunkMap(ChunkLayout.none)
        var leftOut: LeftOutFiles
        var removed: [Range<UInt64>] = []
        var writer: PartWriter?
        var failure: TransferFailure?
        var result: Result<Void, TransferFailure>?
        var isStopped = false
        var sources: [Int: StopSwitch] = [:]
        var nextSource = 0
        /// The chunk that each source is sending, and how much of it has come.
        var underWay: [Int: (index: UInt64, bytes: UInt64)] = [:]
        /// For each missing chunk, the most pieces of it that ever came over one connection. The same pieces again are
        /// no progress.
        var seenPieces: [UInt64: UInt64] = [:]
        var lastSource: Instant
        var lastCame: Instant
    }

    let fileRoot: TreeHash
    let seed: UInt64
    let clocks: any Clocks
    /// Opens what comes sealed; nil if nothing does.
    let opening: SealedDownload?
    private let plan: ReceivePlan
    private let state: Lock<State>

    init(_ plan: ReceivePlan, fileRoot: TreeHash, opening: SealedDownload? = nil, clocks: any Clocks) {
        self.plan = plan
        self.opening = opening
        self.fileRoot = fileRoot
        self.clocks = clocks
        var random = SystemRandomNumberGenerator()
        seed = random.next()
        state = Lock(State(leftOut: LeftOutFiles(plan), lastSource: clocks.now, lastCame: clocks.now))
    }

    // MARK: - For the owner of the part

    var isStopped: Bool { state.withLock { $0.isStopped } }
    var list: SharedFileList? { state.withLock { $0.list } }
    var isComplete: Bool { state.withLock { $0.machine?.isComplete ?? false } }
    var bytesDone: UInt64 { state.withLock { $0.map.bytesDone } }
    /// The bytes done, and the bytes of chunks on their way. At the end two sources may send the same chunk.
    var bytes: (done: UInt64, arriving: UInt64) {
        state.withLock { state in
            var parts: [UInt64: UInt64] = [:]
            for part in state.underWay.values where state.machine?.lacks(part.index) == true {
                parts[part.index] = max(parts[part.index] ?? 0, part.bytes)
            }
            return (state.map.bytesDone, parts.values.reduce(0, +))
        }
    }
    var hasLeftOut: Bool { state.withLock { !$0.leftOut.pending.isEmpty } }
    /// The failure if there were files and none is left.
    var nothingLeft: TransferFailure? {
        state.withLock {
            plan.offer.files > 0 && $0.map.leftOut.count == plan.offer.files ? $0.leftOut.nothingLeft : nil
        }
    }

    func stop() {
        state.withLock { state in
            state.isStopped = true
            for source in state.sources.values { source.stop() }
        }
    }

    /// Throws the reason if the fetch can't go on.
    func check(now: Instant) throws(TransferFailure) {
        try state.withLock { (state) throws(TransferFailure) in
            if state.isStopped { throw .cancelled }
            if let failure = state.failure { throw failure }
            if !state.sources.isEmpty { state.lastSource = now }
            guard now - state.lastSource < TransferLimits.Swarm.alone else {
                throw .interrupted("nobody who has it can be reached")
            }
            guard now - state.lastCame < TransferLimits.Swarm.stuck else {
                throw .interrupted("nobody in reach has what is missing")
            }
        }
    }

    /// Takes the list, which its root has proved.
    func offer(_ list: SharedFileList) {
        state.withLock { state in
            if state.list == nil { state.list = list }
            state.lastCame = clocks.now
        }
    }

    /// Begins to ask sources. Chunks of zeros are recognised by their hashes and not requested.
    func begin(
        _ list: SharedFileList, _ map: ChunkMap, _ leftOut: LeftOutFiles, _ writer: PartWriter
    ) throws(TransferFailure) {
        try state.withLock { (state) throws(TransferFailure) in
            state.map = map
            state.leftOut = leftOut
            state.writer = writer
            state.lastCame = clocks.now
            var lacking = ChunkSet(limit: list.layout.count)
            for range in map.missing(limit: .max) {
                for index in range {
                    if try makeHole(index, list, writer, &state.map) { continue }
                    lacking.insert(index)
                }
            }
            state.machine = PiecePicker(lacking: lacking, seed: seed, now: clocks.now)
        }
    }

    private func makeHole(
        _ index: UInt64, _ list: SharedFileList, _ writer: PartWriter, _ map: inout ChunkMap
    ) throws(TransferFailure) -> Bool {
        // Of what is sealed, the hashes don't tell zeros.
        guard opening == nil, let (file, chunk) = list.layout.locate(index), list.leaf(index) == TreeHash.fullZeros,
            list.layout.length(file: file, chunk: chunk) == TransferLimits.chunkBytes,
            // The beginning of a file is inspected like any other.
            chunk > 0 || plan.inspector == nil
        else { return false }
        let block = try writer.block()
        let zeros = ChunkRun(first: index, checksums: Checksum.ofZeros(TransferLimits.chunkBytes).bytes)
        block.append(
            .punch(
                file: file, offset: UInt64(chunk) * UInt64(TransferLimits.chunkBytes),
                length: UInt64(TransferLimits.chunkBytes), chunks: zeros))
        map.insert(file: file, chunk: chunk)
        if map.isComplete(file: file) { block.append(.complete(file: file)) }
        try writer.submit(block)
        return true
    }

    /// The files left out since the last call, which are gone from the disk now.
    func drainLeftOut() throws(TransferFailure) -> [LeftOutFile] {
        try state.withLock { (state) throws(TransferFailure) in
            guard !state.leftOut.pending.isEmpty else { return [] }
            // No source hands over anything meanwhile. A stopped writer has nothing left to do.
            try state.writer?.settle()
            defer { state.leftOut.pending = [] }
            return state.leftOut.pending
        }
    }

    func putBack(_ files: [LeftOutFile]) { state.withLock { $0.leftOut.pending = files + $0.leftOut.pending } }

    /// The chunks of files left out since the last call.
    func chunksLeftOut() -> [Range<UInt64>] {
        state.withLock { state in
            defer { state.removed = [] }
            return state.removed
        }
    }

    /// Makes sure that nothing is handed to the writer from here on.
    func close() { state.withLock { $0.writer = nil } }

    /// Ends the fetch; the sources' threads end by themselves.
    func end(_ result: Result<Void, TransferFailure>) {
        state.withLock { state in
            state.result = result
            if case .failure = result { for source in state.sources.values { source.stop() } }
        }
    }

    // MARK: - For the sources

    /// What a source has to do next.
    enum Turn {
        case ask(PiecePicker.Ask)
        case wait
        case complete
        case stopped
    }

    enum Claim { case take, wait, known(SharedFileList) }

    func register(_ stop: StopSwitch) -> Int {
        state.withLock { state in
            state.nextSource += 1
            state.sources[state.nextSource] = stop
            if state.isStopped || state.result != nil { stop.stop() }
            return state.nextSource
        }
    }

    func unregister(_ source: Int) {
        state.withLock { state in
            state.sources[source] = nil
            state.underWay[source] = nil
            state.machine?.remove(source)
        }
    }

    /// Whether this source has to send the list.
    func claimList() -> Claim {
        state.withLock { state in
            if let list = state.list { return .known(list) }
            let now = clocks.now
            if let since = state.listSince, now - since < TransferLimits.Swarm.listPatience { return .wait }
            state.listSince = now
            return .take
        }
    }

    /// The source that was to send the list has ended.
    func releaseList() { state.withLock { $0.listSince = nil } }

    /// Registers the source with the machine. False if there is no machine yet.
    func join(_ source: Int, isAuthor: Bool) -> Bool {
        state.withLock { state in
            guard state.machine != nil else { return false }
            state.machine?.add(source, isAuthor: isAuthor, now: clocks.now)
            return true
        }
    }

    func has(_ source: Int, _ range: Range<UInt64>) { state.withLock { $0.machine?.has(source, range) } }
    func begins(_ index: UInt64, from source: Int) { state.withLock { $0.machine?.begins(index, from: source) } }

    /// Notes how much of a chunk has arrived. Only whole pieces count as progress; a byte now and then does not.
    func arrived(_ bytes: UInt64, of index: UInt64, from source: Int) {
        state.withLock { state in
            guard state.machine?.lacks(index) == true else { return }
            let pieces = bytes / UInt64(TransferLimits.pieceBytes)
            if pieces > state.seenPieces[index] ?? 0 {
                state.seenPieces[index] = pieces
                state.lastCame = clocks.now
            }
            state.underWay[source] = (index, bytes)
        }
    }

    func answered(_ source: Int) {
        state.withLock { state in
            state.underWay[source] = nil
            state.machine?.answered(source, now: clocks.now)
        }
    }

    func turn(of source: Int) -> Turn {
        state.withLock { state in
            switch state.result {
            case .success: return .complete
            case .failure: return .stopped
            case nil: break
            }
            if state.isStopped { return .stopped }
            return state.machine?.next(for: source, now: clocks.now).map { .ask($0) } ?? .wait
        }
    }

    /// A block into which a chunk is received. Throws the disk's failure.
    func block() throws(TransferFailure) -> ReceiveBlock? {
        guard let writer = state.withLock({ $0.writer }) else { return nil }
        do { return try writer.block() } catch {
            state.withLock { $0.failure = $0.failure ?? error }
            throw error
        }
    }

    func giveBack(_ block: ReceiveBlock) { state.withLock { $0.writer?.giveBack(block) } }

    /// Hands a verified chunk to the disk, unless it is there already or its file is left out.
    /// - Parameter text: the chunk's range in the block.
    func came(
        _ index: UInt64, file: UInt32, chunk: UInt32, from source: Int, in block: ReceiveBlock, text: Range<Int>,
        checksum: Checksum
    ) throws(TransferFailure) {
        try state.withLock { (state) throws(TransferFailure) in
            let now = clocks.now
            state.underWay[source] = nil
            guard state.machine?.came(index, from: source, now: now) == true,
                state.map.insert(file: file, chunk: chunk),
                let writer = state.writer
            else {
                state.writer?.giveBack(block)
                return
            }
            state.lastCame = now
            state.seenPieces[index] = nil
            block.append(
                .write(
                    file: file, offset: UInt64(chunk) * UInt64(TransferLimits.chunkBytes), text: text, index: index,
                    checksum: checksum))
            if state.map.isComplete(file: file) { block.append(.complete(file: file)) }
            do throws(TransferFailure) { try writer.submit(block) } catch {
                state.failure = state.failure ?? error
                throw error
            }
        }
    }

    /// Refuses a file because of its beginning.
    func refuse(
        _ file: UInt32, _ reason: Reason, from source: Int, in block: ReceiveBlock
    ) throws(TransferFailure) {
        try state.withLock { (state) throws(TransferFailure) in
            state.underWay[source] = nil
            do throws(TransferFailure) {
                guard let list = state.list, let writer = state.writer, !state.map.leftOut.contains(file) else {
                    state.writer?.giveBack(block)
                    return
                }
                try state.leftOut.refuseLater(file, reason, list.manifest)
                let indices = state.map.layout.indices(of: file)
                state.map.leaveOut(file: file)
                state.machine?.forget(indices)
                state.removed.append(indices)
                block.clear()
                block.append(.drop(file: file))
                try writer.submit(block)
            } catch {
                state.failure = state.failure ?? error
                throw error
            }
        }
    }
}
