/// The limits of this module, each with its unit and reason.
public enum CryptoLimits {
    /// Bytes of a Noise message, with its tag (Noise revision 34, §3).
    public static let noiseMessageBytes = 65_535
    /// Bytes of the authentication tag after every sealed text (ChaCha20-Poly1305 and AES-GCM alike).
    public static let tagBytes = 16
    /// Bytes of plaintext that fit into one Noise transport message.
    public static let noisePlaintextBytes = noiseMessageBytes - tagBytes
    /// Bytes of every symmetric key, seed and pre-shared key.
    public static let keyBytes = 32
    /// Bytes of a certificate or a key in PEM: ours have some 600.
    static let pemBytes = 16 << 10
    /// Bytes of an Ed25519 signature.
    public static let signatureBytes = 64

    /// Records under one AES-256-GCM key. At 1 MiB each this is 2^40 blocks, for which the chance of distinguishing the
    /// cipher from noise stays below 2^-48. A transfer of more than 16 TiB needs a new connection and so a new key.
    public static let aes256GCMRecords: UInt64 = 1 << 24
    /// Records under one ChaCha20-Poly1305 key. The bound is never reached in practice.
    public static let chacha20Poly1305Records: UInt64 = 1 << 48

    /// Characters of a device's name: enough for a host name, short enough for one line of a table.
    public static let deviceNameCharacters = 64
    /// Bytes of an encoded device certificate: two keys, a signature, a name of at most eight bytes for each
    /// character, and the heads around them. Checked before anything is decoded.
    public static let deviceCertificateBytes = 1024

    /// Members of a roster: an office of many floors, in a file of half a megabyte that is checked at each start.
    public static let rosterMembers = 2000
    /// Characters of a name in a roster: as long as a name may be that peers give themselves.
    public static let rosterNameCharacters = 128

    /// Bytes of a passphrase: a long sentence in any script, short enough to be read from a file at once.
    public static let passphraseBytes = 1024
    /// Bytes of salt, as libsodium's Argon2 needs them.
    public static let saltBytes = 16
    /// Bytes of an XChaCha20-Poly1305 nonce, long enough to be drawn at random.
    public static let longNonceBytes = 24
    /// Bytes of the digest that distinguishes a damaged keystore from a wrong passphrase.
    public static let keystoreDigestBytes = 16
    /// Bytes of a keystore's file, checked before anything is decoded: a certificate, a few keys, and heads around
    /// them.
    public static let keystoreBytes = 4096

    /// Bytes before the first piece of a sealed stream, and bytes by which sealing makes a piece longer.
    public static let streamHeaderBytes = 24
    public static let streamPieceExtraBytes = 17

    /// Rounds of hashing on each side of a safety number, as many as Signal uses. They make a search for keys with
    /// similar numbers too slow to be useful.
    public static let safetyNumberRounds = 5200
    /// Digits of a safety number, half of them for each account: about 100 bits a side.
    public static let safetyNumberDigits = 60
}
