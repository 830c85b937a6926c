import Basics

/// Reads the heads of the frames in a stream, and skips their bodies: for a log that says what goes by, never what is in it.
public struct FrameHeads: Sendable {
    private var head: [UInt8] = []
    /// Bytes of a body that are still to come.
    private var rest = 0

    public init() {}

    /// Takes the next bytes of the stream.
    /// - Returns: the frames that began with them: their kind, and their bytes with the head.
    public mutating func read(_ bytes: [UInt8]) -> [(kind: FrameKind, bytes: Int)] {
        var heads: [(kind: FrameKind, bytes: Int)] = []
        var left = bytes[...]
        while !left.isEmpty {
            let skipped = min(rest, left.count)
            left = left.dropFirst(skipped)
            rest -= skipped
            let part = left.prefix(PeerLimits.frameHeaderBytes - head.count)
            head += part
            left = left.dropFirst(part.count)
            guard head.count == PeerLimits.frameHeaderBytes else { break }
            let kind = UInt16(head[0]) << 8 | UInt16(head[1])
            rest = head[4..<8].reduce(0) { $0 << 8 | Int($1) }
            heads.append((FrameKind(rawValue: kind), PeerLimits.frameHeaderBytes + rest))
            head.removeAll(keepingCapacity: true)
        }
        return heads
    }
}
