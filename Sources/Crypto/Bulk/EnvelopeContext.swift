import COpenSSL

/// One direction of OpenSSL's cipher with a key: set up once, then given a nonce for each record. It wipes the key at
/// the end of its life (EVP_CIPHER_CTX_free does). It belongs to the thread of its transfer.
final class EnvelopeContext {
    private let context: OpaquePointer

    /// - Throws: `.unsupportedCipher` where the library was built or configured without the cipher.
    init(_ kind: BulkCipher.Kind, key: UnsafePointer<UInt8>, isSealing: Bool) throws(CryptoError) {
        let cipher =
            switch kind {
            case .chacha20Poly1305: EVP_chacha20_poly1305()
            case .aes256GCM: EVP_aes_256_gcm()
            }
        guard let cipher, let context = EVP_CIPHER_CTX_new() else { throw .unsupportedCipher }
        guard EVP_CipherInit_ex(context, cipher, nil, key, nil, isSealing ? 1 : 0) == 1 else {
            EVP_CIPHER_CTX_free(context)
            throw .unsupportedCipher
        }
        self.context = context
    }

    deinit { EVP_CIPHER_CTX_free(context) }

    /// Begins a record with its nonce (12 bytes) and the bytes that are authenticated besides its text.
    func begin(_ nonce: UnsafePointer<UInt8>, associated: UnsafeRawBufferPointer) -> Bool {
        guard EVP_CipherInit_ex(context, nil, nil, nil, nonce, -1) == 1 else { return false }
        guard let bytes = associated.baseAddress, let count = CInt(exactly: associated.count), count > 0 else {
            return associated.isEmpty
        }
        var length: CInt = 0
        return EVP_CipherUpdate(context, nil, &length, bytes.assumingMemoryBound(to: UInt8.self), count) == 1
    }

    /// Processes the next piece of the text in place.
    func update(_ text: UnsafeMutablePointer<UInt8>, count: Int) -> Bool {
        guard count > 0 else { return true }
        guard let length = CInt(exactly: count) else { return false }
        var written: CInt = 0
        return EVP_CipherUpdate(context, text, &written, text, length) == 1 && written == length
    }

    /// Ends a sealed record and writes its tag.
    func finish(writing tag: UnsafeMutablePointer<UInt8>) -> Bool {
        var none = UInt8(0)
        var length: CInt = 0
        return EVP_CipherFinal_ex(context, &none, &length) == 1
            && EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_GET_TAG, CInt(CryptoLimits.tagBytes), tag) == 1
    }

    /// Ends an opened record. Returns whether the tag is right.
    func finish(comparing tag: UnsafeMutablePointer<UInt8>) -> Bool {
        var none = UInt8(0)
        var length: CInt = 0
        return EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_TAG, CInt(CryptoLimits.tagBytes), tag) == 1
            && EVP_CipherFinal_ex(context, &none, &length) == 1
    }
}
