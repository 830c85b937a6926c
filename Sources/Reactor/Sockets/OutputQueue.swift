import Glibc

/// Bytes that wait to be written. Long messages stay as they came, small ones share a piece, and one gathering write
/// takes all of it.
struct OutputQueue {
    private struct Piece {
        var bytes: [UInt8] = []
        /// Goes with the first byte; nil if there is none, and once that byte is written.
        var descriptor: Descriptor?
    }

    private var pieces: [Piece] = []
    /// The index of the first piece that isn't wholly written.
    private var head = 0
    /// Bytes of the head piece that are written already.
    private var written = 0
    /// Whether further small messages may be appended to the last piece.
    private var lastGrows = false
    /// Bytes that wait to be written.
    private(set) var count = 0

    /// Descriptors that wait with them.
    private(set) var descriptors = 0

    var isEmpty: Bool { count == 0 }

    /// Appends bytes, and a descriptor that goes with the first of them.
    mutating func append(_ bytes: [UInt8], with descriptor: Descriptor) {
        precondition(!bytes.isEmpty)
        count += bytes.count
        descriptors += 1
        pieces.append(Piece(bytes: bytes, descriptor: descriptor))
        lastGrows = false
    }

    mutating func append(_ bytes: [UInt8]) {
        if bytes.isEmpty { return }
        count += bytes.count
        let isSmall = bytes.count <= ReactorLimits.coalescedMessageBytes
        let last = pieces.count - 1
        if isSmall, lastGrows, last >= head, pieces[last].bytes.count + bytes.count <= ReactorLimits.coalescedPieceBytes
        {
            pieces[last].bytes.append(contentsOf: bytes)
        } else {
            // The first small message of a piece is not copied either, so one message a turn costs no copy.
            pieces.append(Piece(bytes: bytes))
            lastGrows = isSmall
        }
    }

    /// Lends up to `ReactorLimits.piecesPerWrite` waiting pieces, their number of bytes, and the descriptor that goes with the
    /// first of them. A piece that has a descriptor begins a write of its own.
    func withPieces<R>(_ body: (UnsafeMutableBufferPointer<iovec>, Int, Descriptor?) -> R) -> R {
        withUnsafeTemporaryAllocation(of: iovec.self, capacity: ReactorLimits.piecesPerWrite) { vectors in
            gather(into: vectors, filled: 0, bytes: 0, body)
        }
    }

    /// Gathers pieces by recursion: each level keeps one more array's storage in place.
    private func gather<R>(
        into vectors: UnsafeMutableBufferPointer<iovec>, filled: Int, bytes: Int,
        _ body: (UnsafeMutableBufferPointer<iovec>, Int, Descriptor?) -> R
    ) -> R {
        let index = head + filled
        guard filled < vectors.count, index < pieces.count, filled == 0 || pieces[index].descriptor == nil else {
            let descriptor = head < pieces.count ? pieces[head].descriptor : nil
            return body(UnsafeMutableBufferPointer(rebasing: vectors[..<filled]), bytes, descriptor)
        }
        return pieces[index].bytes.withUnsafeBytes { piece in
            let rest = UnsafeRawBufferPointer(rebasing: piece[(filled == 0 ? written : 0)...])
            vectors.initializeElement(
                at: filled,
                to: iovec(iov_base: UnsafeMutableRawPointer(mutating: rest.baseAddress), iov_len: rest.count))
            return gather(into: vectors, filled: filled + 1, bytes: bytes + rest.count, body)
        }
    }

    /// Drops the first `amount` bytes, at most as many as wait.
    mutating func drop(_ amount: Int) {
        precondition(amount <= count)
        count -= amount
        var left = amount
        while left > 0 {
            if pieces[head].descriptor != nil {
                pieces[head].descriptor = nil
                descriptors -= 1
            }
            let rest = pieces[head].bytes.count - written
            if left < rest {
                written += left
                break
            }
            left -= rest
            pieces[head].bytes = []
            head += 1
            written = 0
        }
        if head == pieces.count {
            pieces.removeAll(keepingCapacity: true)
            head = 0
            lastGrows = false
        } else if head >= 64 && head * 2 >= pieces.count {
            pieces.removeFirst(head)
            head = 0
        }
    }

    mutating func removeAll() { self = OutputQueue() }
}
