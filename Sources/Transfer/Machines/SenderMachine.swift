import Basics
import Vocabulary

/// The sending side after the manifest: decides what to send next, within the requested ranges and the open credit.
///
/// The caller passes in the receiver's messages and asks ``next()`` what to do. No step comes twice: it counts as sent
/// once it has been returned.
public struct SenderMachine: Sendable {
    /// How the receiver broke the protocol.
    public enum Violation: Error, Hashable, Sendable, CustomStringConvertible {
        /// Ranges are empty, overlap, go back, reach beyond the end or are too many.
        case ranges
        /// The credit is more than ``TransferLimits/openCredit``.
        case credit
        /// A refusal names no file of a folder, or the same file twice.
        case refusals
        /// A message that is not allowed here.
        case unexpectedMessage

        public var description: String {
            switch self {
            case .ranges: "the ranges that are asked for are not possible"
            case .credit: "more was granted than is permitted"
            case .refusals: "a refusal names no file of the folder, or one twice"
            case .unexpectedMessage: "a message came that is not permitted here"
            }
        }
    }

    /// What to do now.
    public enum Step: Hashable, Sendable {
        /// Wait for another message.
        case wait
        case chunk(file: UInt32, chunk: UInt32, length: Int, isLast: Bool)
        /// The end of a file. `isWhole`: every chunk of the file was sent on this connection, so its checksum is known.
        case fileEnd(file: UInt32, isWhole: Bool)
        /// Announce that nothing more of this file comes, and why: we can't send it, or the receiver refuses it.
        case skipped(file: UInt32, FileProblem)
        /// Everything is sent: check the source again, then announce the end.
        case end
        /// The end is sent; only the receiver's answer is missing.
        case awaitDone
    }

    private enum State: Hashable, Sendable { case collecting, sending, ending, ended, done }

    private enum Revocable: Sendable {
        case nothing
        case chunk(length: Int)
        case fileEnd(file: UInt32, sent: UInt64, isWhole: Bool)
    }

    private let layout: ChunkLayout
    private var state = State.collecting
    private var ranges: [Range<UInt64>] = []
    private var rangeIndex = 0
    private var index: UInt64 = 0
    /// The current file and the number of its chunks sent.
    private var current: (file: UInt32, sent: UInt64)?
    /// The step that ``skip(_:)`` can take back.
    private var last = Revocable.nothing
    /// The current file, to be skipped as soon as there is credit.
    private var skipping: (file: UInt32, problem: FileProblem)?
    /// The files that the receiver refuses, and the files that we announced we can't send.
    private var refused: [UInt32: Reason] = [:]
    private var skipped: Set<UInt32> = []
    /// Bytes of records that may still be sent.
    public private(set) var credit: UInt64 = 0
    /// Bytes of content asked for on this connection.
    public private(set) var bytesWanted: UInt64 = 0
    /// Bytes of content sent on this connection.
    public private(set) var bytesSent: UInt64 = 0
    /// Content bytes of left-out files that were sent or not requested. The receiver has what was not requested and
    /// what was sent, minus these bytes.
    public private(set) var bytesLeftOut: UInt64 = 0
    /// The number of files whose last wanted chunk was sent, or that nothing was requested of; without left-out files.
    public private(set) var filesDone = 0

    public init(layout: ChunkLayout) { self.layout = layout }

    /// Whether the receiver has reported that everything is in its place.
    public var isDone: Bool { state == .done }
    /// Whether all ranges are known.
    public var hasRanges: Bool { state != .collecting }

    /// Takes a message; the caller handles `failed`.
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
        case .refused(let files):
            guard state != .done else { throw .unexpectedMessage }
            for file in files { try refuse(file) }
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

    /// Turns the chunk just returned into a hole of up to `chunks` requested chunks of its file, and gives back the
    /// credit that a hole's record does not need. Returns the number of chunks that the hole covers.
    public mutating func makeHole(upTo chunks: UInt64) -> UInt64 {
        guard state == .sending, let current, rangeIndex < ranges.count, index > 0,
            let (file, chunk) = layout.locate(index - 1), file == current.file
        else { return 1 }
        last = .nothing
        credit += UInt64(layout.length(file: file, chunk: chunk) + TransferLimits.checksumBytes - Self.holeBytes)
        // `index` is behind the chunk that was returned.
        let end = min(layout.indices(of: file).upperBound, ranges[rangeIndex].upperBound)
        let extra = min(chunks > 0 ? chunks - 1 : 0, end > index ? end - index : 0)
        guard extra > 0 else { return 1 }
        bytesSent += layout.bytes(file: file, chunk: chunk + 1, count: extra)
        self.current = (file, current.sent + extra)
        index += extra
        return extra + 1
    }

    /// Reports that the file of the chunk or end of file just returned can't be sent. That step is taken back, and the
    /// next one that sends is ``Step/skipped(file:_:)``. False if there is nothing to take back, or the transfer is a
    /// single file, which is sent whole or fails.
    public mutating func skip(_ problem: FileProblem) -> Bool {
        guard state == .sending, isFolder else { return false }
        switch last {
        case .nothing: return false
        case .chunk(let length):
            guard let current else { return false }
            credit += UInt64(Self.dataBytes(length))
            bytesSent -= UInt64(length)
            index -= 1
            self.current = (current.file, current.sent - 1)
            skipping = (current.file, problem)
        case .fileEnd(let file, let sent, let isWhole):
            credit += UInt64(Self.endBytes(isWhole))
            filesDone -= 1
            current = (file, sent)
            skipping = (file, problem)
        }
        last = .nothing
        return true
    }

    /// Bytes of a hole record's plaintext.
    private static let holeBytes = 4

    private static func dataBytes(_ length: Int) -> Int {
        RecordHeader.size + length + TransferLimits.checksumBytes + TransferLimits.tagBytes
    }

    private static func endBytes(_ isWhole: Bool) -> Int {
        RecordHeader.size + (isWhole ? TransferLimits.checksumBytes : 0) + TransferLimits.tagBytes
    }

    /// Whether there are files and every one was refused or skipped, so that nothing has been transferred.
    public var isNothingLeft: Bool {
        let leftOut = skipped.count + refused.keys.count { !skipped.contains($0) }
        return leftOut > 0 && leftOut == fileCount
    }

    private var isFolder: Bool { layout.entries > 0 && layout.chunks(of: 0) == 0 }

    private mutating func refuse(_ refusal: RefusedFile) throws(Violation) {
        let file = refusal.file
        guard isFolder, layout.chunks(of: file) > 0, refused.updateValue(refusal.reason, forKey: file) == nil else {
            throw .refusals
        }
        // A file that is still to come, or half sent, is skipped when its turn comes.
        if state != .collecting, !isDue(file), !skipped.contains(file) { leaveBehind(file) }
    }

    /// Counts a refused file; nothing more of it is sent.
    private mutating func leaveBehind(_ file: UInt32) {
        filesDone -= 1
        bytesLeftOut += layout.bytes(file: file, chunk: 0, count: .max)
    }

    /// Whether something of a file is still to be sent: requested chunks, or its end.
    private func isDue(_ file: UInt32) -> Bool {
        if current?.file == file || skipping?.file == file { return true }
        let indices = layout.indices(of: file)
        var low = rangeIndex
        var high = ranges.count
        while low < high {
            let middle = (low + high) / 2
            if ranges[middle].upperBound <= indices.lowerBound { low = middle + 1 } else { high = middle }
        }
        guard low < ranges.count else { return false }
        let start = low == rangeIndex ? max(index, ranges[low].lowerBound) : ranges[low].lowerBound
        return max(start, indices.lowerBound) < min(ranges[low].upperBound, indices.upperBound)
            || (start >= ranges[low].upperBound && low + 1 < ranges.count
                && ranges[low + 1].lowerBound < indices.upperBound)
    }

    private mutating func begin() {
        state = ranges.isEmpty ? .ending : .sending
        index = ranges.first?.lowerBound ?? 0
        // One walk goes over ranges and files together: their numbers are limited, the number of chunks is much larger.
        var touched = 0
        var last: UInt32?
        for range in ranges {
            var start = range.lowerBound
            while start < range.upperBound, let (file, chunk) = layout.locate(start) {
                let end = min(range.upperBound, layout.indices(of: file).upperBound)
                bytesWanted += layout.bytes(file: file, chunk: chunk, count: end - start)
                if last != file { touched += 1 }
                last = file
                start = end
            }
        }
        filesDone = fileCount - touched
        for file in refused.keys where !isDue(file) { leaveBehind(file) }
    }

    private var fileCount: Int {
        (0..<layout.entries).reduce(0) { $0 + (layout.chunks(of: UInt32(truncatingIfNeeded: $1)) > 0 ? 1 : 0) }
    }

    private mutating func nextRecord() -> Step {
        last = .nothing
        while rangeIndex < ranges.count, index >= ranges[rangeIndex].upperBound {
            rangeIndex += 1
            if rangeIndex < ranges.count { index = ranges[rangeIndex].lowerBound }
        }
        let target = rangeIndex < ranges.count ? layout.locate(index) : nil
        if skipping == nil, let file = current?.file ?? target?.file, let reason = refused[file] {
            skipping = (file, FileProblem(reason))
        }
        if let skipping { return skipRecord(skipping.file, skipping.problem) }
        if let current, current.file != target?.file {
            let isWhole = current.sent == layout.chunks(of: current.file)
            guard spend(Self.endBytes(isWhole)) else { return .wait }
            last = .fileEnd(file: current.file, sent: current.sent, isWhole: isWhole)
            self.current = nil
            filesDone += 1
            return .fileEnd(file: current.file, isWhole: isWhole)
        }
        guard let (file, chunk) = target else {
            state = .ended
            return .end
        }
        let length = layout.length(file: file, chunk: chunk)
        guard spend(Self.dataBytes(length)) else { return .wait }
        last = .chunk(length: length)
        current = (file, (current?.sent ?? 0) + 1)
        index += 1
        bytesSent += UInt64(length)
        return .chunk(
            file: file, chunk: chunk, length: length, isLast: UInt64(chunk) + 1 == layout.chunks(of: file))
    }

    /// Skips the rest of a file.
    private mutating func skipRecord(_ file: UInt32, _ problem: FileProblem) -> Step {
        guard spend(problem.recordBytes) else { return .wait }
        let end = layout.indices(of: file).upperBound
        var rest: UInt64 = 0
        while rangeIndex < ranges.count, index < end {
            let stop = min(end, ranges[rangeIndex].upperBound)
            if index < stop, let (file, chunk) = layout.locate(index) {
                rest += layout.bytes(file: file, chunk: chunk, count: stop - index)
                index = stop
            }
            guard index >= ranges[rangeIndex].upperBound else { break }
            rangeIndex += 1
            if rangeIndex < ranges.count { index = ranges[rangeIndex].lowerBound }
        }
        bytesLeftOut += layout.bytes(file: file, chunk: 0, count: .max) - rest
        skipping = nil
        current = nil
        skipped.insert(file)
        return .skipped(file: file, problem)
    }

    private mutating func spend(_ bytes: Int) -> Bool {
        guard credit >= UInt64(bytes) else { return false }
        credit -= UInt64(bytes)
        return true
    }
}
