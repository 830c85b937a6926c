import Basics
import Crypto
import Glibc

/// What a fetch from many sources stores beyond a ``TransferJournal``.
public protocol DownloadJournal: TransferJournal {
    /// The list of hashes was received and proved by the root in the signed message. Comes before any content, just
    /// after ``TransferJournal/manifestReceived(_:)``.
    func hashesReceived(_ leaves: [UInt8]) throws
}

/// How a connection to a source ended.
public enum SourceEnd: Hashable, Sendable {
    /// Everything is here.
    case complete
    /// The connection broke, the source gave up, or the fetch was stopped; the source may be asked again.
    case ended(TransferFailure)
    /// The source sent wrong data, and must never be asked for this file again.
    case lied(String)
}

/// How a single file is opened that comes sealed, without its name and attributes.
public struct SealedDownload: Sendable {
    let seal: FileSeal
    /// The list that its sender would give.
    let manifest: Manifest

    public init(seal: FileSeal, manifest: Manifest) {
        self.seal = seal
        self.manifest = manifest
    }
}

/// Fetches a group's file from all sources at once: ``run()`` on one thread of the caller's, ``fetch(from:isAuthor:)``
/// on another for each source. After a broken fetch or a crash, a new job with a new plan continues.
public final class SwarmDownload: @unchecked Sendable {  // Owner: `parts` belongs to the thread of prepare and run.
    private let plan: ReceivePlan
    private let leaves: [UInt8]?
    private let journal: any DownloadJournal
    private let files: any FileLayer
    private let clocks: any Clocks
    private let progress: @Sendable (TransferProgress) -> Void
    private let isReady: @Sendable (SharedFile) -> Void
    private var parts: ReceivedParts?
    let state: DownloadState

    /// - Parameters:
    ///   - fileRoot: the file root in the signed message.
    ///   - leaves: the hashes, once the journal got them.
    ///   - opening: opens what comes sealed. Then the root is that of what is sealed, and its hashes are asked for each
    ///     time.
    ///   - isReady: called on the thread of ``run()`` as soon as other members can get what is here.
    ///   - progress: called on the thread of ``run()``, at most five times a second, and once at the end.
    public init(
        _ plan: ReceivePlan, fileRoot: TreeHash, leaves: [UInt8]?, opening: SealedDownload? = nil,
        journal: any DownloadJournal,
        clocks: any Clocks = SystemClocks(), files: any FileLayer = SystemFiles(),
        isReady: @escaping @Sendable (SharedFile) -> Void = { _ in },
        progress: @escaping @Sendable (TransferProgress) -> Void = { _ in }
    ) {
        self.plan = plan
        self.leaves = leaves
        self.journal = journal
        self.files = files
        self.clocks = clocks
        self.isReady = isReady
        self.progress = progress
        state = DownloadState(plan, fileRoot: fileRoot, opening: opening, clocks: clocks)
    }

    /// Stops the fetch; any thread may call it. ``run()`` then throws `.cancelled`, and all sources end.
    public func cancel() { state.stop() }

    /// Like ``ReceiveJob/prepare()``; to be called before ``run()``.
    /// - Returns: the outcome if nothing is left to do, so that no source is needed; otherwise nil.
    public func prepare() throws(TransferFailure) -> ReceiveOutcome? {
        if let outcome = try plan.finishedBefore(journal, files) { return outcome }
        let state = state
        if state.opening != nil {
            parts = try plan.partsOnDisk(journal, files) { state.isStopped }
            return nil
        }
        guard let leaves, let manifest = plan.manifest else { return nil }
        guard let list = SharedFileList(manifest: manifest, leaves: leaves), list.fileRoot == state.fileRoot else {
            throw .invalid("the list that was kept is another")
        }
        parts = try plan.partsOnDisk(journal, files) { state.isStopped }
        state.offer(list)
        return nil
    }

    /// Asks one source for what it has, until everything is here or the source ends. Blocking; closes the connection.
    public func fetch(from connection: BulkConnection, isAuthor: Bool) -> SourceEnd {
        DownloadSource(state, plan, connection, isAuthor: isAuthor).run()
    }

    /// Takes what the sources bring until everything has its final name.
    ///
    /// After a failure, received data is committed as far as the disk allows, so that the next job continues from
    /// there.
    public func run() throws(TransferFailure) -> ReceiveOutcome {
        do throws(TransferFailure) {
            let outcome = try DownloadLoop(
                plan, state, journal: journal, files: files, clocks: clocks, isReady: isReady, progress: progress
            ).run(drainParts())
            state.end(.success(()))
            return outcome
        } catch {
            let failure = state.isStopped ? .cancelled : error
            state.end(.failure(failure))
            throw failure
        }
    }

    private func drainParts() -> ReceivedParts? {
        defer { parts = nil }
        return parts
    }
}

/// The loop that owns part and journal, beside the sources' threads. It belongs to the thread of
/// ``SwarmDownload/run()``.
private final class DownloadLoop {
    private let plan: ReceivePlan
    private let state: DownloadState
    private let journal: any DownloadJournal
    private let files: any FileLayer
    private let clocks: any Clocks
    private let isReady: @Sendable (SharedFile) -> Void
    private var meter: ProgressMeter
    private var checkpoints: CheckpointThread?
    private var writer: PartWriter?
    private var sharedFile: SharedFile?
    private var pending: [ChunkRun] = []
    private var written = PartWriter.Written(bytesDone: 0, filesDone: 0)
    private var pendingBytes: UInt64 = 0
    private var lastCheckpoint: Instant

    init(
        _ plan: ReceivePlan, _ state: DownloadState, journal: any DownloadJournal, files: any FileLayer,
        clocks: any Clocks, isReady: @escaping @Sendable (SharedFile) -> Void,
        progress: @escaping @Sendable (TransferProgress) -> Void
    ) {
        self.plan = plan
        self.state = state
        self.journal = journal
        self.files = files
        self.clocks = clocks
        self.isReady = isReady
        lastCheckpoint = clocks.now
        meter = ProgressMeter(
            clocks: clocks, size: plan.offer.size, files: plan.offer.files, bytesDone: 0, report: progress)
    }

    func run(_ known: ReceivedParts?) throws(TransferFailure) -> ReceiveOutcome {
        let list = try awaitList()
        let parts: ReceivedParts
        if let known {
            parts = known
        } else {
            let manifest = state.opening?.manifest ?? list.manifest
            guard ReceiverMachine.matches(manifest, plan.offer) else { throw .invalid("the list is not the offer's") }
            do {
                try journal.manifestReceived(manifest)
                if state.opening == nil { try journal.hashesReceived(list.leaves) }
            } catch { throw .journal("\(error)") }
            parts = try ReceivedParts(plan, manifest: manifest, files: files)
        }
        do throws(TransferFailure) {
            try begin(list, parts)
            while !state.isComplete { try look(parts, list) }
            if let failure = state.nothingLeft { throw failure }
        } catch {
            keepWhatIsThere()
            throw error
        }
        return try finish(parts)
    }

    private func awaitList() throws(TransferFailure) -> SharedFileList {
        while true {
            if let list = state.list { return list }
            try state.check(now: clocks.now)
            usleep(DownloadState.tick)
        }
    }

    private func begin(_ list: SharedFileList, _ parts: ReceivedParts) throws(TransferFailure) {
        var leftOut = LeftOutFiles(plan)
        _ = try leftOut.refuseNames(parts)
        try parts.store.prepare(reserve: plan.freeSpaceReserve, bytesDone: parts.map.bytesDone)
        do {
            try parts.dropLeftOut()
            try parts.completeFiles()
        } catch { throw error.failure }
        checkpoints = CheckpointThread(
            files: files, descriptor: parts.store.root, scope: parts.store.syncScope, journal: journal)
        written = PartWriter.Written(bytesDone: parts.map.bytesDone, filesDone: parts.filesDone)
        let writer = PartWriter(
            parts.store, done: written,
            blocks: TransferLimits.receiveBlocks + TransferLimits.Swarm.sources + 1)
        try writer.start()
        self.writer = writer
        var have = ChunkSet(limit: list.layout.count)
        for run in parts.verifiedRuns { have.insert(run.first..<run.first + UInt64(run.count)) }
        let sharedFile = SharedFile(
            transfer: plan.transfer, wireID: plan.wireID, list: list, path: plan.partPath, have: have, isAuthor: false,
            seed: state.seed,
            clocks: clocks)
        self.sharedFile = sharedFile
        try state.begin(list, parts.map, leftOut, writer)
        isReady(sharedFile)
    }

    private func look(_ parts: ReceivedParts, _ list: SharedFileList) throws(TransferFailure) {
        try state.check(now: clocks.now)
        usleep(DownloadState.tick)
        drainWritten()
        let bytes = state.bytes
        let now = meter.update(bytesDone: bytes.done, arriving: bytes.arriving, filesDone: written.filesDone)
        guard
            pendingBytes >= TransferLimits.checkpointBytes || now - lastCheckpoint >= TransferLimits.checkpointInterval
        else { return }
        guard !pending.isEmpty || state.hasLeftOut, let checkpoints else {
            lastCheckpoint = now
            return
        }
        // The writing thread removes the left-out files first; only then may the journal store that they are left out.
        let leftOut = try state.drainLeftOut()
        drainWritten()
        let batch = batch(leftOut)
        guard try checkpoints.submit({ batch }) else {
            state.putBack(leftOut)
            return
        }
        pending = []
        pendingBytes = 0
        lastCheckpoint = now
        if plan.offer.isFolder { try parts.store.checkSpace(reserve: plan.freeSpaceReserve, needed: 0) }
    }

    private func drainWritten() {
        guard let new = writer?.drain() else { return }
        pendingBytes += new.bytesDone - min(new.bytesDone, written.bytesDone)
        written = new
        pending.append(joining: new.runs)
        sharedFile?.add(new.runs)
        for indices in state.chunksLeftOut() { sharedFile?.remove(indices) }
    }

    private func batch(_ leftOut: [LeftOutFile]) -> CheckpointThread.Batch {
        CheckpointThread.Batch(
            runs: pending, leftOut: leftOut, bytesDone: min(written.bytesDone, state.bytesDone),
            filesDone: written.filesDone)
    }

    /// Commits what was received, as far as the disk allows, after a failure.
    private func keepWhatIsThere() {
        // The sources hand over nothing from here on.
        state.close()
        writer?.stop()
        drainWritten()
        guard let checkpoints else { return }
        do throws(TransferFailure) {
            try checkpoints.stop()
            let batch = batch(try state.drainLeftOut())
            if !batch.isEmpty { try checkpoints.commitNow(batch) }
        } catch {
            // The earlier failure is the one that counts; uncommitted chunks are requested again.
        }
    }

    private func finish(_ parts: ReceivedParts) throws(TransferFailure) -> ReceiveOutcome {
        let leftOut = try state.drainLeftOut()
        state.close()
        writer?.stop()
        if let failure = writer?.problem { throw failure }
        drainWritten()
        try checkpoints?.stop()
        let path = try PartFinish.finish(parts.store, plan, batch(leftOut), journal)
        sharedFile?.moved(to: path)
        meter.finish(bytesDone: state.bytesDone, filesDone: written.filesDone)
        return ReceiveOutcome(path: path, size: parts.manifest.size, files: parts.manifest.files)
    }
}
