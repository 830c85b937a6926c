import Glibc

/// Cuts a byte stream into lines. A value: append what was read, take lines until there is none.
///
/// A line over the limit is not kept: it is reported once, when it is known to be too long, and everything up to its end
/// is thrown away, so that the connection goes on with the next line.
public struct LineFramer: Sendable {
    /// The results of ``next()``.
    public enum Line: Hashable, Sendable {
        /// A line without its end (LF or CR LF). Never empty: blank lines are skipped.
        case line([UInt8])
        /// A line longer than the limit, which is being discarded.
        case tooLong
    }

    private let limit: Int
    private var buffer: [UInt8] = []
    /// Where the line that is being read begins in `buffer`.
    private var start = 0
    /// Up to where `buffer` is known to hold no further line end.
    private var scanned = 0
    private var isDiscarding = false

    /// - Parameter limit: bytes of the longest line, its end not counted.
    public init(limit: Int = ProtocolLimits.lineBytes) { self.limit = limit }

    /// Whether a line has begun and not ended, so that the clock for a slow client runs.
    public var hasPartialLine: Bool { isDiscarding || start < buffer.count }

    /// Bytes held back.
    public var bufferedBytes: Int { buffer.count - start }

    /// Takes in what was read.
    public mutating func append(_ bytes: some Collection<UInt8>) {
        if start == buffer.count {
            buffer.removeAll(keepingCapacity: buffer.capacity <= 64 << 10)
            (start, scanned) = (0, 0)
        } else if start > 64 << 10 {
            buffer.removeFirst(start)
            scanned -= start
            start = 0
        }
        buffer.append(contentsOf: bytes)
    }

    /// The next whole line; nil if more must be read first.
    public mutating func next() -> Line? {
        while let end = findEnd() {
            let first = start
            start = end + 1
            if isDiscarding {
                isDiscarding = false
                continue
            }
            guard end - first <= limit else { return .tooLong }
            var line = buffer[first..<end]
            if line.last == UInt8(ascii: "\r") { line = line.dropLast() }
            if line.allSatisfy({ $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }) { continue }
            return .line(Array(line))
        }
        // Bytes to discard need not be kept, and a line that is too long already is not waited for.
        let isTooLong = !isDiscarding && buffer.count - start > limit
        if isDiscarding || isTooLong {
            isDiscarding = true
            buffer.removeAll()
            (start, scanned) = (0, 0)
        }
        return isTooLong ? .tooLong : nil
    }

    private mutating func findEnd() -> Int? {
        let from = max(start, scanned)
        let newline = buffer[from...].withUnsafeBytes { rest -> Int? in
            guard let base = rest.baseAddress, let end = memchr(base, 0x0A, rest.count) else { return nil }
            return base.distance(to: UnsafeRawPointer(end))
        }
        scanned = newline.map { from + $0 + 1 } ?? buffer.count
        return newline.map { from + $0 }
    }
}
