import Crypto

/// Makes the bytes of a backup from its entries. It does no I/O: the caller writes what it returns, in order.
///
/// ```swift
/// var writer = try BackupWriter(head, secret)
/// try file.write(writer.beginning)
/// for entry in entries { try file.write(try writer.append(entry)) }
/// try file.write(try writer.finish())
/// ```
public struct BackupWriter: ~Copyable {
    private var stream: SealingStream
    private var compressor: Compressor
    /// Packed and not sealed yet.
    private var packed: [UInt8] = []
    /// The head and the header of the stream: the first bytes of the file.
    public let beginning: [UInt8]

    /// - Parameter secret: what the head's keystore holds.
    /// - Throws: ``BackupError/outOfMemory``.
    public init(_ head: BackupHead, _ secret: borrowing BackupSecret) throws(BackupError) {
        stream = SealingStream(key: secret.streamKey(head))
        compressor = try Compressor()
        beginning = head.encoded + stream.header
    }

    /// Adds an entry. The caller keeps to the order: beginning, pictures, tables with their rows, end.
    /// - Returns: the next bytes of the file, mostly none.
    /// - Throws: ``BackupError/outOfMemory``.
    public mutating func append(_ entry: BackupEntry) throws(BackupError) -> [UInt8] {
        try appendRaw(Self.coded(entry))
    }

    /// Adds bytes as they are, which only tests have.
    public mutating func appendRaw(_ bytes: [UInt8]) throws(BackupError) -> [UInt8] {
        try compressor.pack(bytes, to: &packed)
        return seal()
    }

    /// An entry as it stands in the file, before it is packed.
    public static func coded(_ entry: BackupEntry) -> [UInt8] {
        let content = entry.content
        precondition(content.count <= BackupEntry.limit(ofKind: entry.kind) ?? 0, "no reader takes such an entry")
        var coded = [entry.kind]
        coded.appendBigEndian(UInt32(content.count))
        coded += content
        return coded
    }

    /// The last bytes of the file.
    /// - Throws: ``BackupError/outOfMemory``.
    public mutating func finish() throws(BackupError) -> [UInt8] {
        try compressor.pack([], isLast: true, to: &packed)
        let sealed = seal()
        return sealed + stream.seal(packed, isLast: true)
    }

    /// Seals full pieces, and keeps what may be the last one.
    private mutating func seal() -> [UInt8] {
        var sealed: [UInt8] = []
        var start = 0
        while packed.count - start > BackupLimits.pieceBytes {
            sealed += stream.seal(packed[start..<start + BackupLimits.pieceBytes], isLast: false)
            start += BackupLimits.pieceBytes
        }
        packed.removeFirst(start)
        return sealed
    }
}
