import Basics

/// Cuts a stream of bytes into frames: append what came, then call ``next()`` until it gives nil.
///
/// Each byte is copied once into the body of its frame; a part of a frame waits here, at most
/// ``PeerLimits/frameBodyBytes`` and a header of it. After an error the stream has no frames any more: close it.
public struct FrameDecoder: Sendable {
    /// Bytes of a body that is kept. A longer one is thrown away as it comes, and its frame is given without it. Counts
    /// for frames whose header has not been read yet.
    public var keptBodyBytes = PeerLimits.frameBodyBytes
    /// A frame whose body is thrown away, and the bytes of it that have yet to come.
    private var skipped: (frame: Frame, left: Int)?
    private var buffer: [UInt8] = []
    /// Where the next frame begins in `buffer`.
    private var position = 0

    public init() {}

    /// Whether a frame has begun and not ended. Meaningful once ``next()`` gave nil.
    public var isMidFrame: Bool { position < buffer.count || skipped != nil }

    /// Takes over what the channel opened.
    public mutating func append(_ bytes: [UInt8]) {
        if position == buffer.count {
            // The usual case: everything before was whole frames, and the new array is taken as it is.
            buffer = bytes
            position = 0
            return
        }
        if position > 0 {
            // The rest of the last array moves to the front: it is less than a frame, and moves once for each array at
            // most.
            buffer.removeSubrange(..<position)
            position = 0
        }
        buffer.append(contentsOf: bytes)
    }

    /// The next whole frame, or nil if more bytes are needed.
    /// - Throws: ``WireError/frameTooLong(_:)`` as soon as the header is there.
    public mutating func next() throws(WireError) -> Frame? {
        if skipped != nil { return skip() }
        var reader = ByteReader(buffer[position...])
        guard let header = Self.header(&reader) else { return nil }
        guard header.length <= PeerLimits.frameBodyBytes else { throw .frameTooLong(header.length) }
        if header.length > keptBodyBytes {
            position += PeerLimits.frameHeaderBytes
            skipped = (Frame(kind: header.kind, id: header.id), Int(header.length))
            return skip()
        }
        guard let body = try? reader.read(Int(header.length)) else { return nil }
        let frame = Frame(kind: header.kind, id: header.id, body: Array(body))
        position += frame.encodedCount
        return frame
    }

    private mutating func skip() -> Frame? {
        guard let (frame, left) = skipped else { return nil }
        let count = min(left, buffer.count - position)
        position += count
        skipped = count < left ? (frame, left - count) : nil
        return skipped == nil ? frame : nil
    }

    private struct Header {
        let kind: FrameKind
        let length: UInt32
        let id: UUIDv7
    }

    /// Nil if there are not 24 bytes yet.
    private static func header(_ reader: inout ByteReader) -> Header? {
        guard reader.remaining >= PeerLimits.frameHeaderBytes else { return nil }
        do {
            let kind = FrameKind(rawValue: try reader.readUInt16())
            _ = try reader.readUInt16()
            let length = try reader.readUInt32()
            let id = UUIDv7(high: try reader.readUInt64(), low: try reader.readUInt64())
            return Header(kind: kind, length: length, id: id)
        } catch {
            return nil
        }
    }
}
