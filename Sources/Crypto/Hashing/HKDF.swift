/// HKDF (RFC 5869) over ``HMACBlake2b``. Noise's own HKDF (revision 34, §4.3) is this one with an empty `info`: its two
/// or three outputs are the 128 or 192 bytes cut into pieces of 64.
public enum HKDF {
    /// The most bytes that one derivation gives (RFC 5869 §2.3).
    public static let maximumBytes = 255 * HMACBlake2b.codeBytes

    /// `count` bytes derived from `input`.
    /// - Parameters:
    ///   - salt: the chaining key in Noise. Any length, none too.
    ///   - info: the purpose of the result.
    ///   - count: 1 to ``maximumBytes``; a constant of the caller: anything else is a programming error and traps.
    public static func derive(
        input: borrowing SecretBytes, salt: borrowing SecretBytes, info: [UInt8] = [], count: Int
    ) -> SecretBytes {
        input.withUnsafeBytes { input in
            salt.withUnsafeBytes { derive(input: input, salt: $0, info: info, count: count) }
        }
    }

    static func derive(
        input: UnsafeRawBufferPointer, salt: UnsafeRawBufferPointer, info: [UInt8], count: Int
    ) -> SecretBytes {
        precondition(1...maximumBytes ~= count)
        var output = SecretBytes(zeros: count)
        var extracted = SecretBytes(zeros: HMACBlake2b.codeBytes)
        var block = SecretBytes(zeros: HMACBlake2b.codeBytes)
        extracted.withUnsafeMutableBytes { HMACBlake2b.authenticate([input], key: salt, into: $0) }
        extracted.withUnsafeBytes { key in
            block.withUnsafeMutableBytes { block in
                output.withUnsafeMutableBytes { output in
                    var done = 0
                    var number: UInt8 = 0
                    while done < count {
                        number += 1  // At most 255 by the precondition.
                        let previous = UnsafeRawBufferPointer(rebasing: block[..<(done == 0 ? 0 : block.count)])
                        (info + [number]).withUnsafeBytes {
                            HMACBlake2b.authenticate([previous, $0], key: key, into: block)
                        }
                        let length = min(block.count, count - done)
                        UnsafeMutableRawBufferPointer(rebasing: output[done..<done + length])
                            .copyMemory(from: UnsafeRawBufferPointer(rebasing: block[..<length]))
                        done += length
                    }
                }
            }
        }
        return output
    }
}
