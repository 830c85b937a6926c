// The tests of the Crypto module check every algorithm against foreign vectors, every reader of foreign bytes against
// all kinds of wrong input, and that no secret is left behind in memory.

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

/// The error that the body threw, or nil. `#expect(throws:)` can't be used here, because it can't hold values that are
/// not copyable.
func failure<Failure: Error>(_ body: () throws(Failure) -> Void) -> Failure? {
    do {
        try body()
        return nil
    } catch {
        return error
    }
}
