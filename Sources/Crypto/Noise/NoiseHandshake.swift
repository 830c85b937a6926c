import Basics

/// The handshake `Noise_XX_25519_ChaChaPoly_BLAKE2b`, or `Noise_XXpsk0_…` with a pre-shared key (Noise revision 34):
///
///     -> e                (with a pre-shared key: -> psk, e)
///     <- e, ee, s, es
///     -> s, se
///
/// It has three messages. The payload of the first is readable by everyone (or by everyone with the pre-shared key).
/// The responder's payload in the second is sealed, but for a peer that isn't known yet. The initiator's in the third
/// can be read by the responder only. Any error ends the handshake: every later call throws `.failedBefore`.
public struct NoiseHandshake: ~Copyable, Sendable {
    /// The side: the initiator sends the first message.
    public enum Role: Sendable {
        case initiator
        case responder
    }

    private enum Token { case e, s, ee, es, se }
    private static let pattern: [[Token]] = [[.e], [.e, .ee, .s, .es], [.s, .se]]

    private let role: Role
    private let hasPresharedKey: Bool
    private let staticKey: AgreementKey
    private var symmetric: NoiseSymmetricState
    private var ephemeral: AgreementKey?
    private var remoteEphemeral: Key32?
    private var step = 0
    private var hasFailed = false

    /// The peer's static key, once its message has been read: after the second message for the initiator, after the third
    /// for the responder.
    public private(set) var remoteStatic: Key32?

    /// - Parameters:
    ///   - prologue: bytes on which both sides must agree beforehand. A difference makes the second message fail (with
    ///     a pre-shared key, the first).
    ///   - presharedKey: 32 bytes, or nil for plain XX. It is not kept.
    ///   - ephemeral: a key that the caller made for this handshake alone, where its first payload must name it; fixed
    ///     only for vectors.
    /// - Throws: `.presharedKeyLength`.
    public init(
        _ role: Role, staticKey: AgreementKey, prologue: [UInt8], presharedKey: borrowing SecretBytes? = nil,
        ephemeral: AgreementKey? = nil
    ) throws(NoiseError) {
        self.role = role
        self.staticKey = staticKey
        self.ephemeral = ephemeral
        switch presharedKey {
        case .some(let key):
            guard key.count == CryptoLimits.keyBytes else { throw .presharedKeyLength }
            hasPresharedKey = true
            symmetric = NoiseSymmetricState(protocolName: "Noise_XXpsk0_25519_ChaChaPoly_BLAKE2b")
            symmetric.mixHash(prologue)
            // The token `psk` opens the first message. Nothing comes before it, so it can be processed here.
            key.withUnsafeBytes { symmetric.mixKeyAndHash($0) }
        case .none:
            hasPresharedKey = false
            symmetric = NoiseSymmetricState(protocolName: "Noise_XX_25519_ChaChaPoly_BLAKE2b")
            symmetric.mixHash(prologue)
        }
    }

    /// Whether all three messages are done, so that ``split()`` can be called.
    public var isFinished: Bool { step == Self.pattern.count && !hasFailed }

    /// The hash of all messages so far, 64 bytes; equal on both sides after each message.
    public var handshakeHash: [UInt8] { symmetric.hash }

    /// Makes our next message.
    /// - Throws: `.outOfTurn`, `.messageTooLong`, `.lowOrderPoint` (of a key received before), `.failedBefore`.
    public mutating func write(payload: [UInt8]) throws(NoiseError) -> [UInt8] {
        let tokens = try begin(writing: true)
        do throws(NoiseError) {
            var message: [UInt8] = []
            for token in tokens { try write(token, to: &message) }
            try symmetric.encryptAndHash(payload, appendingTo: &message)
            guard message.count <= CryptoLimits.noiseMessageBytes else { throw .messageTooLong }
            step += 1
            return message
        } catch {
            hasFailed = true
            throw error
        }
    }

    /// Reads the peer's next message, and returns its payload.
    /// - Throws: any ``NoiseError`` but `.presharedKeyLength` and `.counterExhausted`.
    public mutating func read(_ message: ArraySlice<UInt8>) throws(NoiseError) -> [UInt8] {
        let tokens = try begin(writing: false)
        do throws(NoiseError) {
            guard message.count <= CryptoLimits.noiseMessageBytes else { throw .messageTooLong }
            var reader = ByteReader(message)
            for token in tokens { try read(token, from: &reader) }
            let payload = try symmetric.decryptAndHash(reader.rest)
            step += 1
            return payload
        } catch {
            hasFailed = true
            throw error
        }
    }

    /// Ends the handshake and returns the channel.
    /// - Throws: `.outOfTurn` before the end, `.failedBefore`.
    public consuming func split() throws(NoiseError) -> NoiseTransport {
        if hasFailed { throw .failedBefore }
        guard step == Self.pattern.count else { throw .outOfTurn }
        return symmetric.split(isInitiator: role == .initiator)
    }

    private func begin(writing: Bool) throws(NoiseError) -> [Token] {
        if hasFailed { throw .failedBefore }
        // The initiator writes messages 0 and 2, the responder message 1.
        guard step < Self.pattern.count, writing == ((role == .initiator) == step.isMultiple(of: 2)) else {
            throw .outOfTurn
        }
        return Self.pattern[step]
    }

    private mutating func write(_ token: Token, to message: inout [UInt8]) throws(NoiseError) {
        switch token {
        case .e:
            let key = ephemeral ?? AgreementKey()
            ephemeral = key
            message += key.publicKey.bytes
            mixEphemeral(key.publicKey.bytes)
        case .s: try symmetric.encryptAndHash(staticKey.publicKey.bytes, appendingTo: &message)
        default: try agree(token)
        }
    }

    private mutating func read(_ token: Token, from reader: inout ByteReader) throws(NoiseError) {
        switch token {
        case .e:
            let bytes = try Self.read(CryptoLimits.keyBytes, from: &reader)
            remoteEphemeral = Key32(bytes)
            mixEphemeral(Array(bytes))
        case .s:
            let length = CryptoLimits.keyBytes + (symmetric.hasKey ? CryptoLimits.tagBytes : 0)
            remoteStatic = Key32(try symmetric.decryptAndHash(try Self.read(length, from: &reader)))
        default: try agree(token)
        }
    }

    private mutating func mixEphemeral(_ bytes: [UInt8]) {
        symmetric.mixHash(bytes)
        // With a pre-shared key the ephemeral also goes into the key, so that no two messages share one (§9.2).
        if hasPresharedKey { bytes.withUnsafeBytes { symmetric.mixKey($0) } }
    }

    /// In `es` and `se` the first letter is the initiator's key.
    private mutating func agree(_ token: Token) throws(NoiseError) {
        let usesOwnStatic = token == (role == .initiator ? .se : .es)
        let usesTheirStatic = token == (role == .initiator ? .es : .se)
        guard let own = usesOwnStatic ? staticKey : ephemeral,
            let theirs = usesTheirStatic ? remoteStatic : remoteEphemeral
        else { throw .outOfTurn }
        let shared: SecretBytes
        do { shared = try own.agree(with: theirs) } catch { throw .lowOrderPoint }
        shared.withUnsafeBytes { symmetric.mixKey($0) }
    }

    private static func read(_ count: Int, from reader: inout ByteReader) throws(NoiseError) -> ArraySlice<UInt8> {
        do { return try reader.read(count) } catch { throw .messageTooShort }
    }
}
