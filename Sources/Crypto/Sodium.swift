// The Crypto module: everything that touches a key. It may use only Basics, Threads, libsodium and libcrypto: no
// sockets, no files, no clock. Secrets live in ``SecretBytes``, which is zeroed at the end of its life, locked into
// memory where the system allows it, and impossible to copy or print; all else passes through here as plain bytes. The
// primitives are libsodium's. What libsodium lacks (HMAC-BLAKE2b, HKDF, the Noise protocol) is written on top of them
// and tested against vectors.

import CSodium

/// The libsodium library.
public enum Sodium {
    /// Whether libsodium started; it starts once per process, at the first use (it guards this with a lock of its own).
    private static let isStarted = sodium_init() >= 0

    /// Prepares libsodium: chooses implementations for this processor and opens the system's randomness.
    ///
    /// A daemon calls it first, so that a machine without working randomness gets a clear error. Keys and random bytes
    /// start the library themselves; calling this again costs nothing.
    /// - Throws: `.sodiumUnavailable`.
    public static func start() throws(CryptoError) {
        guard isStarted else { throw .sodiumUnavailable }
    }

    /// Must be called before anything draws randomness or makes secrets. Without randomness keys could be guessed, so a
    /// process that skipped ``start()`` ends here. This depends on the machine alone, never on a peer.
    static func require() {
        precondition(isStarted, "libsodium could not be started")
    }

    /// Whether this processor has the instructions (AES-NI and PCLMUL) that libsodium's AES-256-GCM needs.
    public static var hasHardwareAES256GCM: Bool {
        isStarted && crypto_aead_aes256gcm_is_available() == 1
    }

    /// `count` bytes from the system's generator; none for a count below one.
    public static func randomBytes(_ count: Int) -> [UInt8] {
        require()
        var bytes = [UInt8](repeating: 0, count: max(0, count))
        bytes.withUnsafeMutableBytes { fillRandomly($0) }
        return bytes
    }

    static func fillRandomly(_ buffer: UnsafeMutableRawBufferPointer) {
        guard let base = buffer.baseAddress, !buffer.isEmpty else { return }
        randombytes_buf(base, buffer.count)
    }
}

/// The system's randomness as a Swift generator, for identifiers, jitter, and all else that must not be guessed.
public struct SodiumGenerator: RandomNumberGenerator, Sendable {
    public init() { Sodium.require() }

    public mutating func next() -> UInt64 {
        var value: UInt64 = 0
        withUnsafeMutableBytes(of: &value) { Sodium.fillRandomly($0) }
        return value
    }
}
