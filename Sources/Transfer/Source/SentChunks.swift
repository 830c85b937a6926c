import Basics
import Threads

/// What a transfer has sent of its current file: the checksums of the chunks, over all connections. With them the
/// sender can tell whether a file that somebody touched meanwhile still has the content that was sent.
///
/// Two jobs may share it for a moment, while the job of a dead connection ends. It never claims more than was sent.
public final class SentChunks: Sendable {
    private struct State {
        var file: UInt32?
        /// The time of the file's last change (of anything) when its content last agreed with every chunk sent, in
        /// nanoseconds since 1970.
        var changed: Int64 = 0
        /// The checksums by chunk; nil for chunks that were not sent.
        var checksums: [Checksum?] = []
        var count = 0
        /// Whether some chunk was sent twice, with different content.
        var isMixed = false
        /// Whether everything sent is known to belong to one version of the file.
        var isFinished = false
        /// How many chunks were compared with the file since its last change, and the time of that change.
        var compared = (changed: Int64(0), chunks: 0)
    }
    private let state = Lock(State())

    public init() {}

    /// Call before a chunk of the file is read. Forgets another file's chunks.
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

    /// Forgets the file; nothing more of it is sent.
    func forget(_ file: UInt32) { state.withLock { if $0.file == file { $0 = State() } } }

    /// The time of the file's last change when its content last agreed with everything sent; nil if not all its
    /// `chunks` were sent.
    func whole(_ file: UInt32, chunks: UInt64) -> Int64? {
        state.withLock { $0.file == file && UInt64($0.count) == chunks ? $0.changed : nil }
    }

    /// Notes that everything sent belongs to one version of the file.
    func finish(_ file: UInt32, changed: Int64) {
        state.withLock { if $0.file == file { ($0.changed, $0.isFinished) = (changed, true) } }
    }

    /// Whether all that was sent of a file is known to be of one piece.
    func isFinished(_ file: UInt32) -> Bool { state.withLock { $0.file == file && $0.isFinished } }

    /// The checksum of the file, if all its `chunks` were sent.
    func checksum(of file: UInt32, chunks: UInt64) -> Checksum? {
        state.withLock { state in
            guard state.file == file, UInt64(state.count) == chunks else { return nil }
            return Checksum.ofFile(state.checksums.compactMap(\.self))
        }
    }

    /// Reads a file's chunks again and compares them with what was sent. Chunks that were compared before are not read
    /// again if the file has not changed since. Blocking.
    /// - Parameters:
    ///   - changed: when anything of the file was changed last, in nanoseconds since 1970.
    ///   - mayGoOn: asked before each chunk; a file that is not compared to its end counts as changed.
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

    /// The next chunk to compare with the file that last changed at `changed`, and its checksum; nil if all were
    /// compared.
    private func toCompare(_ file: UInt32, changed: Int64) -> (chunk: UInt32, checksum: Checksum)? {
        state.withLock { state in
            guard state.file == file else { return nil }
            if state.compared.changed != changed { state.compared = (changed, 0) }
            let next = state.compared.chunks
            guard next < state.checksums.count, let checksum = state.checksums[next] else { return nil }
            return (UInt32(truncatingIfNeeded: next), checksum)
        }
    }

    /// Whether some chunk was sent with two contents, or what was sent is not known.
    private func isMixed(_ file: UInt32) -> Bool { state.withLock { $0.file != file || $0.isMixed } }
}
