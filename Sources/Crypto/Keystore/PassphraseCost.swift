import CSodium

/// The cost of trying a passphrase: Argon2id (RFC 9106), version 1.3, one lane, by libsodium.
public struct PassphraseCost: Hashable, Sendable {
    /// The number of passes over the memory.
    public let passes: UInt64
    /// Memory in KiB.
    public let kibibytes: UInt64

    /// The cost of new keystores: half a second to a second of one core, and 256 MiB.
    public static let standard = PassphraseCost(passes: 3, kibibytes: 256 << 10)

    /// Derives a key of 32 bytes. It takes time and memory, so call it on a thread that may block. The memory is mapped
    /// for the call and returned to the system after it.
    /// - Throws: `.outOfMemory` if the system has too little; `.keyLength` for another length of salt.
    func key(from passphrase: Passphrase, salt: [UInt8]) throws(CryptoError) -> SecretBytes {
        guard salt.count == CryptoLimits.saltBytes else {
            throw .keyLength(expected: CryptoLimits.saltBytes, actual: salt.count)
        }
        guard kibibytes <= PassphraseBounds.highest.kibibytes, let bytes = Int(exactly: kibibytes * 1024) else {
            throw .outOfMemory
        }
        Sodium.require()
        var key = SecretBytes(zeros: CryptoLimits.keyBytes)
        let status = key.withMutablePointer { key in
            passphrase.withUnsafeBytes { text -> CInt in
                guard let start = text.baseAddress?.assumingMemoryBound(to: CChar.self) else { return -1 }
                return crypto_pwhash(
                    key, UInt64(CryptoLimits.keyBytes), start, UInt64(text.count), salt, passes, bytes,
                    crypto_pwhash_alg_argon2id13())
            }
        }
        // The lengths were checked, so only the memory can be the reason.
        guard status == 0 else { throw .outOfMemory }
        return key
    }
}

/// The costs of a keystore that are accepted.
///
/// A file below the lowest cost was made carelessly. A file above the highest is damaged or hostile, and using it would
/// take the machine's memory or hours.
public struct PassphraseBounds: Sendable {
    public let lowest: PassphraseCost
    public let highest: PassphraseCost

    /// From libsodium's "interactive" memory to its "sensitive" memory.
    public static let standard = PassphraseBounds(
        lowest: PassphraseCost(passes: 2, kibibytes: 64 << 10), highest: Self.highest)
    /// The upper limit of all bounds: ten passes over 1 GiB.
    static let highest = PassphraseCost(passes: 10, kibibytes: 1 << 20)
    /// Bounds for tests, which can't spend a second on each try. The lowest cost is libsodium's own.
    static let cheap = PassphraseBounds(lowest: PassphraseCost(passes: 1, kibibytes: 8), highest: Self.highest)

    func contains(_ cost: PassphraseCost) -> Bool {
        lowest.passes...highest.passes ~= cost.passes && lowest.kibibytes...highest.kibibytes ~= cost.kibibytes
    }
}
