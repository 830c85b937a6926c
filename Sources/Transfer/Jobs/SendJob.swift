import Basics
import Crypto

/// What is to be sent.
public struct SendPlan: Sendable {
    public let transfer: UUIDv7
    /// The absolute path of the file or folder.
    public let path: String
    /// The source as the scan found it.
    public let source: SourceList

    public init(transfer: UUIDv7, path: String, source: SourceList) {
        self.transfer = transfer
        self.path = path
        self.source = source
    }
}

/// Sends one transfer over one connection, blocking on a thread of the caller's.
public final class SendJob: Sendable {
    private let plan: SendPlan
    private let sent: SentChunks
    private let clocks: any Clocks
    private let leftOut: @Sendable ([LeftOutFile]) throws -> Void
    private let progress: @Sendable (TransferProgress) -> Void
    private let stopSwitch = StopSwitch()

    /// Both closures are called on the thread of ``run(_:request:)``.
    /// - Parameters:
    ///   - sent: what was sent on other connections since the daemon started.
    ///   - leftOut: gets files that can't be sent or that the receiver refuses; the same ones may come again on another
    ///     connection. It must be durable when it returns; if it throws, the transfer stops with
    ///     ``TransferFailure/journal(_:)``.
    ///   - progress: called at most five times a second, and once at the end.
    public init(
        _ plan: SendPlan, sent: SentChunks = SentChunks(), clocks: any Clocks = SystemClocks(),
        leftOut: @escaping @Sendable ([LeftOutFile]) throws -> Void = { _ in },
        progress: @escaping @Sendable (TransferProgress) -> Void
    ) {
        self.plan = plan
        self.sent = sent
        self.clocks = clocks
        self.leftOut = leftOut
        self.progress = progress
    }

    /// Stops the job; any thread may call it. ``run(_:request:)`` then throws `.cancelled`.
    public func cancel() { stopSwitch.stop() }

    /// Sends what the receiver lacks, and returns when the receiver has everything in its place. Closes the connection.
    /// - Parameter request: the greeting if the receiver dialled; nil if we did.
    public func run(_ connection: BulkConnection, request: OpenRequest?) throws(TransferFailure) {
        stopSwitch.guardSocket(connection.socket)
        do throws(TransferFailure) {
            // This avoids `??`, whose operand would lose the error's type.
            let greeting = if let request { Optional(request) } else { try SendLoop.call(plan, connection) }
            if let request = greeting {
                try SendLoop(
                    plan, connection, request: request, sent: sent, clocks: clocks, leftOut: leftOut,
                    progress: progress
                ).run()
            }
            stopSwitch.release()
            connection.close()
        } catch {
            let wasStopped = stopSwitch.isStopped
            stopSwitch.release()
            if wasStopped { connection.close() } else { connection.closeGently() }
            throw wasStopped ? .cancelled : error
        }
    }
}

/// The state of one run.
private final class SendLoop {
    private let connection: BulkConnection
    private let layout: ChunkLayout
    private let manifest: Manifest
    private let source: SourceReader
    private let writer: RecordWriter
    private var machine: SenderMachine
    private var meter: ProgressMeter
    private let sent: SentChunks
    private let clocks: any Clocks
    /// How long files may still be compared on this connection.
    private var comparison = TransferLimits.comparison
    private let stream = ChecksumStream()
    private let sendsManifest: Bool
    private var leftOut: LeftOutNotes
    /// The failure if nothing of a folder is left in the end.
    private var nothingLeft = TransferFailure.sourceChanged("")

    /// Checks the source and agrees on a key. If that fails it tells the receiver why.
    init(
        _ plan: SendPlan, _ connection: BulkConnection, request: OpenRequest, sent: SentChunks, clocks: any Clocks,
        leftOut: @escaping @Sendable ([LeftOutFile]) throws -> Void,
        progress: @escaping @Sendable (TransferProgress) -> Void
    ) throws(TransferFailure) {
        self.connection = connection
        self.sent = sent
        self.clocks = clocks
        self.leftOut = LeftOutNotes(leftOut)
        do {
            guard request.transfer == plan.transfer else { throw TransferFailure.invalid("another transfer's request") }
            manifest = plan.source.manifest
            source = try SourceReader(path: plan.path, source: plan.source, sent: sent)
            guard let kind = request.ciphers.first(where: \.isAvailable) else {
                throw TransferFailure.unsupported("the two sides have no cipher in common")
            }
            sendsManifest = request.manifestDigest != manifest.digest
            let key = SecretBytes(random: 32)
            let message = BulkMessage.accept(kind, key: key.withUnsafeBytes { Array($0) }, sendsManifest: sendsManifest)
            try connection.send(message)
            let cipher = try Self.cipher(kind, key)
            writer = RecordWriter(connection, cipher: cipher, transfer: plan.transfer)
        } catch let error as TransferFailure {
            if !error.isRetryable { try? connection.send(.reject(error.reason, detail: "")) }
            throw error
        } catch { throw .interrupted("\(error)") }
        layout = ChunkLayout(manifest)
        machine = SenderMachine(layout: layout)
        meter = ProgressMeter(
            clocks: clocks, size: manifest.size, files: manifest.files, bytesDone: 0, report: progress)
    }

    /// Names the transfer to the receiver that we dialled. Nil if the receiver already has everything.
    static func call(_ plan: SendPlan, _ connection: BulkConnection) throws(TransferFailure) -> OpenRequest? {
        try connection.send(.call(transfer: plan.transfer))
        // A receiver that already has much of the transfer reads that first.
        connection.setTimeout(seconds: TransferLimits.finishSeconds)
        switch try connection.receive() {
        case .open(let request):
            connection.setTimeout(seconds: TransferLimits.stallSeconds)
            return request
        case .done: return nil
        case .failed(let reason, let detail), .reject(let reason, let detail): throw .peer(reason, detail: detail)
        default: throw .invalid("no open message")
        }
    }

    private static func cipher(
        _ kind: BulkCipher.Kind, _ key: borrowing SecretBytes
    ) throws(TransferFailure) -> BulkCipher {
        do { return try BulkCipher(kind, key: key) } catch { throw .interrupted("cipher: \(error)") }
    }

    func run() throws(TransferFailure) {
        do {
            if sendsManifest {
                try ManifestCodec.forEachPage(of: manifest) { page, _ throws(TransferFailure) in
                    try writer.write(RecordHeader(plaintext: page.count, kind: .manifest), page)
                }
            }
            try writer.flush()
            try sendAll()
            try leftOut.write()
        } catch {
            try? leftOut.write()
            try? explain(error)
            throw refine(error)
        }
        meter.finish(bytesDone: bytesDone, filesDone: machine.filesDone)
    }

    private func sendAll() throws(TransferFailure) {
        var seenFlushes = 0
        while true {
            switch machine.next() {
            case .wait:
                try writer.flush()
                try receive(connection.receive())
            case .chunk(let file, let chunk, let length, let isLast):
                do throws(TransferFailure) {
                    try send(file: file, chunk: chunk, length: length, isLast: isLast)
                } catch { try skip(error) }
            case .fileEnd(let file, let isWhole):
                do throws(TransferFailure) {
                    try source.finish(file: file, isSame: isSame)
                } catch {
                    try skip(error)
                    continue
                }
                let checksum = isWhole ? sent.checksum(of: file, chunks: layout.chunks(of: file)) : nil
                let bytes = checksum?.bytes ?? []
                try writer.write(RecordHeader(plaintext: bytes.count, kind: .fileEnd, file: file), bytes)
                update()
            case .skipped(let file, let problem):
                try sendSkipped(file, problem)
            case .end:
                if machine.isNothingLeft { throw nothingLeft }
                try leftOut.write()
                try source.verifyEnd(isSame: isSame)
                try writer.write(RecordHeader(plaintext: 0, kind: .end), [])
                try writer.flush()
                connection.setTimeout(seconds: TransferLimits.finishSeconds)
            case .awaitDone:
                try receive(connection.receive())
                if machine.isDone { return }
            }
            // Checking for messages costs a system call, so do it only after a write that made one anyway.
            if writer.flushes != seenFlushes {
                seenFlushes = writer.flushes
                // After `done` the receiver closes, so no further messages are expected.
                while !machine.isDone, let message = try connection.receiveIfAvailable() { try receive(message) }
                if machine.isDone { return }
            }
            if writer.isExhausted { throw .interrupted("the key has sealed enough; go on over a new connection") }
        }
    }

    private func send(file: UInt32, chunk: UInt32, length: Int, isLast: Bool) throws(TransferFailure) {
        let offset = UInt64(chunk) * UInt64(TransferLimits.chunkBytes)
        let hole = try source.holeChunks(file: file, at: offset)
        if hole > 0 { return try sendHole(file: file, chunk: chunk, upTo: hole) }
        let text = writer.text(length + TransferLimits.checksumBytes)
        let header = RecordHeader(
            plaintext: text.count, kind: .data, flags: isLast ? RecordHeader.lastChunk : 0, file: file, chunk: chunk)
        stream.reset()
        var done = 0
        var failure: TransferFailure?
        do throws(TransferFailure) {
            try writer.seal(header) {
                guard done < text.count else { return nil }
                let (start, end) = (done, min(length, done + TransferLimits.pieceBytes))
                let piece = UnsafeMutableRawBufferPointer(rebasing: text[start..<end])
                do throws(TransferFailure) {
                    try source.read(into: piece, file: file, at: offset + UInt64(start))
                } catch {
                    failure = error
                    return nil
                }
                stream.update(UnsafeRawBufferPointer(piece))
                InteractivePriority.shared.give()
                done = end
                if end == length {
                    stream.value.store(to: UnsafeMutableRawBufferPointer(rebasing: text[length...]))
                    done = text.count
                }
                return start..<done
            }
        } catch { throw failure ?? error }
        sent.add(chunk, of: file, stream.value)
        if length == TransferLimits.chunkBytes { update() }
    }

    /// Compares a file with what was sent of it. The receiver hears nothing meanwhile, so a long comparison goes on
    /// over another connection. For a file in a folder that is not possible, and the file counts as changed.
    private func isSame(
        _ file: UInt32, changed: Int64,
        read: (UnsafeMutableRawBufferPointer, UInt64) throws(TransferFailure) -> Void
    ) throws(TransferFailure) -> Bool {
        let begun = clocks.now
        defer { comparison -= clocks.now - begun }
        return try sent.isSame(
            file, changed: changed, layout,
            mayGoOn: { () throws(TransferFailure) in
                if clocks.now - begun < comparison { return true }
                if file > 0 { return false }
                throw .interrupted("comparing with what was sent takes long; go on over a new connection")
            }, read: read)
    }

    private func sendHole(file: UInt32, chunk: UInt32, upTo chunks: UInt64) throws(TransferFailure) {
        let count = machine.makeHole(upTo: chunks)
        for index in 0..<count {
            let number = chunk + UInt32(truncatingIfNeeded: index)
            sent.add(number, of: file, Checksum.ofZeros(layout.length(file: file, chunk: number)))
        }
        let isLast = UInt64(chunk) + count == layout.chunks(of: file)
        var bytes: [UInt8] = []
        bytes.appendBigEndian(UInt32(truncatingIfNeeded: count))
        try writer.write(
            RecordHeader(
                plaintext: bytes.count, kind: .hole, flags: isLast ? RecordHeader.lastChunk : 0, file: file,
                chunk: chunk),
            bytes)
        update()
    }

    private func receive(_ message: BulkMessage) throws(TransferFailure) {
        if case .failed(let reason, let detail) = message { throw .peer(reason, detail: detail) }
        let hadRanges = machine.hasRanges
        do { try machine.receive(message) } catch { throw .invalid("\(error)") }
        if case .refused(let files) = message {
            for refused in files {
                nothingLeft = .peer(refused.reason, detail: "")
                try note(refused.file, FileProblem(refused.reason))
            }
        }
        if !hadRanges && machine.hasRanges { update() }
    }

    /// Leaves out a file of a folder that can't be sent; the rest goes on. Everything else ends the transfer.
    private func skip(_ failure: TransferFailure) throws(TransferFailure) {
        guard let problem = SourceReader.problemOfOneFile(failure), machine.skip(problem) else { throw failure }
        nothingLeft = failure
    }

    private func sendSkipped(_ file: UInt32, _ problem: FileProblem) throws(TransferFailure) {
        source.endReading()
        sent.forget(file)
        let bytes = problem.encoded()
        try writer.write(RecordHeader(plaintext: bytes.count, kind: .skipped, file: file), bytes)
        try note(file, problem)
        update()
    }

    private func note(_ file: UInt32, _ problem: FileProblem) throws(TransferFailure) {
        try leftOut.add(LeftOutFile(file, of: manifest, problem))
    }

    /// The bytes that the receiver has, as far as we know.
    private var bytesDone: UInt64 {
        let asked = manifest.size - min(manifest.size, machine.bytesWanted) + machine.bytesSent
        return asked - min(asked, machine.bytesLeftOut)
    }

    private func update() { meter.update(bytesDone: bytesDone, filesDone: machine.filesDone) }

    /// Tells the receiver why the transfer ends, if the reason is on our side.
    private func explain(_ failure: TransferFailure) throws(TransferFailure) {
        switch failure {
        case .interrupted, .peer, .cancelled: return
        case .sourceChanged, .sourceGone, .noSpace, .invalid, .unsupported, .refused, .io, .journal: break
        }
        let bytes = FileProblem(failure.reason).encoded()
        try writer.write(RecordHeader(plaintext: bytes.count, kind: .failed), bytes)
        try writer.flush()
    }

    /// Looks for an unread message that explains a broken write.
    private func refine(_ failure: TransferFailure) -> TransferFailure {
        guard case .interrupted = failure else { return failure }
        while let message = try? connection.receiveIfAvailable() {
            if case .failed(let reason, let detail) = message { return .peer(reason, detail: detail) }
        }
        return failure
    }
}
