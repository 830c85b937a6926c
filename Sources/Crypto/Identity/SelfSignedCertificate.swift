import Basics
import COpenSSL

/// A certificate for TLS for which nobody vouches: others know it by its fingerprint. One that is made here has a key on the curve P-256.
public struct SelfSignedCertificate: Sendable {
    /// In PEM.
    public let certificate: String
    /// PKCS #8 in PEM, not encrypted.
    public let key: String
    /// The SHA-256 of the certificate in DER.
    public let fingerprint: [UInt8]

    /// Makes a key, and a certificate for it that is valid from 2020 to 2049, whatever this host's clock says.
    /// - Parameter name: the subject's common name, up to 64 characters.
    /// - Throws: ``CryptoError/certificate`` where the library refuses.
    public init(name: String) throws(CryptoError) {
        guard let made = Self.make(name: name) else { throw .certificate }
        self = made
    }

    /// Takes one that was made before.
    /// - Throws: ``CryptoError/certificate`` for anything else than a certificate and its key.
    public init(certificate: String, key: String) throws(CryptoError) {
        guard let parsed = Self.parse(certificate, key) else { throw .certificate }
        (self.certificate, self.key, fingerprint) = (certificate, key, parsed)
    }

    private init(certificate: String, key: String, fingerprint: [UInt8]) {
        (self.certificate, self.key, self.fingerprint) = (certificate, key, fingerprint)
    }

    private static func make(name: String) -> SelfSignedCertificate? {
        guard let generator = EVP_PKEY_CTX_new_id(EVP_PKEY_EC, nil) else { return nil }
        defer { EVP_PKEY_CTX_free(generator) }
        var pair: OpaquePointer?
        guard EVP_PKEY_keygen_init(generator) == 1,
            EVP_PKEY_CTX_set_ec_paramgen_curve_nid(generator, NID_X9_62_prime256v1) == 1,
            EVP_PKEY_keygen(generator, &pair) == 1, let pair
        else { return nil }
        defer { EVP_PKEY_free(pair) }
        guard let made = X509_new() else { return nil }
        defer { X509_free(made) }
        var random = SodiumGenerator()
        // RFC 5280: a positive number.
        let serial = UInt64.random(in: 1...UInt64(Int64.max), using: &random)
        // The library's macro for UTF-8.
        let utf8: CInt = 0x1000
        guard X509_set_version(made, 2) == 1,
            ASN1_INTEGER_set_uint64(X509_get_serialNumber(made), serial) == 1,
            ASN1_TIME_set_string_X509(X509_getm_notBefore(made), "20200101000000Z") == 1,
            ASN1_TIME_set_string_X509(X509_getm_notAfter(made), "20491231235959Z") == 1,
            X509_set_pubkey(made, pair) == 1, let subject = X509_get_subject_name(made),
            X509_NAME_add_entry_by_txt(subject, "CN", utf8, Array(name.utf8), CInt(name.utf8.count), -1, 0) == 1,
            X509_set_issuer_name(made, subject) == 1, X509_sign(made, pair, EVP_sha256()) > 0,
            let certificate = text({ PEM_write_bio_X509($0, made) }),
            let key = text({ PEM_write_bio_PKCS8PrivateKey($0, pair, nil, nil, 0, nil, nil) }),
            let fingerprint = fingerprint(of: made)
        else { return nil }
        return SelfSignedCertificate(certificate: certificate, key: key, fingerprint: fingerprint)
    }

    private static func parse(_ certificate: String, _ key: String) -> [UInt8]? {
        // Without a call-back for a passphrase the library would ask on the terminal.
        guard let parsed = read(certificate, { PEM_read_bio_X509($0, nil, { _, _, _, _ in -1 }, nil) }) else {
            return nil
        }
        defer { X509_free(parsed) }
        guard
            let pair = read(key, { PEM_read_bio_PrivateKey($0, nil, { _, _, _, _ in -1 }, nil) })
        else { return nil }
        defer { EVP_PKEY_free(pair) }
        guard X509_check_private_key(parsed, pair) == 1 else { return nil }
        return fingerprint(of: parsed)
    }

    private static func fingerprint(of certificate: OpaquePointer) -> [UInt8]? {
        var digest = [UInt8](repeating: 0, count: 32)
        var count: UInt32 = 0
        return X509_digest(certificate, EVP_sha256(), &digest, &count) == 1 && count == 32 ? digest : nil
    }

    /// What a function of the library writes.
    private static func text(_ write: (OpaquePointer) -> CInt) -> String? {
        guard let output = BIO_new(BIO_s_mem()) else { return nil }
        defer { BIO_free(output) }
        guard write(output) == 1 else { return nil }
        var bytes = [UInt8](repeating: 0, count: CryptoLimits.pemBytes)
        let count = BIO_read(output, &bytes, CInt(bytes.count))
        return count > 0 && Int(count) < bytes.count ? String(decoding: bytes[..<Int(count)], as: UTF8.self) : nil
    }

    /// What a function of the library reads from a text.
    private static func read(_ text: String, _ read: (OpaquePointer) -> OpaquePointer?) -> OpaquePointer? {
        let bytes = Array(text.utf8)
        return bytes.withUnsafeBytes { bytes in
            guard bytes.count <= CryptoLimits.pemBytes,
                let input = BIO_new_mem_buf(bytes.baseAddress, CInt(bytes.count))
            else { return nil }
            defer { BIO_free(input) }
            return read(input)
        }
    }
}
