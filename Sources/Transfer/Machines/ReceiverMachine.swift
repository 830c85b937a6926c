import Basics

/// The receiving side: checks every record of the sender against what was offered, requested and granted.
///
/// Order of calls: ``append(page:)`` until a manifest comes (or start with a known one), ``begin(_:)`` once, then for
/// each record ``check(_:)`` before its body is read and the method of its kind after it has been opened.
public struct ReceiverMachine: Sendable {
    /// What was offered in the session and accepted by the user. The manifest must agree with it.
    public struct Offer: Hashable, Sendable {
        public let isFolder: Bool
        /// The bytes of all files.
        public let size: UInt64
        /// The number of files, without folders.
        public let files: Int

        public init(isFolder: Bool, size: UInt64, files: Int) {
            self.isFolder = isFolder
            self.size = size
            self.files = files
        }
    }

    /// How the sender broke the protocol.
    public enum Violation: Error, Hashable, Sendable, CustomStringConvertible {
        case unexpectedRecord(RecordHeader.Kind)
        case manifest(Manifest.Problem)
        /// The manifest differs from the offer, or from an earlier manifest.
        case manifestDiffers
        /// A chunk was not requested, comes twice, or out of order.
        case notAsked(file: UInt32, chunk: UInt32)
        /// A chunk's length doesn't fit its file's size, or the mark of the last chunk is wrong.
        case length(file: UInt32, chunk: UInt32)
        /// More bytes came than were granted.
        case credit
        case checksum(file: UInt32)
        /// The end came before every requested chunk had come or been skipped.
        case incomplete

        public var description: String {
            switch self {
            case .unexpectedRecord(let kind): "a record of kind \(kind.rawValue) came that is not permitted here"
            case .manifest(let problem): "the list of files: \(problem)"
            case .manifestDiffers: "the list of files is another than was offered"
            case .notAsked(let file, let chunk): "chunk \(chunk) of file \(file) was not asked for"
            case .length(let file, let chunk): "chunk \(chunk) of file \(file) has a wrong length"
            case .credit: "more came than was granted"
            case .checksum(let file): "the checksum of file \(file) is wrong"
            case .incomplete: "the end came before all was sent"
            }
        }
    }

    private enum State: Hashable, Sendable { case manifest, ready, receiving, ended }

    private let offer: Offer
    private var state: State
    private var assembler = ManifestAssembler()
    private var wanted: [Range<UInt64>] = []
    private var rangeIndex = 0
    /// The next index that may come; everything before it is over.
    private var index: UInt64 = 0
    private var currentFile: UInt32?
    private var fileChecksums: [Checksum] = []
    /// Bytes that may still come, and bytes that came since the last grant.
    private var open: UInt64 = 0
    private var consumed: UInt64 = 0

    /// The chunks that are there, from ``begin(_:)`` on.
    public private(set) var map = ChunkMap(ChunkLayout.none)

    /// - Parameter hasManifest: whether the manifest is known from an earlier connection, and the sender will not send
    ///   it again.
    public init(offer: Offer, hasManifest: Bool) {
        self.offer = offer
        state = hasManifest ? .ready : .manifest
    }

    var isWaitingForManifest: Bool { state == .manifest }

    public var isEnded: Bool { state == .ended }

    /// Takes a manifest page. Returns the manifest once the last page is there.
    public mutating func append(page: ArraySlice<UInt8>) throws(Violation) -> Manifest? {
        guard state == .manifest else { throw .unexpectedRecord(.manifest) }
        let manifest: Manifest?
        do { manifest = try assembler.append(page: page) } catch { throw .manifest(error) }
        guard let manifest else { return nil }
        guard Self.matches(manifest, offer) else { throw .manifestDiffers }
        state = .ready
        return manifest
    }

    /// Whether a manifest agrees with the offer.
    public static func matches(_ manifest: Manifest, _ offer: Offer) -> Bool {
        manifest.isFolder == offer.isFolder && manifest.size == offer.size && manifest.files == offer.files
    }

    /// The messages that request what the map lacks and open the window.
    /// - Parameter refused: every file that the map leaves out, with the reason. The sender is told all of them each
    ///   time, since it may have forgotten what it got on another connection.
    public mutating func begin(_ map: ChunkMap, refused: [RefusedFile] = []) throws(Violation) -> [BulkMessage] {
        guard state == .ready else { throw .manifestDiffers }
        self.map = map
        wanted = map.missing()
        index = wanted.first?.lowerBound ?? 0
        state = .receiving
        open = TransferLimits.window
        var messages: [BulkMessage] = []
        var start = 0
        while start < refused.count {
            let end = min(refused.count, start + TransferLimits.refusalsPerMessage)
            messages.append(.refused(Array(refused[start..<end])))
            start = end
        }
        start = 0
        repeat {
            let end = min(wanted.count, start + TransferLimits.rangesPerMessage)
            messages.append(.want(Array(wanted[start..<end]), isComplete: end == wanted.count))
            start = end
        } while start < wanted.count
        messages.append(.credit(open))
        return messages
    }

    /// Checks a header before anything after it is read.
    public mutating func check(_ header: RecordHeader) throws(Violation) {
        switch header.kind {
        case .failed: return
        case .leaves, .have: throw .unexpectedRecord(header.kind)
        case .manifest:
            guard state == .manifest else { throw .unexpectedRecord(header.kind) }
        case .end:
            guard state == .receiving else { throw .unexpectedRecord(header.kind) }
        case .data, .hole, .fileEnd, .skipped:
            guard state == .receiving else { throw .unexpectedRecord(header.kind) }
            let bytes = UInt64(header.recordBytes)
            guard bytes <= open else { throw .credit }
            open -= bytes
            consumed += bytes
            switch header.kind {
            case .fileEnd: try checkEnd(header)
            case .skipped: try checkSkipped(header)
            default: try checkChunk(header)
            }
        }
    }

    /// Takes a chunk whose checksum has been computed and compared. False if it must not be written, because it was
    /// there already or its file was refused meanwhile.
    public mutating func received(_ header: RecordHeader, checksum: Checksum) -> Bool {
        advance(header, count: 1)
        fileChecksums.append(checksum)
        return map.insert(file: header.file, chunk: header.chunk)
    }

    /// Takes a hole, with the number of chunks read from its record. False if nothing of it may be written.
    @discardableResult
    public mutating func receivedHole(_ header: RecordHeader, count: UInt32) throws(Violation) -> Bool {
        let chunks = map.layout.chunks(of: header.file)
        let end = UInt64(header.chunk) + UInt64(count)
        guard count > 0, end <= chunks, header.isLastChunk == (end == chunks),
            let first = map.layout.index(file: header.file, chunk: header.chunk),
            first + UInt64(count) <= wanted[rangeIndex].upperBound
        else { throw .notAsked(file: header.file, chunk: header.chunk) }
        advance(header, count: UInt64(count))
        for chunk in header.chunk..<UInt32(truncatingIfNeeded: end) {
            let length = map.layout.length(file: header.file, chunk: chunk)
            fileChecksums.append(Checksum.ofZeros(length))
            map.insert(file: header.file, chunk: chunk)
        }
        return !map.leftOut.contains(header.file)
    }

    /// Takes the end of a file, with the sender's checksum of it if there is one.
    public mutating func receivedFileEnd(_ header: RecordHeader, checksum: Checksum?) throws(Violation) {
        guard map.isComplete(file: header.file) else { throw .incomplete }
        if let checksum {
            guard UInt64(fileChecksums.count) == map.layout.chunks(of: header.file),
                Checksum.ofFile(fileChecksums) == checksum
            else { throw .checksum(file: header.file) }
        }
        currentFile = nil
        fileChecksums.removeAll(keepingCapacity: true)
    }

    /// Takes the message that a file can't be sent; its bytes must be removed. False if it was left out already.
    public mutating func receivedSkipped(_ header: RecordHeader) -> Bool {
        let indices = map.layout.indices(of: header.file)
        while rangeIndex < wanted.count, index < indices.upperBound {
            index = min(wanted[rangeIndex].upperBound, indices.upperBound)
            leaveRange()
        }
        currentFile = nil
        fileChecksums.removeAll(keepingCapacity: true)
        return map.leaveOut(file: header.file)
    }

    /// Refuses a file that is being received because of its content; what still comes of it is not written. False if
    /// there is no such file, or it is left out already, or it is the only file of a transfer, which can't be left out.
    public mutating func refuse(file: UInt32) -> Bool { offer.isFolder && map.leaveOut(file: file) }

    /// Whether there are files and all of them were left out, so that nothing has been transferred.
    public var isNothingLeft: Bool { offer.files > 0 && map.leftOut.count == offer.files }

    /// Takes the end that the sender announces.
    public mutating func receivedEnd() throws(Violation) {
        guard currentFile == nil, nextIndex == nil, map.isComplete else { throw .incomplete }
        state = .ended
    }

    /// The bytes to grant now; nil if too few were consumed to be worth a message.
    public mutating func drainCredit() -> UInt64? {
        guard consumed >= TransferLimits.creditStep else { return nil }
        defer { consumed = 0 }
        open += consumed
        return consumed
    }

    private func checkChunk(_ header: RecordHeader) throws(Violation) {
        let refusal = Violation.notAsked(file: header.file, chunk: header.chunk)
        guard let at = map.layout.index(file: header.file, chunk: header.chunk), at == nextIndex else { throw refusal }
        guard currentFile == nil || currentFile == header.file else { throw refusal }
        guard header.kind == .data else {
            guard header.plaintextBytes == 4 else { throw .length(file: header.file, chunk: header.chunk) }
            return
        }
        let length = map.layout.length(file: header.file, chunk: header.chunk)
        let isLast = UInt64(header.chunk) + 1 == map.layout.chunks(of: header.file)
        guard header.plaintextBytes == length + TransferLimits.checksumBytes, header.isLastChunk == isLast else {
            throw .length(file: header.file, chunk: header.chunk)
        }
    }

    private func checkEnd(_ header: RecordHeader) throws(Violation) {
        guard header.file == currentFile, header.chunk == 0, header.flags == 0 else {
            throw .unexpectedRecord(.fileEnd)
        }
        guard header.plaintextBytes == 0 || header.plaintextBytes == TransferLimits.checksumBytes else {
            throw .length(file: header.file, chunk: 0)
        }
    }

    private func checkSkipped(_ header: RecordHeader) throws(Violation) {
        // Earlier files have been sent and later ones will come, so only one file can be skipped now: the current one,
        // or the next.
        let due = currentFile ?? nextIndex.flatMap { map.layout.locate($0)?.file }
        guard offer.isFolder, header.file == due, header.chunk == 0, header.flags == 0 else {
            throw .unexpectedRecord(.skipped)
        }
    }

    /// The only index that may come next, because the sender goes through the ranges in order.
    private var nextIndex: UInt64? { rangeIndex < wanted.count ? index : nil }

    private mutating func advance(_ header: RecordHeader, count: UInt64) {
        currentFile = header.file
        index += count
        leaveRange()
    }

    /// Moves to the next range at the end of one.
    private mutating func leaveRange() {
        while rangeIndex < wanted.count, index >= wanted[rangeIndex].upperBound {
            rangeIndex += 1
            if rangeIndex < wanted.count { index = wanted[rangeIndex].lowerBound }
        }
    }
}
