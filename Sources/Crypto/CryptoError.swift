/// Why an operation on keys or sealed bytes was refused. No case carries a secret.
public enum CryptoError: Error, Hashable, Sendable, CustomStringConvertible {
    /// libsodium could not start, because the system gives no randomness. Nothing can be done in this process.
    case sodiumUnavailable
    /// A key or seed doesn't have the length that its algorithm needs: a mistake of the caller, or a damaged key file.
    case keyLength(expected: Int, actual: Int)
    /// The cipher needs processor instructions that this machine lacks. The caller has to choose another cipher.
    case unsupportedCipher
    /// The bytes were changed, cut, sealed under another key or counter, or belong elsewhere. The connection has to be
    /// dropped.
    case authenticationFailed
    /// The public key has a small order: its sender wants a shared secret that everyone knows. The connection has to be
    /// dropped.
    case lowOrderPoint
    /// A buffer is too small for the text and its tag, or a length is negative.
    case bufferTooSmall
    /// The counter was used before with this key. Sealing with it again would reveal the text.
    case counterReused
    /// The key has sealed as much as it may. A new key is needed.
    case keyExhausted
    /// The system doesn't have the requested memory. The caller may try again later.
    case outOfMemory
    /// A certificate or its key could not be made, or is none.
    case certificate

    public var description: String {
        switch self {
        case .sodiumUnavailable: "the system gives no randomness"
        case .keyLength(let expected, let actual): "the key has \(actual) bytes, and \(expected) are needed"
        case .unsupportedCipher: "this machine can't do the cipher"
        case .authenticationFailed: "the sealed bytes were changed, or sealed with another key"
        case .lowOrderPoint: "the public key is of small order"
        case .bufferTooSmall: "the buffer is too small"
        case .counterReused: "the counter was used before with this key"
        case .keyExhausted: "the key has sealed as much as it may"
        case .outOfMemory: "there is not enough memory"
        case .certificate: "the certificate or its key could not be made, or is none"
        }
    }
}
