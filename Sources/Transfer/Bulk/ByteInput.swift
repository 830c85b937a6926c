import Basics
import Glibc

/// Buffered blocking reads from a socket. A large record is read to its place without a copy, and one system call reads
/// many small ones. It belongs to the transfer's thread.
final class ByteInput {
    private let socket: CInt
    private var base: UnsafeMutableRawPointer
    private var capacity: Int
    private var start = 0
    private var end = 0
    /// Whether the last large piece came so fast that it is best to read the next one with one call.
    private var isFast = false

    init(socket: CInt, leftover: [UInt8], capacity: Int) {
        self.socket = socket
        self.capacity = max(capacity, leftover.count)
        base = .allocate(byteCount: self.capacity, alignment: 4096)
        leftover.withUnsafeBytes {
            base.copyMemory(from: $0.baseAddress ?? UnsafeRawPointer(base), byteCount: $0.count)
        }
        end = leftover.count
    }

    deinit { base.deallocate() }

    /// The number of bytes that can be read without waiting.
    var buffered: Int { end - start }

    /// Makes room for pieces of `wanted` bytes.
    func grow(to wanted: Int) {
        guard wanted > capacity else { return }
        let larger = UnsafeMutableRawPointer.allocate(byteCount: wanted, alignment: 4096)
        larger.copyMemory(from: base + start, byteCount: buffered)
        base.deallocate()
        (base, capacity, end, start) = (larger, wanted, buffered, 0)
    }

    /// Waits for the next `count` bytes, which stay valid and writable until the next call.
    /// - Parameter readsAhead: false if what follows is so large that it is read into other memory.
    func require(_ count: Int, readsAhead: Bool = true) throws(TransferFailure) -> UnsafeMutableRawBufferPointer {
        if buffered < count { try fill(count, readsAhead: readsAhead) }
        return UnsafeMutableRawBufferPointer(start: base + start, count: count)
    }

    /// Moves past the next `count` bytes.
    func consume(_ count: Int) {
        start += min(count, buffered)
        if start == end { (start, end) = (0, 0) }
    }

    /// Takes what has arrived without waiting. False if nothing has; throws if the connection is closed.
    func poll() throws(TransferFailure) -> Bool {
        compact(for: TransferLimits.readAheadBytes)
        guard end < capacity else { return false }
        while true {
            let count = recv(socket, base + end, capacity - end, CInt(MSG_DONTWAIT))
            if count > 0 {
                Traffic.receive(count)
                end += count
                return true
            }
            let code = errno
            if count < 0 && code == EINTR { continue }
            if count < 0 && (code == EAGAIN || code == EWOULDBLOCK) { return false }
            throw Self.failure(count, code)
        }
    }

    /// Fills `place`: copies what is buffered, and reads the rest straight from the socket.
    /// - Parameter arrived: gets the number of bytes read so far: once at the end, and on a slow link also in between.
    func read(
        into place: UnsafeMutableRawBufferPointer, clocks: any Clocks, arrived: (Int) -> Void
    ) throws(TransferFailure) {
        let began = clocks.now
        let copied = min(buffered, place.count)
        place.copyMemory(from: UnsafeRawBufferPointer(start: base + start, count: copied))
        consume(copied)
        var done = copied
        while done < place.count {
            let flags = isFast ? CInt(MSG_WAITALL) : 0
            let count = recv(socket, place.baseAddress.map { $0 + done }, place.count - done, flags)
            if count > 0 {
                Traffic.receive(count)
                done += count
                if done < place.count { arrived(done) }
                continue
            }
            let code = errno
            if count < 0 && code == EINTR { continue }
            throw Self.failure(count, code)
        }
        isFast = clocks.now - began < TransferLimits.fastPiece
        arrived(done)
    }

    private func fill(_ count: Int, readsAhead: Bool) throws(TransferFailure) {
        guard count <= capacity else { throw .invalid("a record larger than any may be") }
        compact(for: count)
        // For a small piece, read everything available; for a large one, read exactly its rest, so that nothing of the
        // next record has to be moved.
        let isSmall = readsAhead && count < TransferLimits.readAheadBytes
        while buffered < count {
            let wanted = isSmall ? min(TransferLimits.readAheadBytes, capacity - end) : count - buffered
            let result = recv(socket, base + end, wanted, isSmall ? 0 : CInt(MSG_WAITALL))
            if result > 0 {
                Traffic.receive(result)
                end += result
                continue
            }
            let code = errno
            if result < 0 && code == EINTR { continue }
            throw Self.failure(result, code)
        }
    }

    private func compact(for count: Int) {
        guard start > 0, capacity - start < count else { return }
        base.copyMemory(from: base + start, byteCount: buffered)
        (start, end) = (0, buffered)
    }

    static func failure(_ result: Int, _ code: CInt) -> TransferFailure {
        if result == 0 { return .interrupted("the connection was closed") }
        if code == EAGAIN || code == EWOULDBLOCK { return .interrupted("the connection stalled") }
        return .interrupted(FileError("connection", code).description)
    }
}
