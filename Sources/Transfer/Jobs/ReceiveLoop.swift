import Basics
import Crypto
import Vocabulary

/// The receiving loop of one connection. It belongs to the transfer's thread.
final class ReceiveLoop {
    private let plan: ReceivePlan
    private let connection: BulkConnection
    private let journal: any TransferJournal
    private let files: any FileLayer
    private let clocks: any Clocks
    private let reader: RecordReader
    private var machine: ReceiverMachine
    private var parts: ReceivedParts?
    private var meter: ProgressMeter
    private var checkpoints: CheckpointThread?
    /// Writes while the next records are received. It exists from the first record of content on.
    private var disk: DiskSide?
    private var lastCheckpoint: Instant
    /// The number of complete files, including those that were there before.
    private var filesDone = 0
    private var leftOut: LeftOutFiles

    /// Opens the transfer and agrees on a key.
    init(
        _ plan: ReceivePlan, _ connection: BulkConnection, disk: ReceivedParts?, journal: any TransferJournal,
        files: any FileLayer, clocks: any Clocks, progress: @escaping @Sendable (TransferProgress) -> Void
    ) throws(TransferFailure) {
        self.plan = plan
        self.connection = connection
        self.journal = journal
        self.files = files
        self.clocks = clocks
        leftOut = LeftOutFiles(plan)
        parts = disk
        // AES comes first: it is faster if both sides have hardware for it.
        let ciphers = [BulkCipher.Kind.aes256GCM, .chacha20Poly1305].filter(\.isAvailable)
        let request = OpenRequest(transfer: plan.wireID, ciphers: ciphers, manifestDigest: disk?.manifest.digest)
        try connection.send(.open(request))
        guard case .accept(let kind, var key, let sendsManifest) = try Self.answer(connection) else {
            throw .invalid("no answer to open")
        }
        guard ciphers.contains(kind), sendsManifest || disk != nil else { throw .invalid("an answer that doesn't fit") }
        let secret = SecretBytes(moving: &key)
        do {
            reader = RecordReader(connection, cipher: try BulkCipher(kind, key: secret), transfer: plan.wireID)
        } catch { throw .invalid("cipher: \(error)") }
        machine = ReceiverMachine(offer: plan.offer, hasManifest: !sendsManifest)
        filesDone = disk?.filesDone ?? 0
        meter = ProgressMeter(
            clocks: clocks, size: plan.offer.size, files: plan.offer.files, bytesDone: disk?.map.bytesDone ?? 0,
            report: progress)
        lastCheckpoint = clocks.now
    }

    /// The sender's answer. A `call` that crossed our `open` is skipped.
    private static func answer(_ connection: BulkConnection) throws(TransferFailure) -> BulkMessage {
        switch try connection.receive() {
        case .reject(let reason, let detail), .failed(let reason, let detail): throw .peer(reason, detail: detail)
        case let message: return message
        }
    }

    func run() throws(TransferFailure) -> ReceiveOutcome {
        do throws(TransferFailure) {
            let parts = try receiveManifest()
            try begin(parts)
            try receiveAll(parts)
            if machine.isNothingLeft { throw leftOut.nothingLeft }
        } catch {
            keepWhatIsThere()
            throw error
        }
        guard let parts else { throw .invalid("no manifest") }
        return try finish(parts)
    }

    // MARK: - Manifest

    private func receiveManifest() throws(TransferFailure) -> ReceivedParts {
        var received: Manifest?
        // The sender sends its list if it differs from ours or we have none. If we have chunks already, it must turn
        // out to be the same list.
        while machine.isWaitingForManifest {
            let header = try nextHeader()
            let body = try reader.body(header)
            guard header.kind == .manifest else { throw failure(header, body) }
            do { received = try machine.append(page: Array(body)[...]) } catch { throw .invalid("\(error)") }
        }
        guard let received else {
            guard let parts else { throw .invalid("no manifest") }
            return parts
        }
        if let parts {
            guard parts.manifest == received else { throw .invalid("the manifest changed") }
            return parts
        }
        do { try journal.manifestReceived(received) } catch { throw .journal("\(error)") }
        let parts = try ReceivedParts(plan, manifest: received, files: files)
        self.parts = parts
        // We have chunks without their list, because the database was damaged.
        if try !parts.verify(plan.committed, stopped: { false }) {
            do { try journal.committedChunksReplaced(parts.verifiedRuns) } catch { throw .journal("\(error)") }
        }
        filesDone = parts.filesDone
        return parts
    }

    private func begin(_ parts: ReceivedParts) throws(TransferFailure) {
        let refused = try leftOut.refuseNames(parts)
        try parts.store.prepare(reserve: plan.freeSpaceReserve, bytesDone: parts.map.bytesDone)
        do {
            try parts.dropLeftOut()
            try parts.completeFiles()
        } catch { throw error.failure }
        checkpoints = CheckpointThread(
            files: files, descriptor: parts.store.root, scope: parts.store.syncScope, journal: journal)
        let messages: [BulkMessage]
        do { messages = try machine.begin(parts.map, refused: refused) } catch { throw .invalid("\(error)") }
        for message in messages { try connection.send(message) }
        disk = try DiskSide(
            parts.store, done: PartWriter.Written(bytesDone: machine.map.bytesDone, filesDone: filesDone))
        meter.update(bytesDone: machine.map.bytesDone, filesDone: filesDone)
    }

    // MARK: - Content

    private func receiveAll(_ parts: ReceivedParts) throws(TransferFailure) {
        guard let disk else { throw .invalid("no part") }
        while !machine.isEnded {
            if reader.isDry { try disk.flush() }
            let header = try nextHeader()
            if header.kind == .data, header.plaintextBytes >= TransferLimits.readAheadBytes {
                try receiveLarge(header, parts, disk)
            } else {
                let body = try reader.body(header)
                switch header.kind {
                case .data:
                    let length = max(0, body.count - TransferLimits.checksumBytes)
                    let checksum = Checksum(of: UnsafeRawBufferPointer(rebasing: body[..<length]))
                    try receive(header, body, checksum, in: nil, parts, disk)
                case .hole: try receiveHole(header, body, parts, disk)
                case .fileEnd: try receiveFileEnd(header, body, disk)
                case .skipped: try receiveSkipped(header, body, parts, disk)
                case .end:
                    do { try machine.receivedEnd() } catch { throw .invalid("\(error)") }
                case .failed, .manifest, .leaves, .have: throw failure(header, body)
                }
            }
            if let credit = machine.drainCredit() { try connection.send(.credit(credit)) }
        }
        try disk.settle()
    }

    private func nextHeader() throws(TransferFailure) -> RecordHeader {
        let header = try reader.header()
        do { try machine.check(header) } catch { throw .invalid("\(error)") }
        return header
    }

    /// Takes a chunk that goes straight to where the disk takes it from.
    private func receiveLarge(
        _ header: RecordHeader, _ parts: ReceivedParts, _ disk: DiskSide
    ) throws(TransferFailure) {
        let block = try disk.emptyBlock()
        let (text, checksum) = try reader.chunk(header, into: block.memory, clocks: clocks) {
            meter.update(bytesDone: machine.map.bytesDone, arriving: $0, filesDone: filesDone)
        }
        try receive(header, text, checksum, in: block, parts, disk)
    }

    /// - Parameter block: the block that holds the chunk; nil for a small chunk, whose bytes are valid only until the
    ///   next header.
    private func receive(
        _ header: RecordHeader, _ body: UnsafeMutableRawBufferPointer, _ checksum: Checksum, in block: ReceiveBlock?,
        _ parts: ReceivedParts, _ disk: DiskSide
    ) throws(TransferFailure) {
        let length = body.count - TransferLimits.checksumBytes
        let content = UnsafeRawBufferPointer(rebasing: body[..<length])
        guard checksum == Checksum(loadingFrom: UnsafeRawBufferPointer(rebasing: body[length...])) else {
            throw .invalid("a chunk's checksum")
        }
        var isWanted = machine.received(header, checksum: checksum)
        if isWanted, header.chunk == 0 {
            let reason = try leftOut.refusal(of: content, file: header.file, parts)
            isWanted = try isTaken(header, reason, parts, disk)
        }
        guard isWanted, let chunkIndex = machine.map.layout.index(file: header.file, chunk: header.chunk) else {
            if let block { disk.giveBack(block) }
            return
        }
        try disk.write(
            content, in: block, file: header.file, offset: UInt64(header.chunk) * UInt64(TransferLimits.chunkBytes),
            index: chunkIndex, checksum: checksum)
        if length == TransferLimits.chunkBytes { try lookAtTheClock(disk) }
    }

    private func receiveHole(
        _ header: RecordHeader, _ body: UnsafeMutableRawBufferPointer, _ parts: ReceivedParts, _ disk: DiskSide
    ) throws(TransferFailure) {
        let count = UInt32(bigEndian: body.loadUnaligned(as: UInt32.self))
        let layout = machine.map.layout
        do { guard try machine.receivedHole(header, count: count) else { return } } catch { throw .invalid("\(error)") }
        if header.chunk == 0 {
            let length = layout.length(file: header.file, chunk: 0)
            let reason = try leftOut.refusal(ofZeros: length, file: header.file, parts)
            guard try isTaken(header, reason, parts, disk) else { return }
        }
        guard let chunkIndex = layout.index(file: header.file, chunk: header.chunk) else { return }
        var chunks = ChunkRun(first: chunkIndex, checksums: [])
        for index in 0..<count {
            let length = layout.length(file: header.file, chunk: header.chunk + index)
            _ = chunks.extend(chunkIndex + UInt64(index), checksum: Checksum.ofZeros(length))
        }
        try disk.punch(
            file: header.file, offset: UInt64(header.chunk) * UInt64(TransferLimits.chunkBytes),
            length: layout.bytes(file: header.file, chunk: header.chunk, count: UInt64(count)), chunks: chunks)
        try lookAtTheClock(disk)
    }

    private func receiveFileEnd(
        _ header: RecordHeader, _ body: UnsafeMutableRawBufferPointer, _ disk: DiskSide
    ) throws(TransferFailure) {
        let checksum = body.isEmpty ? nil : Checksum(loadingFrom: UnsafeRawBufferPointer(body))
        do { try machine.receivedFileEnd(header, checksum: checksum) } catch { throw .invalid("\(error)") }
        guard !machine.map.leftOut.contains(header.file) else { return }
        try disk.complete(file: header.file)
        filesDone += 1
        try lookAtTheClock(disk)
    }

    /// Checks the beginning of a file. False if it is refused; its bytes have then been removed.
    private func isTaken(
        _ header: RecordHeader, _ reason: Reason?, _ parts: ReceivedParts, _ disk: DiskSide
    ) throws(TransferFailure) -> Bool {
        guard let reason else { return true }
        try disk.settle()
        try leftOut.refuse(header.file, reason, parts)
        _ = machine.refuse(file: header.file)
        try connection.send(.refused([RefusedFile(file: header.file, reason: reason)]))
        return false
    }

    private func receiveSkipped(
        _ header: RecordHeader, _ body: UnsafeMutableRawBufferPointer, _ parts: ReceivedParts, _ disk: DiskSide
    ) throws(TransferFailure) {
        guard let problem = FileProblem(decoding: Array(body)[...]) else {
            throw .invalid("a skipped file without a reason")
        }
        // It may be the answer to our own refusal.
        if machine.receivedSkipped(header) {
            try disk.settle()
            try leftOut.skip(header.file, problem, parts)
        }
        try lookAtTheClock(disk)
    }

    /// The failure for a record that is not expected here: the sender's reason if it gives up, otherwise a violation.
    private func failure(_ header: RecordHeader, _ body: UnsafeMutableRawBufferPointer) -> TransferFailure {
        guard header.kind == .failed else { return .invalid("a record of kind \(header.kind)") }
        guard let map = (try? CBORDecoder.decode(Array(body)))?.mapValue,
            let (reason, detail) = BulkMessage.refusal(map)
        else { return .invalid("a failure that can't be read") }
        return .peer(reason, detail: detail)
    }

    // MARK: - Checkpoints and the end

    private func lookAtTheClock(_ disk: DiskSide) throws(TransferFailure) {
        let now = meter.update(bytesDone: machine.map.bytesDone, filesDone: filesDone)
        guard
            disk.bytesSinceCheckpoint >= TransferLimits.checkpointBytes
                || now - lastCheckpoint >= TransferLimits.checkpointInterval
        else { return }
        guard let checkpoints, try checkpoints.submit(batch) else { return }
        if plan.offer.isFolder { try disk.store.checkSpace(reserve: plan.freeSpaceReserve, needed: 0) }
        lastCheckpoint = now
    }

    /// Takes the batch for a checkpoint that is made now.
    private func batch() -> CheckpointThread.Batch {
        var batch = disk?.drain() ?? CheckpointThread.Batch()
        batch.leftOut = leftOut.pending
        leftOut.pending = []
        // Bytes of files that were left out after they had begun don't count any more.
        batch.bytesDone = min(batch.bytesDone, machine.map.bytesDone)
        return batch
    }

    /// Commits what was received, as far as the disk allows, after a failure.
    private func keepWhatIsThere() {
        disk?.stop()
        guard let checkpoints else { return }
        do throws(TransferFailure) {
            try checkpoints.stop()
            let batch = batch()
            if !batch.isEmpty { try checkpoints.commitNow(batch) }
        } catch {
            // The earlier failure is the one that counts; uncommitted chunks are requested again.
        }
    }

    private func finish(_ parts: ReceivedParts) throws(TransferFailure) -> ReceiveOutcome {
        disk?.stop()
        try checkpoints?.stop()
        let path = try PartFinish.finish(parts.store, plan, batch(), journal)
        meter.finish(bytesDone: machine.map.bytesDone, filesDone: filesDone)
        // The file is there whatever happens to this message: the session tells the sender too.
        try? connection.send(.done)
        return ReceiveOutcome(path: path, size: parts.manifest.size, files: parts.manifest.files)
    }
}
