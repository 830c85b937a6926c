import Basics

/// What the threads of a fetch share.
final class DownloadState: @unchecked Sendable {  // Owner: the monitor guards every field but the constants.
    /// Microseconds between two looks of the thread that owns the part.
    static let tick: UInt32 = 20_000

    let root: TreeHash
    let seed: UInt64
    private let plan: ReceivePlan
    let clocks: any Clocks
    private let monitor = Monitor()
    private var _list: SharedFileList?
    /// Since when somebody gives the list.
    private var listSince: Instant?
    private var machine: PiecePicker?
    private var map = ChunkMap(ChunkLayout.none)
    private var leftOut: LeftOutFiles
    private var removed: [Range<UInt64>] = []
    private var writer: PartWriter?
    private var failure: TransferFailure?
    private var result: Result<Void, TransferFailure>?
    private var _isStopped = false
    private var sources: [Int: StopSwitch] = [:]
    private var nextSource = 0
    /// What each source is giving: which chunk, and how much of it has come.
    private var underWay: [Int: (place: UInt64, bytes: UInt64)] = [:]
    /// Of chunks that are not here: how many pieces of one have ever come at once. The same again is no news.
    private var seenPieces: [UInt64: UInt64] = [:]
    private var lastSource: Instant
    private var lastCame: Instant

    init(_ plan: ReceivePlan, root: TreeHash, clocks: any Clocks) {
        self.plan = plan
        self.root = root
        self.clocks = clocks
        var random = SystemRandomNumberGenerator()
        seed = random.next()
        leftOut = LeftOutFiles(plan)
        lastSource = clocks.now
        lastCame = clocks.now
    }

    private func locked<Result, Failure: Error>(_ body: () throws(Failure) -> Result) throws(Failure) -> Result {
        monitor.lock()
        defer { monitor.unlock() }
        return try body()
    }

    // MARK: - For the owner of the part

    var isStopped: Bool { locked { _isStopped } }
    var list: SharedFileList? { locked { _list } }
    var isComplete: Bool { locked { machine?.isComplete ?? false } }
    var bytesDone: UInt64 { locked { map.bytesDone } }
    /// The same, and the bytes of chunks that are on their way. In the end two sources may give the same one.
    var bytes: (done: UInt64, arriving: UInt64) {
        locked {
            var parts: [UInt64: UInt64] = [:]
            for part in underWay.values where machine?.lacks(part.place) == true {
                parts[part.place] = max(parts[part.place] ?? 0, part.bytes)
            }
            return (map.bytesDone, parts.values.reduce(0, +))
        }
    }
    var hasLeftOut: Bool { locked { !leftOut.pending.isEmpty } }
    /// What to say if there were files and none is left.
    var nothingLeft: TransferFailure? {
        locked { plan.offer.files > 0 && map.leftOut.count == plan.offer.files ? leftOut.nothingLeft : nil }
    }

    func stop() {
        locked {
            _isStopped = true
            for source in sources.values { source.stop() }
        }
    }

    /// Throws why it can't go on.
    func check(now: Instant) throws(TransferFailure) {
        try locked { () throws(TransferFailure) in
            if _isStopped { throw .cancelled }
            if let failure { throw failure }
            if !sources.isEmpty { lastSource = now }
            guard now - lastSource < TransferLimits.SwarmBench.alone else {
                throw .interrupted("nobody who has it can be reached")
            }
            guard now - lastCame < TransferLimits.SwarmBench.stuck else {
                throw .interrupted("nobody in reach has what is missing")
            }
        }
    }

    /// The list is known, and proved by its root.
    func offer(_ list: SharedFileList) {
        locked {
            if _list == nil { _list = list }
            lastCame = clocks.now
        }
    }

    /// From here on sources are asked. Chunks of zeros are known by their hashes: nobody is asked for them.
    func begin(
        _ list: SharedFileList, _ map: ChunkMap, _ leftOut: LeftOutFiles, _ writer: PartWriter
    ) throws(TransferFailure) {
        try locked { () throws(TransferFailure) in
            self.map = map
            self.leftOut = leftOut
            self.writer = writer
            lastCame = clocks.now
            var lacking = PlaceSet(limit: list.layout.count)
            for range in map.missing(limit: .max) {
                for place in range {
                    if try makeHole(place, list, writer) { continue }
                    lacking.insert(place)
                }
            }
            machine = PiecePicker(layout: list.layout, lacking: lacking, seed: seed, now: clocks.now)
        }
    }

    private func makeHole(_ place: UInt64, _ list: SharedFileList, _ writer: PartWriter) throws(TransferFailure) -> Bool
    {
        guard let (file, chunk) = list.layout.locate(place), list.leaf(place) == TreeHash.fullZeros,
            list.layout.length(file: file, chunk: chunk) == TransferLimits.chunkBytes,
            // The beginning of a file is looked at like any other.
            chunk > 0 || plan.inspector == nil
        else { return false }
        let block = try writer.block()
        let zeros = ChunkRun(first: place, checksums: Checksum.ofZeros(TransferLimits.chunkBytes).bytes)
        block.append(
            .punch(
                file: file, offset: UInt64(chunk) * UInt64(TransferLimits.chunkBytes),
                length: UInt64(TransferLimits.chunkBytes), chunks: zeros))
        map.insert(file: file, chunk: chunk)
        if map.isComplete(file: file) { block.append(.complete(file: file)) }
        try writer.submit(block)
        return true
    }

    /// What was left out since the last time and is gone from the disk now.
    func takeLeftOut() throws(TransferFailure) -> [LeftOutFile] {
        try locked { () throws(TransferFailure) in
            guard !leftOut.pending.isEmpty else { return [] }
            // Nobody hands over anything meanwhile. A writer that was stopped has nothing left to do.
            try writer?.settle()
            defer { leftOut.pending = [] }
            return leftOut.pending
        }
    }

    func putBack(_ files: [LeftOutFile]) { locked { leftOut.pending = files + leftOut.pending } }

    /// Places of files left out since the last call.
    func placesLeftOut() -> [Range<UInt64>] {
        locked {
            defer { removed = [] }
            return removed
        }
    }

    /// Nothing is handed to the writer from here on.
    func close() { locked { writer = nil } }

    /// It is over; the sources' threads end by themselves.
    func end(_ result: Result<Void, TransferFailure>) {
        locked {
            self.result = result
            if case .failure = result { for source in sources.values { source.stop() } }
        }
    }

    // MARK: - For the sources

    /// What a source does next.
    enum Turn {
        case ask(PiecePicker.Ask)
        case wait
        case complete
        case stopped
    }

    enum Claim { case take, wait, known(SharedFileList) }

    func register(_ stop: StopSwitch) -> Int {
        locked {
            nextSource += 1
            sources[nextSource] = stop
            if _isStopped || result != nil { stop.stop() }
            return nextSource
        }
    }

    func unregister(_ source: Int) {
        locked {
            sources[source] = nil
            underWay[source] = nil
            machine?.remove(source)
        }
    }

    /// Whether this source is to give the list.
    func claimList() -> Claim {
        locked {
            if let _list { return .known(_list) }
            let now = clocks.now
            if let since = listSince, now - since < TransferLimits.SwarmBench.listPatience { return .wait }
            listSince = now
            return .take
        }
    }

    /// Whoever was to give the list has ended.
    func releaseList() { locked { listSince = nil } }

    /// Makes the source known to the machine as soon as there is one.
    func join(_ source: Int, isAuthor: Bool) -> Bool {
        locked {
            guard machine != nil else { return false }
            machine?.add(source, isAuthor: isAuthor, now: clocks.now)
            return true
        }
    }

    func has(_ source: Int, _ range: Range<UInt64>) { locked { machine?.has(source, range) } }
    func begins(_ place: UInt64, from source: Int) { locked { machine?.begins(place, from: source) } }

    /// A part of a chunk has come. That somebody still gives something is believed of pieces, and not of a byte now and then.
    func arrived(_ bytes: UInt64, of place: UInt64, from source: Int) {
        locked {
            guard machine?.lacks(place) == true else { return }
            let pieces = bytes / UInt64(TransferLimits.pieceBytes)
            if pieces > seenPieces[place] ?? 0 {
                seenPieces[place] = pieces
                lastCame = clocks.now
            }
            underWay[source] = (place, bytes)
        }
    }

    func answered(_ source: Int) {
        locked {
            underWay[source] = nil
            machine?.answered(source, now: clocks.now)
        }
    }

    func turn(of source: Int) -> Turn {
        locked {
            switch result {
            case .success: return .complete
            case .failure: return .stopped
            case nil: break
            }
            if _isStopped { return .stopped }
            return machine?.next(for: source, now: clocks.now).map { .ask($0) } ?? .wait
        }
    }

    /// Where a chunk is received. Throws what went wrong on disk.
    func block() throws(TransferFailure) -> ReceiveBlock? {
        guard let writer = locked({ writer }) else { return nil }
        do { return try writer.block() } catch {
            locked { failure = failure ?? error }
            throw error
        }
    }

    func giveBack(_ block: ReceiveBlock) { locked { writer?.giveBack(block) } }

    /// A chunk is right: to the disk with it, unless it is there or its file is left out.
    /// - Parameter text: where it lies in the block.
    func came(
        _ place: UInt64, file: UInt32, chunk: UInt32, from source: Int, in block: ReceiveBlock, text: Range<Int>,
        checksum: Checksum
    ) throws(TransferFailure) {
        try locked { () throws(TransferFailure) in
            let now = clocks.now
            underWay[source] = nil
            guard machine?.came(place, from: source, now: now) == true, map.insert(file: file, chunk: chunk),
                let writer
            else {
                writer?.giveBack(block)
                return
            }
            lastCame = now
            seenPieces[place] = nil
            block.append(
                .write(
                    file: file, offset: UInt64(chunk) * UInt64(TransferLimits.chunkBytes), text: text, place: place,
                    checksum: checksum))
            if map.isComplete(file: file) { block.append(.complete(file: file)) }
            do throws(TransferFailure) { try writer.submit(block) } catch {
                failure = failure ?? error
                throw error
            }
        }
    }

    /// A file is not taken, by its beginning.
    func refuse(
        _ file: UInt32, _ reason: TransferReason, from source: Int, in block: ReceiveBlock
    ) throws(TransferFailure) {
        try locked { () throws(TransferFailure) in
            underWay[source] = nil
            do throws(TransferFailure) {
                guard let list = _list, let writer, !map.leftOut.contains(file) else {
                    writer?.giveBack(block)
                    return
                }
                try leftOut.refuseLater(file, reason, list.manifest)
                let places = map.layout.places(of: file)
                map.leaveOut(file: file)
                machine?.forget(places)
                removed.append(places)
                block.clear()
                block.append(.drop(file: file))
                try writer.submit(block)
            } catch {
                failure = failure ?? error
                throw error
            }
        }
    }
}
