import Basics
import CSodium

/// Checking Ed25519 signatures (RFC 8032).
public enum Signature {
    /// Whether `signature` is the key owner's signature of `bytes`.
    ///
    /// It is as strict as libsodium: false for another length than 64, a number S that is not reduced, a key or point R
    /// of small order, and a key that is no point of the curve in its one encoding.
    public static func isValid(_ signature: some Collection<UInt8>, of bytes: [UInt8], by key: Key32) -> Bool {
        guard signature.count == CryptoLimits.signatureBytes else { return false }
        return crypto_sign_verify_detached(Array(signature), bytes, UInt64(bytes.count), key.bytes) == 0
    }

    /// Whether `signature` is the key owner's signature of `label ‖ 0x00 ‖ bytes`.
    public static func isValid(
        _ signature: some Collection<UInt8>, of bytes: [UInt8], label: String, by key: Key32
    ) -> Bool {
        isValid(signature, of: labelled(bytes, label), by: key)
    }

    static func labelled(_ bytes: [UInt8], _ label: String) -> [UInt8] {
        Array(label.utf8) + [0] + bytes
    }
}
