/// The 12 bytes of nonce of both ciphers: four zeros and a counter, in the byte order of the cipher's user.
struct Nonce {
    private let words: (UInt32, UInt32, UInt32)

    /// Least significant byte first: Noise's ChaChaPoly (revision 34, §12.3).
    init(littleEndian counter: UInt64) {
        let low = UInt32(truncatingIfNeeded: counter)
        let high = UInt32(truncatingIfNeeded: counter >> 32)
        words = (0, low.littleEndian, high.littleEndian)
    }

    /// Most significant byte first: bulk records.
    init(bigEndian counter: UInt64) {
        let low = UInt32(truncatingIfNeeded: counter)
        let high = UInt32(truncatingIfNeeded: counter >> 32)
        words = (0, high.bigEndian, low.bigEndian)
    }

    func withBytes<Result>(_ body: (UnsafePointer<UInt8>) -> Result) -> Result {
        withUnsafePointer(to: words) { pointer in
            pointer.withMemoryRebound(to: UInt8.self, capacity: MemoryLayout.size(ofValue: words)) { body($0) }
        }
    }
}
