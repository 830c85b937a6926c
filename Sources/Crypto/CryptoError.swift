/// Why an operation on keys or sealed bytes was refused. None of them carries a secret.
public enum CryptoError: Error, Hashable, Sendable {
    /// libsodium could not start, which means that the system gives no randomness. Nothing can be done in this process.
    case sodiumUnavailable
    /// A key or seed has another length than its algorithm wants. A mistake of the caller, or a damaged key file.
    case keyLength(expected: Int, actual: Int)
    /// The cipher needs processor instructions that this machine lacks. Choose another.
    case unsupportedCipher
    /// The bytes were changed, cut, sealed under another key or counter, or belong elsewhere. Drop the connection.
    case authenticationFailed
    /// The public key has a small order: whoever sent it wants a shared secret that everyone knows. Drop the connection.
    case lowOrderPoint
    /// A buffer is too small for the text and its tag, or a length is negative.
    case bufferTooSmall
    /// The counter was used before with this key. Sealing with it would give the text away.
    case counterReused
    /// The key has sealed as much as it may. Make a new one.
    case keyExhausted
    /// The system has not the memory that was asked for. Try again when something else has ended.
    case outOfMemory
}
