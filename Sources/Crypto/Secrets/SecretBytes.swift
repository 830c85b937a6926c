import CSodium

/// Bytes that must stay secret: a key, a seed, a derived secret.
///
/// The value has one owner and is zeroed when that owner releases it. It can't be copied by accident and can't be
/// printed, because a value that is not copyable fits into no `print`, `dump` or string interpolation.
public struct SecretBytes: ~Copyable, @unchecked Sendable {  // Owner: this value alone; only it knows the pointer.
    private let base: UnsafeMutableRawPointer
    private let memory: SecretMemory
    public let count: Int

    /// `count` zeros, to be filled by ``withUnsafeMutableBytes(_:)``.
    init(zeros count: Int, in memory: SecretMemory = .shared) {
        self.count = max(0, count)
        self.memory = memory
        base = memory.allocate(self.count)
    }

    /// `count` random bytes.
    public init(random count: Int) {
        self.init(zeros: count)
        Sodium.fillRandomly(UnsafeMutableRawBufferPointer(start: base, count: self.count))
    }

    /// Copies the buffer. The caller has to zero the original if it was the only other place.
    public init(copying bytes: UnsafeRawBufferPointer) {
        self.init(zeros: bytes.count)
        UnsafeMutableRawBufferPointer(start: base, count: count).copyMemory(from: bytes)
    }

    /// Moves bytes of a file or a peer out of ordinary memory: the array is overwritten with zeros.
    ///
    /// Only this array's own storage is zeroed: a copy made before stays as it is.
    public init(moving bytes: inout [UInt8]) {
        self.init(zeros: bytes.count)
        let base = base
        let count = count
        bytes.withUnsafeMutableBytes { source in
            UnsafeMutableRawBufferPointer(start: base, count: count).copyMemory(from: UnsafeRawBufferPointer(source))
            if let start = source.baseAddress { sodium_memzero(start, source.count) }
        }
    }

    /// `count` bytes that the body writes, such as from a file; they are never in ordinary memory.
    public init<Failure: Error>(
        count: Int, filledBy body: (UnsafeMutableRawBufferPointer) throws(Failure) -> Void
    ) throws(Failure) {
        self.init(zeros: count)
        try body(UnsafeMutableRawBufferPointer(start: base, count: self.count))
    }

    deinit { memory.giveBack(base, count: count) }

    /// The bytes, readable for the time of the call. The pointer must not be kept.
    public borrowing func withUnsafeBytes<Result: ~Copyable, Failure: Error>(
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try body(UnsafeRawBufferPointer(start: base, count: count))
    }

    /// The bytes, writable for the time of the call. The pointer must not be kept.
    mutating func withUnsafeMutableBytes<Result: ~Copyable, Failure: Error>(
        _ body: (UnsafeMutableRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try body(UnsafeMutableRawBufferPointer(start: base, count: count))
    }

    /// The address in the type of libsodium's headers, for the time of the call.
    borrowing func withPointer<Result: ~Copyable>(_ body: (UnsafePointer<UInt8>) -> Result) -> Result {
        body(UnsafePointer(base.assumingMemoryBound(to: UInt8.self)))
    }

    /// The address in the type of libsodium's headers, writable, for the time of the call.
    mutating func withMutablePointer<Result: ~Copyable>(
        _ body: (UnsafeMutablePointer<UInt8>) -> Result
    ) -> Result {
        body(base.assumingMemoryBound(to: UInt8.self))
    }

    /// Another owner for the same bytes. Copying is explicit, so that it can be found in the code.
    public borrowing func duplicate() -> SecretBytes {
        withUnsafeBytes { SecretBytes(copying: $0) }
    }

    /// Compares in a time that depends on the lengths alone.
    public static func == (left: borrowing SecretBytes, right: borrowing SecretBytes) -> Bool {
        guard left.count == right.count else { return false }
        return sodium_memcmp(left.base, right.base, left.count) == 0
    }

    /// Compares in a time that depends on the lengths alone.
    public static func != (left: borrowing SecretBytes, right: borrowing SecretBytes) -> Bool { !(left == right) }

    /// - Throws: `.keyLength` unless there are `expected` bytes.
    borrowing func requireCount(_ expected: Int) throws(CryptoError) {
        guard count == expected else { throw .keyLength(expected: expected, actual: count) }
    }
}
