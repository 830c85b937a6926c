import Basics

/// One sealed message to somebody who isn't there: `Noise_X_25519_ChaChaPoly_BLAKE2b` (Noise revision 34, §7.4):
///
///     <- s
///     ...
///     -> e, es, s, ss
///
/// The recipient learns who sealed it and could have made the same bytes, so it proves nothing to others. Nothing keeps
/// an old message from coming again: the caller must notice that.
public enum NoiseSeal {
    /// What a message has more than its payload: the ephemeral key, the sealed static key and the payload's tag.
    public static let overheadBytes = 2 * CryptoLimits.keyBytes + 2 * CryptoLimits.tagBytes

    /// An opened message.
    public struct Opened: Sendable {
        /// The key that sealed it. Whose it is, the caller must know from elsewhere.
        public let sender: Key32
        public let payload: [UInt8]
    }

    /// Seals the payload from one key to another.
    /// - Parameters:
    ///   - prologue: bytes that the recipient must know and give, too.
    ///   - ephemeral: a key made for this message alone; fixed only for vectors.
    /// - Throws: `.messageTooLong`, `.lowOrderPoint` of the recipient's key.
    public static func seal(
        _ payload: [UInt8], from sender: AgreementKey, to recipient: Key32, prologue: [UInt8],
        ephemeral: AgreementKey = AgreementKey()
    ) throws(NoiseError) -> [UInt8] {
        guard payload.count <= CryptoLimits.noiseMessageBytes - overheadBytes else { throw .messageTooLong }
        var symmetric = start(prologue: prologue, recipient: recipient)
        var message = ephemeral.publicKey.bytes
        symmetric.mixHash(message)
        try agree(ephemeral, recipient, into: &symmetric)
        try symmetric.encryptAndHash(sender.publicKey.bytes, appendingTo: &message)
        try agree(sender, recipient, into: &symmetric)
        try symmetric.encryptAndHash(payload, appendingTo: &message)
        return message
    }

    /// Opens a message.
    /// - Throws: `.messageTooLong`, `.messageTooShort`, `.authenticationFailed`, `.lowOrderPoint`.
    public static func open(
        _ message: ArraySlice<UInt8>, with recipient: AgreementKey, prologue: [UInt8]
    ) throws(NoiseError) -> Opened {
        guard message.count <= CryptoLimits.noiseMessageBytes else { throw .messageTooLong }
        guard message.count >= overheadBytes else { throw .messageTooShort }
        let sealedKey = message.dropFirst(CryptoLimits.keyBytes).prefix(CryptoLimits.keyBytes + CryptoLimits.tagBytes)
        var symmetric = start(prologue: prologue, recipient: recipient.publicKey)
        let first = Array(message.prefix(CryptoLimits.keyBytes))
        guard let ephemeral = Key32(first) else { throw .messageTooShort }
        symmetric.mixHash(first)
        try agree(recipient, ephemeral, into: &symmetric)
        guard let sender = Key32(try symmetric.decryptAndHash(sealedKey)) else { throw .messageTooShort }
        try agree(recipient, sender, into: &symmetric)
        return Opened(sender: sender, payload: try symmetric.decryptAndHash(message[sealedKey.endIndex...]))
    }

    private static func start(prologue: [UInt8], recipient: Key32) -> NoiseSymmetricState {
        var symmetric = NoiseSymmetricState(protocolName: "Noise_X_25519_ChaChaPoly_BLAKE2b")
        symmetric.mixHash(prologue)
        symmetric.mixHash(recipient.bytes)
        return symmetric
    }

    private static func agree(
        _ own: AgreementKey, _ theirs: Key32, into symmetric: inout NoiseSymmetricState
    ) throws(NoiseError) {
        let shared: SecretBytes
        do { shared = try own.agree(with: theirs) } catch { throw .lowOrderPoint }
        shared.withUnsafeBytes { symmetric.mixKey($0) }
    }
}
