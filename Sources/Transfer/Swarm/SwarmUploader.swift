import Basics
import Crypto

/// Gives one member what we have of a group's file, until it has everything or leaves. Blocks on a thread of the
/// caller's.
public final class SwarmUploader: Sendable {
    private let sharedFile: SharedFile
    private let permits: @Sendable () -> Bool
    private let stopSwitch = StopSwitch()

    /// - Parameter permits: whether the other side may still have the file; asked at most once a second, before an
    ///   answer, on the thread of ``run(_:request:)``.
    public init(_ sharedFile: SharedFile, permits: @escaping @Sendable () -> Bool = { true }) {
        self.sharedFile = sharedFile
        self.permits = permits
    }

    /// Stops it; any thread may call it. ``run(_:request:)`` then throws `.cancelled`.
    public func cancel() { stopSwitch.stop() }

    /// Gives what the other side asks for. Closes the connection.
    /// - Returns: whether the other side has everything now.
    @discardableResult
    public func run(_ connection: BulkConnection, request: PieceRequest) throws(TransferFailure) -> Bool {
        stopSwitch.guardSocket(connection.socket)
        do throws(TransferFailure) {
            let isDone = try UploadLoop(sharedFile, connection, request, stopSwitch, permits).run()
            stopSwitch.release()
            connection.close()
            return isDone
        } catch {
            let wasStopped = stopSwitch.isStopped
            stopSwitch.release()
            if wasStopped { connection.close() } else { connection.closeGently() }
            throw wasStopped ? .cancelled : error
        }
    }
}

/// The state of one run.
private final class UploadLoop {
    private let sharedFile: SharedFile
    private let connection: BulkConnection
    private let stopSwitch: StopSwitch
    private let permits: @Sendable () -> Bool
    private let reader: SharedFileReader
    private let writer: RecordWriter
    private let wantsList: Bool
    private var told: ChunkSet
    private var version = 0
    private var lastAsk: Instant
    private var lastLook: Instant
    private let clocks = SystemClocks()

    init(
        _ sharedFile: SharedFile, _ connection: BulkConnection, _ request: PieceRequest, _ stopSwitch: StopSwitch,
        _ permits: @escaping @Sendable () -> Bool
    ) throws(TransferFailure) {
        self.sharedFile = sharedFile
        self.connection = connection
        self.stopSwitch = stopSwitch
        self.permits = permits
        told = ChunkSet(limit: sharedFile.list.layout.count)
        wantsList = request.wantsList
        lastAsk = clocks.now
        lastLook = lastAsk
        do {
            guard request.transfer == sharedFile.wireID, request.fileRoot == sharedFile.list.fileRoot else {
                throw TransferFailure.peer(.notFound, detail: "no such file")
            }
            guard let kind = request.ciphers.first(where: \.isAvailable) else {
                throw TransferFailure.unsupported("the two sides have no cipher in common")
            }
            reader = try SharedFileReader(sharedFile)
            let key = SecretBytes(random: 32)
            try connection.send(.accept(kind, key: key.withUnsafeBytes { Array($0) }, sendsManifest: wantsList))
            writer = RecordWriter(
                connection, cipher: try BulkCipher(kind, key: key), transfer: sharedFile.wireID)
        } catch let error as TransferFailure {
            if !error.isRetryable { try? connection.send(.reject(error.reason, detail: "")) }
            throw error
        } catch { throw .interrupted("cipher: \(error)") }
    }

    func run() throws(TransferFailure) -> Bool {
        if wantsList { try sendList() }
        while true {
            try tellNews()
            try writer.flush()
            if writer.isExhausted { throw .interrupted("the key has sealed enough; go on over a new connection") }
            while let message = try connection.receiveIfAvailable() {
                switch message {
                case .ask(let ranges, let count): try give(ranges, count)
                case .done: return true
                case .failed(let reason, let detail): throw .peer(reason, detail: detail)
                default: throw .invalid("a message that has no place here")
                }
            }
            if stopSwitch.isStopped { throw .cancelled }
            _ = connection.waits(milliseconds: TransferLimits.Swarm.lookMilliseconds)
            if clocks.now - lastAsk > TransferLimits.Swarm.idle { throw .interrupted("nothing is asked for") }
        }
    }

    private func sendList() throws(TransferFailure) {
        try ManifestCodec.forEachPage(of: sharedFile.list.manifest) { page, _ throws(TransferFailure) in
            try writer.write(RecordHeader(plaintext: page.count, kind: .manifest), page)
        }
        let leaves = sharedFile.list.leaves
        for start in stride(from: 0, to: leaves.count, by: TransferLimits.Swarm.pageBytes) {
            let page = Array(leaves[start..<min(leaves.count, start + TransferLimits.Swarm.pageBytes)])
            let first = UInt32(clamping: start / TreeHash.size)
            try writer.write(RecordHeader(plaintext: page.count, kind: .leaves, chunk: first), page)
        }
    }

    private func tellNews() throws(TransferFailure) {
        let ranges = sharedFile.news(since: &version, told: &told)
        var page: [UInt8] = []
        for (index, range) in ranges.enumerated() {
            page.appendBigEndian(range.lowerBound)
            page.appendBigEndian(range.upperBound - range.lowerBound)
            guard page.count >= TransferLimits.Swarm.pageBytes || index == ranges.count - 1 else { continue }
            try writer.write(RecordHeader(plaintext: page.count, kind: .have), page)
            page.removeAll(keepingCapacity: true)
        }
    }

    private func give(_ ranges: [Range<UInt64>], _ count: Int) throws(TransferFailure) {
        lastAsk = clocks.now
        try look()
        guard ranges.allSatisfy({ $0.upperBound <= sharedFile.list.layout.count }) else {
            throw .invalid("no such chunk")
        }
        var indices = sharedFile.choose(ranges, count: count)[...]
        defer { for chunkIndex in indices { sharedFile.gave(chunkIndex, bytes: 0, isWhole: false) } }
        while let chunkIndex = indices.first {
            let length = try send(chunkIndex)
            indices.removeFirst()
            sharedFile.gave(chunkIndex, bytes: length ?? 0, isWhole: length != nil)
            // Announce what has arrived meanwhile, because other members wait for it.
            try tellNews()
        }
        try writer.write(RecordHeader(plaintext: 0, kind: .end), [])
    }

    /// Checks that the member still belongs to the group; a removed one gets nothing more.
    private func look() throws(TransferFailure) {
        guard lastAsk - lastLook >= TransferLimits.Swarm.look else { return }
        lastLook = lastAsk
        guard !permits() else { return }
        let text = FileProblem(.notFound).encoded()
        try writer.write(RecordHeader(plaintext: text.count, kind: .failed), text)
        try writer.flush()
        throw .peer(.notAllowed, detail: "it is theirs no more")
    }

    /// - Returns: the bytes of the chunk; nil if it has changed and was not sent.
    private func send(_ chunkIndex: UInt64) throws(TransferFailure) -> Int? {
        let layout = sharedFile.list.layout
        guard let (file, chunk) = layout.locate(chunkIndex) else { return nil }
        let length = layout.length(file: file, chunk: chunk)
        let text = writer.text(length + TransferLimits.checksumBytes)
        let content = UnsafeMutableRawBufferPointer(rebasing: text[..<length])
        guard reader.read(chunkIndex, into: content) else {
            sharedFile.lost(chunkIndex)
            return nil
        }
        Checksum(of: UnsafeRawBufferPointer(content)).store(
            to: UnsafeMutableRawBufferPointer(rebasing: text[length...]))
        let isLast = UInt64(chunk) + 1 == layout.chunks(of: file)
        try writer.seal(
            RecordHeader(
                plaintext: text.count, kind: .data, flags: isLast ? RecordHeader.lastChunk : 0, file: file,
                chunk: chunk))
        return length
    }
}
