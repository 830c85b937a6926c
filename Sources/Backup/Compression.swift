import CZstd

/// Packs a stream of bytes by zstd.
struct Compressor: ~Copyable {
    private let context: OpaquePointer
    private var buffer = [UInt8](repeating: 0, count: ZSTD_CStreamOutSize())

    init() throws(BackupError) {
        guard let context = ZSTD_createCCtx() else { throw .outOfMemory }
        self.context = context
        ZSTD_CCtx_setParameter(context, ZSTD_c_compressionLevel, BackupLimits.compression)
        ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1)
    }

    deinit { ZSTD_freeCCtx(context) }

    /// Packs more bytes, and appends what is ready.
    mutating func pack(_ bytes: [UInt8], isLast: Bool = false, to packed: inout [UInt8]) throws(BackupError) {
        let (context, order) = (context, isLast ? ZSTD_e_end : ZSTD_e_continue)
        let isFine = bytes.withUnsafeBytes { plain in
            buffer.withUnsafeMutableBytes { room -> Bool in
                var input = ZSTD_inBuffer(src: plain.baseAddress, size: plain.count, pos: 0)
                while true {
                    var output = ZSTD_outBuffer(dst: room.baseAddress, size: room.count, pos: 0)
                    let left = ZSTD_compressStream2(context, &output, &input, order)
                    if ZSTD_isError(left) != 0 { return false }
                    packed.append(contentsOf: room[..<output.pos])
                    if isLast ? left == 0 : input.pos == input.size { return true }
                }
            }
        }
        if !isFine { throw .outOfMemory }
    }
}

/// Unpacks what ``Compressor`` has packed. It holds 8 MiB at most.
struct Decompressor: ~Copyable {
    private let context: OpaquePointer
    private var buffer = [UInt8](repeating: 0, count: ZSTD_DStreamOutSize())
    /// Whether the packed stream has come to its end.
    private(set) var isOver = false

    init() throws(BackupError) {
        guard let context = ZSTD_createDCtx() else { throw .outOfMemory }
        self.context = context
        ZSTD_DCtx_setParameter(context, ZSTD_d_windowLogMax, BackupLimits.windowLog)
    }

    deinit { ZSTD_freeDCtx(context) }

    /// Unpacks more bytes, and calls `take` with each part of the outcome.
    /// - Returns: false for bytes that zstd has not made, and for any behind the end.
    mutating func unpack(_ bytes: [UInt8], _ take: (UnsafeRawBufferPointer) throws -> Void) throws -> Bool {
        guard !isOver else { return bytes.isEmpty }
        let context = context
        let left = try bytes.withUnsafeBytes { packed in
            try buffer.withUnsafeMutableBytes { room -> Int? in
                var input = ZSTD_inBuffer(src: packed.baseAddress, size: packed.count, pos: 0)
                while true {
                    var output = ZSTD_outBuffer(dst: room.baseAddress, size: room.count, pos: 0)
                    let left = ZSTD_decompressStream(context, &output, &input)
                    if ZSTD_isError(left) != 0 { return nil }
                    try take(UnsafeRawBufferPointer(rebasing: room[..<output.pos]))
                    if left == 0 { return input.pos == input.size ? 0 : nil }
                    // A full buffer may hide more that is ready.
                    if input.pos == input.size, output.pos < output.size { return left }
                }
            }
        }
        guard let left else { return false }
        isOver = left == 0
        return true
    }
}
