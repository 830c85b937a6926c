import Basics

/// The bytes of a hash as random words.
package struct HashWords: RandomNumberGenerator {
    private var words: [UInt64]

    package init(_ bytes: [UInt8]) {
        words = stride(from: 0, to: bytes.count - 7, by: 8).map { start in
            bytes[start..<(start + 8)].reduce(0) { $0 << 8 | UInt64($1) }
        }
    }

    package mutating func next() -> UInt64 { words.isEmpty ? 0 : words.removeFirst() }
}
