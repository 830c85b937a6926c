import CSodium

/// Seals a long text piece by piece: libsodium's secretstream (XChaCha20-Poly1305). Pieces can't be exchanged, repeated or
/// left out, and the last one says that it is the last.
public struct SealingStream: ~Copyable {
    private var state: SecretStreamState
    /// What goes before the first piece, ``CryptoLimits/streamHeaderBytes`` long. It is not secret.
    public let header: [UInt8]

    /// Begins a stream. A key may seal any number of streams.
    public init(key: SharedKey) {
        Sodium.require()
        var header = [UInt8](repeating: 0, count: CryptoLimits.streamHeaderBytes)
        state = SecretStreamState()
        state.with { _ = crypto_secretstream_xchacha20poly1305_init_push($0, &header, key.bytes) }
        self.header = header
    }

    /// Seals the next piece, which grows by ``CryptoLimits/streamPieceExtraBytes``.
    /// - Parameter isLast: whether the stream ends with it. Nothing may be sealed after that.
    public mutating func seal(_ piece: some Collection<UInt8>, isLast: Bool) -> [UInt8] {
        let plain = Array(piece)
        var sealed = [UInt8](repeating: 0, count: plain.count + CryptoLimits.streamPieceExtraBytes)
        let tag = SecretStreamState.tag(isLast: isLast)
        state.with {
            _ = crypto_secretstream_xchacha20poly1305_push(
                $0, &sealed, nil, plain, UInt64(plain.count), nil, 0, tag)
        }
        return sealed
    }
}

/// Opens what ``SealingStream`` has sealed, in the same order.
public struct OpeningStream: ~Copyable {
    private var state: SecretStreamState
    /// Whether the last piece was opened: the stream is whole.
    public private(set) var isOver = false

    /// - Parameter header: what stood before the first piece.
    /// - Throws: ``CryptoError/authenticationFailed`` for a header of another length.
    public init(key: SharedKey, header: some Collection<UInt8>) throws(CryptoError) {
        let header = try Self.checked(Array(header))
        Sodium.require()
        state = SecretStreamState()
        // With a header of this length there is nothing that can fail.
        state.with { _ = crypto_secretstream_xchacha20poly1305_init_pull($0, header, key.bytes) }
    }

    private static func checked(_ header: [UInt8]) throws(CryptoError) -> [UInt8] {
        guard header.count == CryptoLimits.streamHeaderBytes else { throw .authenticationFailed }
        return header
    }

    /// Opens the next piece.
    /// - Throws: ``CryptoError/authenticationFailed`` if it is not the next piece of this stream, as it was sealed.
    public mutating func open(_ sealed: some Collection<UInt8>) throws(CryptoError) -> [UInt8] {
        guard !isOver, sealed.count >= CryptoLimits.streamPieceExtraBytes else { throw .authenticationFailed }
        let sealed = Array(sealed)
        var plain = [UInt8](repeating: 0, count: sealed.count - CryptoLimits.streamPieceExtraBytes)
        var tag: UInt8 = 0
        var status: CInt = -1
        state.with {
            status = crypto_secretstream_xchacha20poly1305_pull(
                $0, &plain, nil, &tag, sealed, UInt64(sealed.count), nil, 0)
        }
        guard status == 0 else { throw .authenticationFailed }
        isOver = tag == SecretStreamState.tag(isLast: true)
        return plain
    }
}

/// libsodium's state, which has the key in it.
private struct SecretStreamState: ~Copyable {
    private var memory = SecretBytes(zeros: crypto_secretstream_xchacha20poly1305_statebytes())

    mutating func with(_ body: (UnsafeMutablePointer<crypto_secretstream_xchacha20poly1305_state>) -> Void) {
        memory.withMutablePointer { body(UnsafeMutablePointer(OpaquePointer($0))) }
    }

    static func tag(isLast: Bool) -> UInt8 {
        isLast ? crypto_secretstream_xchacha20poly1305_tag_final() : crypto_secretstream_xchacha20poly1305_tag_message()
    }
}
