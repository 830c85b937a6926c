/// A passphrase that opens the keys. It is zeroed when its last owner releases it.
///
/// The bytes count as they are: no Unicode normalisation, no trimming.
public final class Passphrase: Sendable, CustomStringConvertible, CustomReflectable {
    private let secret: SecretBytes

    /// Makes a passphrase from a text. The text itself is a Swift value; its copies in memory can't be zeroed here.
    public init(_ text: String) {
        let bytes = text.utf8
        secret = SecretBytes(count: bytes.count) { buffer in
            for (index, byte) in bytes.enumerated() { buffer[index] = byte }
        }
    }

    /// Takes over bytes that came from a file.
    public init(_ secret: consuming SecretBytes) { self.secret = secret }

    /// The number of bytes.
    public var count: Int { secret.count }

    /// The bytes, readable for the time of the call. The pointer must not be kept.
    public func withUnsafeBytes<Result: ~Copyable, Failure: Error>(
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try secret.withUnsafeBytes(body)
    }

    /// A description without the passphrase.
    public var description: String { "Passphrase" }
    /// Keeps `dump` and debuggers' summaries away from it.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
