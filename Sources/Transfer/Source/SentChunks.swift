import Basics
import Threads

/// What was sent of the file of a transfer that is being sent: the checksums of its chunks, over all connections. With
/// them the sender can tell whether a file that somebody touched meanwhile still has the content that was sent.
///
/// Two jobs may share it for a moment, while the one of a dead connection ends. It never says more than was sent.
public final class SentChunks: Sendable {
    private struct State {
        var file: UInt32?
        /// When anything of the file was changed last, when it last had the content of every chunk that was sent, in
        /// nanoseconds since 1970.
        var changed: Int64 = 0
        /// By chunk; nil for those that were not sent.
        var checksums: [Checksum?] = []
        var count = 0
        /// Whether two contents of a chunk were sent.
        var isMixed = false
        /// Whether all of it is known to be of one piece.
        var isFinished = false
        /// So many chunks were compared with the file since it was changed at that time.
        var compared = (changed: Int64(0), chunks: 0)
    }
    private let state = Lock(State())

    public init() {}

    /// A chunk of the file is about to be read. Another file's chunks are forgotten.
    /// - Parameter changed: when anything of the file was changed last, in nanoseconds since 1970.
    func begin(_ file: UInt32, changed: Int64) {
        state.withLock { state in
            guard state.file != file else { return }
            state = State()
            (state.file, state.changed) = (file, changed)
        }
    }

    func add(_ chunk: UInt32, of file: UInt32, _ checksum: Checksum) {
        state.withLock { state in
            let index = Int(chunk)
            guard state.file == file else { return }
            state.isFinished = false
            while state.checksums.count <= index { state.checksums.append(nil) }
            if let former = state.checksums[index] {
                state.isMixed = state.isMixed || former != checksum
            } else {
                state.count += 1
            }
            state.checksums[index] = checksum
        }
    }

    /// Nothing more of this file is sent.
    func forget(_ file: UInt32) { state.withLock { if $0.file == file { $0 = State() } } }

    /// When the file was changed last at a time when all that was sent of it was its content; nil if not all `chunks`
    /// of it were sent.
    func whole(_ file: UInt32, chunks: UInt64) -> Int64? {
        state.withLock { $0.file == file && UInt64($0.count) == chunks ? $0.changed : nil }
    }

    /// All that was sent of it is of one piece.
    func finish(_ file: UInt32, changed: Int64) {
        state.withLock { if $0.file == file { ($0.changed, $0.isFinished) = (changed, true) } }
    }

    /// The file of which something was sent and that nobody has looked at since.
    var unfinished: UInt32? { state.withLock { $0.isFinished ? nil : $0.file } }

    func isFinished(_ file: UInt32) -> Bool { state.withLock { $0.file == file && $0.isFinished } }

    /// The checksum of the file, if all its `chunks` were sent.
    func checksum(of file: UInt32, chunks: UInt64) -> Checksum? {
        state.withLock { state in
            guard state.file == file, UInt64(state.count) == chunks else { return nil }
            return Checksum.ofFile(state.checksums.compactMap(\.self))
        }
    }

    /// Reads a file's chunks again, and compares them with what was sent. What was compared before, and not changed since,
    /// is not read again. Blocking.
    /// - Parameters:
    ///   - changed: when anything of the file was changed last, in nanoseconds since 1970.
    ///   - mayGoOn: asked before each chunk; a file that is not compared to its end counts as another one.
    ///   - read: fills a buffer from an offset of the file.
    func isSame(
        _ file: UInt32, changed: Int64, _ layout: ChunkLayout, mayGoOn: () throws(TransferFailure) -> Bool,
        read: (UnsafeMutableRawBufferPointer, UInt64) throws(TransferFailure) -> Void
    ) throws(TransferFailure) -> Bool {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: TransferLimits.chunkBytes, alignment: 4096)
        defer { buffer.deallocate() }
        while !isMixed(file), let (chunk, checksum) = toCompare(file, changed: changed) {
            guard try mayGoOn() else { return false }
            let room = UnsafeMutableRawBufferPointer(rebasing: buffer[..<layout.length(file: file, chunk: chunk)])
            try read(room, UInt64(chunk) * UInt64(TransferLimits.chunkBytes))
            guard Checksum(of: UnsafeRawBufferPointer(room)) == checksum else { return false }
            state.withLock { if $0.file == file { $0.compared.chunks = Int(chunk) + 1 } }
            InteractivePriority.shared.give()
        }
        return !isMixed(file)
    }

    /// The next chunk to compare with the file as it is since `changed`, and its checksum; nil if all were compared.
    private func toCompare(_ file: UInt32, changed: Int64) -> (chunk: UInt32, checksum: Checksum)? {
        state.withLock { state in
            guard state.file == file else { return nil }
            if state.compared.changed != changed { state.compared = (changed, 0) }
            let next = state.compared.chunks
            guard next < state.checksums.count, let checksum = state.checksums[next] else { return nil }
            return (UInt32(truncatingIfNeeded: next), checksum)
        }
    }

    /// Whether two contents of a chunk were sent, or it is not known what was.
    private func isMixed(_ file: UInt32) -> Bool { state.withLock { $0.file != file || $0.isMixed } }
}
