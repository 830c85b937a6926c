import Basics

/// The sending side after the manifest: what to send next, within what was asked for and the credit that is open.
///
/// Feed it the receiver's messages and ask ``next()`` what to do. It never does anything twice: a step is counted as
/// sent once it has been returned.
public struct SenderMachine: Sendable {
    /// How the receiver broke the protocol.
    public enum Violation: Error, Hashable, Sendable {
        /// Ranges that are empty, overlap, go back, reach beyond the end or are too many.
        case ranges
        /// More credit than ``TransferLimits/openCredit``.
        case credit
        /// A message that has no place here.
        case unexpectedMessage
    }

    /// What to do now.
    public enum Step: Hashable, Sendable {
        /// Nothing until another message comes.
        case wait
        case chunk(file: UInt32, chunk: UInt32, length: Int, isLast: Bool)
        /// `isWhole`: every chunk of the file was sent on this connection, so its checksum is known.
        case fileEnd(file: UInt32, isWhole: Bool)
        /// Everything is sent: check the source once more, then say so.
        case end
        /// The end is sent; only the receiver's answer is missing.
        case awaitDone
    }

    private enum State: Hashable, Sendable { case collecting, sending, ending, ended, done }

    private let layout: ChunkLayout
    private var state = State.collecting
    private var ranges: [Range<UInt64>] = []
    private var rangeIndex = 0
    private var place: UInt64 = 0
    /// The file being sent and how many of its chunks went out.
    private var current: (file: UInt32, sent: UInt64)?
    /// Bytes of records that may still be sent.
    public private(set) var credit: UInt64 = 0
    /// Bytes of content asked for on this connection.
    public private(set) var bytesWanted: UInt64 = 0
    /// Bytes of content sent on this connection.
    public private(set) var bytesSent: UInt64 = 0
    /// Files whose last wanted chunk went out, and those nothing was asked of.
    public private(set) var filesDone = 0

    public init(layout: ChunkLayout) { self.layout = layout }

    /// Whether the receiver has said that all is in place.
    public var isDone: Bool { state == .done }
    /// Whether all ranges are known.
    public var hasRanges: Bool { state != .collecting }

    /// Takes a message; `failed` is the caller's to handle.
    public mutating func receive(_ message: BulkMessage) throws(Violation) {
        switch message {
        case .want(let more, let isComplete):
            guard state == .collecting, ranges.count + more.count <= TransferLimits.wantedRanges else { throw .ranges }
            for range in more {
                guard !range.isEmpty, range.upperBound <= layout.count, range.lowerBound >= ranges.last?.upperBound ?? 0
                else { throw .ranges }
                ranges.append(range)
            }
            if isComplete { begin() }
        case .credit(let bytes):
            let (sum, overflow) = credit.addingReportingOverflow(bytes)
            guard !overflow, sum <= TransferLimits.openCredit else { throw .credit }
            credit = sum
        case .done:
            guard state == .ended else { throw .unexpectedMessage }
            state = .done
        default: throw .unexpectedMessage
        }
    }

    /// The next step. Steps that send are counted against the credit here.
    public mutating func next() -> Step {
        switch state {
        case .collecting: return .wait
        case .ending:
            state = .ended
            return .end
        case .ended, .done: return .awaitDone
        case .sending: return nextRecord()
        }
    }

    /// Makes the chunk just returned the first of a hole of up to `chunks` chunks of its file, as far as they were
    /// asked for, and gives back the credit that a hole's record does not need. Returns how many chunks the hole
    /// covers.
    public mutating func makeHole(upTo chunks: UInt64) -> UInt64 {
        guard state == .sending, let current, rangeIndex < ranges.count, place > 0,
            let (file, chunk) = layout.locate(place - 1), file == current.file
        else { return 1 }
        credit += UInt64(layout.length(file: file, chunk: chunk) + TransferLimits.checksumBytes - Self.holeBytes)
        // `place` is behind the chunk that was returned.
        let end = min(layout.places(of: file).upperBound, ranges[rangeIndex].upperBound)
        let extra = min(chunks > 0 ? chunks - 1 : 0, end > place ? end - place : 0)
        guard extra > 0 else { return 1 }
        bytesSent += layout.bytes(file: file, chunk: chunk + 1, count: extra)
        self.current = (file, current.sent + extra)
        place += extra
        return extra + 1
    }

    /// Bytes of a hole record's plaintext.
    private static let holeBytes = 4

    private mutating func begin() {
        state = ranges.isEmpty ? .ending : .sending
        place = ranges.first?.lowerBound ?? 0
        // One walk over ranges and files together: their number is limited, the number of chunks hardly.
        var touched = 0
        var last: UInt32?
        for range in ranges {
            var start = range.lowerBound
            while start < range.upperBound, let (file, chunk) = layout.locate(start) {
                let end = min(range.upperBound, layout.places(of: file).upperBound)
                bytesWanted += layout.bytes(file: file, chunk: chunk, count: end - start)
                if last != file { touched += 1 }
                last = file
                start = end
            }
        }
        filesDone = fileCount - touched
    }

    private var fileCount: Int {
        (0..<layout.entries).reduce(0) { $0 + (layout.chunks(of: UInt32(truncatingIfNeeded: $1)) > 0 ? 1 : 0) }
    }

    private mutating func nextRecord() -> Step {
        while rangeIndex < ranges.count, place >= ranges[rangeIndex].upperBound {
            rangeIndex += 1
            if rangeIndex < ranges.count { place = ranges[rangeIndex].lowerBound }
        }
        let target = rangeIndex < ranges.count ? layout.locate(place) : nil
        if let current, current.file != target?.file {
            let isWhole = current.sent == layout.chunks(of: current.file)
            let plaintext = isWhole ? TransferLimits.checksumBytes : 0
            guard spend(RecordHeader.size + plaintext + TransferLimits.tagBytes) else { return .wait }
            self.current = nil
            filesDone += 1
            return .fileEnd(file: current.file, isWhole: isWhole)
        }
        guard let (file, chunk) = target else {
            state = .ended
            return .end
        }
        let length = layout.length(file: file, chunk: chunk)
        guard spend(RecordHeader.size + length + TransferLimits.checksumBytes + TransferLimits.tagBytes) else {
            return .wait
        }
        current = (file, (current?.sent ?? 0) + 1)
        place += 1
        bytesSent += UInt64(length)
        return .chunk(
            file: file, chunk: chunk, length: length, isLast: UInt64(chunk) + 1 == layout.chunks(of: file))
    }

    private mutating func spend(_ bytes: Int) -> Bool {
        guard credit >= UInt64(bytes) else { return false }
        credit -= UInt64(bytes)
        return true
    }
}
