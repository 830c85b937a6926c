import Glibc

/// Bytes that wait to be written: whole messages as they came, small ones behind each other in one piece, and all of it in one
/// gathering write.
struct OutputQueue {
    private var pieces: [[UInt8]] = []
    /// The pieces before it are written.
    private var head = 0
    /// Bytes of the head piece that are written.
    private var written = 0
    /// Whether further small messages may be appended to the last piece.
    private var lastGrows = false
    /// Bytes that wait.
    private(set) var count = 0

    var isEmpty: Bool { count == 0 }

    mutating func append(_ bytes: [UInt8]) {
        if bytes.isEmpty { return }
        count += bytes.count
        let isSmall = bytes.count <= Limits.coalescedMessageBytes
        let last = pieces.count - 1
        if isSmall, lastGrows, last >= head, pieces[last].count + bytes.count <= Limits.coalescedPieceBytes {
            pieces[last].append(contentsOf: bytes)
        } else {
            // The first small message of a piece is not copied either: one message a turn costs nothing here.
            pieces.append(bytes)
            lastGrows = isSmall
        }
    }

    /// Lends what waits, up to `Limits.piecesPerWrite` pieces of it, and says how many bytes that is.
    func withPieces<R>(_ body: (UnsafeMutableBufferPointer<iovec>, Int) -> R) -> R {
        withUnsafeTemporaryAllocation(of: iovec.self, capacity: Limits.piecesPerWrite) { vectors in
            gather(into: vectors, filled: 0, bytes: 0, body)
        }
    }

    /// Each level of the recursion holds one more array's storage in place.
    private func gather<R>(
        into vectors: UnsafeMutableBufferPointer<iovec>, filled: Int, bytes: Int,
        _ body: (UnsafeMutableBufferPointer<iovec>, Int) -> R
    ) -> R {
        let index = head + filled
        guard filled < vectors.count, index < pieces.count else {
            return body(UnsafeMutableBufferPointer(rebasing: vectors[..<filled]), bytes)
        }
        return pieces[index].withUnsafeBytes { piece in
            let rest = UnsafeRawBufferPointer(rebasing: piece[(filled == 0 ? written : 0)...])
            vectors.initializeElement(
                at: filled,
                to: iovec(iov_base: UnsafeMutableRawPointer(mutating: rest.baseAddress), iov_len: rest.count))
            return gather(into: vectors, filled: filled + 1, bytes: bytes + rest.count, body)
        }
    }

    /// Forgets the first `amount` bytes, which must not be more than wait.
    mutating func drop(_ amount: Int) {
        precondition(amount <= count)
        count -= amount
        var left = amount
        while left > 0 {
            let rest = pieces[head].count - written
            if left < rest {
                written += left
                break
            }
            left -= rest
            pieces[head] = []
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
