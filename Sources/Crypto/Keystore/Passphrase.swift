/// What a person types to open the keys. Zeroed when the last owner lets go of it.
///
/// The bytes count as they are: no Unicode normalisation, no trimming.
public final class Passphrase: Sendable, CustomStringConvertible, CustomReflectable {
    private let secret: SecretBytes

    /// Of a text. The text itself is a value of Swift's and stays wherever it has been: this can't zero it.
    public init(_ text: String) {
        let bytes = text.utf8
        secret = SecretBytes(count: bytes.count) { buffer in
            for (index, byte) in bytes.enumerated() { buffer[index] = byte }
        }
    }

    /// Of bytes that came from a file; they belong to this value from now on.
    public init(_ secret: consuming SecretBytes) { self.secret = secret }

    /// How many bytes it has.
    public var count: Int { secret.count }

    /// The bytes, readable for the time of the call. The pointer must not be kept.
    public func withUnsafeBytes<Result: ~Copyable, Failure: Error>(
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try secret.withUnsafeBytes(body)
    }

    /// Shows nothing of it.
    public var description: String { "Passphrase" }
    /// Keeps `dump` and debuggers' summaries away from it.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
