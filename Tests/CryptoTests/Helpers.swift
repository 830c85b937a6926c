// The tests of the Crypto room: every algorithm against vectors that others made, every reader of foreign bytes against
// everything that is not what it wants, every secret against being left behind.

import Basics
import Testing

@testable import Crypto

/// The bytes of a hexadecimal literal.
func bytes(_ hex: String) throws -> [UInt8] { try #require(Hex.decode(hex)) }

func key32(_ hex: String) throws -> Key32 { try #require(Key32(try bytes(hex))) }

func secret(_ hex: String) throws -> SecretBytes { secret(try bytes(hex)) }

func secret(_ bytes: [UInt8]) -> SecretBytes {
    var copy = bytes
    return SecretBytes(moving: &copy)
}

func revealed(_ secret: borrowing SecretBytes) -> [UInt8] { secret.withUnsafeBytes { [UInt8]($0) } }

/// What the body threw, or nil. A function, because a `#expect(throws:)` can't hold values that are not copyable.
func failure<Failure: Error>(_ body: () throws(Failure) -> Void) -> Failure? {
    do {
        try body()
        return nil
    } catch {
        return error
    }
}
