/// HMAC (RFC 2104) over BLAKE2b-512, with blocks of 128 bytes and codes of 64 bytes. Noise calls it HMAC-HASH for
/// BLAKE2b; it is not BLAKE2b's own keyed mode.
public enum HMACBlake2b {
    /// Bytes of a code.
    public static let codeBytes = 64

    /// The code of `bytes` under `key`, which may have any length.
    public static func code(of bytes: [UInt8], key: borrowing SecretBytes) -> [UInt8] {
        var code = [UInt8](repeating: 0, count: codeBytes)
        key.withUnsafeBytes { key in
            bytes.withUnsafeBytes { bytes in
                code.withUnsafeMutableBytes { authenticate([bytes], key: key, into: $0) }
            }
        }
        return code
    }

    /// Computes the code of the parts, one after the other. `code` has 64 bytes and may be one of the parts.
    static func authenticate(
        _ parts: [UnsafeRawBufferPointer], key: UnsafeRawBufferPointer, into code: UnsafeMutableRawBufferPointer
    ) {
        var block = SecretBytes(zeros: Blake2b.blockBytes)
        block.withUnsafeMutableBytes { block in
            if key.count <= block.count {
                block.copyMemory(from: key)
            } else {
                var hash = Blake2b512()
                hash.update(key)
                hash.finish(into: UnsafeMutableRawBufferPointer(rebasing: block[..<Blake2b.maximumBytes]))
            }
            for index in block.indices { block[index] ^= 0x36 }
            var inner = Blake2b512()
            inner.update(UnsafeRawBufferPointer(block))
            for part in parts { inner.update(part) }
            inner.finish(into: code)

            for index in block.indices { block[index] ^= 0x36 ^ 0x5c }
            var outer = Blake2b512()
            outer.update(UnsafeRawBufferPointer(block))
            outer.update(UnsafeRawBufferPointer(code))
            outer.finish(into: code)
        }
    }
}
