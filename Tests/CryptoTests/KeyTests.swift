import Basics
import Testing

@testable import Crypto

@Suite("Signing and agreement keys")
struct KeyTests {
    /// RFC 8032 §7.1, tests 1 to 3: seed, public key, message, signature.
    static let signatures = [
        [
            "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60",
            "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a", "",
            "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46b"
                + "d25bf5f0595bbe24655141438e7a100b",
        ],
        [
            "4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb",
            "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c", "72",
            "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c"
                + "387b2eaeb4302aeeb00d291612bb0c00",
        ],
        [
            "c5aa8df43f9f837bedb7442f31dcb7b166d38535076f094b85ce3a2e0b4458f7",
            "fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025", "af82",
            "6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac18ff9b538d16f290ae67f760984dc659"
                + "4a7c15e9716ed28dc027beceea1ec40a",
        ],
    ]

    /// X25519 keys whose shared secret is zero with any other key: the points of small order in each of their forms
    /// (the table of libsodium and of cr.yp.to/ecdh.html).
    static let lowOrder = [
        "0000000000000000000000000000000000000000000000000000000000000000",
        "0100000000000000000000000000000000000000000000000000000000000000",
        "e0eb7a7c3b41b8ae1656e3faf19fc46ada098deb9c32b1fd866205165f49b800",
        "5f9c95bca3508c24b1d0b1559c83ef5b04445cc4581c8e86d8224eddd09f1157",
        "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
        "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
        "eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
        "0000000000000000000000000000000000000000000000000000000000000080",
        "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff",
    ]

    @Test("Ed25519 gives the signatures of RFC 8032", arguments: signatures)
    func ed25519(vector: [String]) throws {
        let key = try SigningKey(seed: secret(vector[0]))
        let message = try bytes(vector[2])
        #expect(Hex.encode(key.publicKey.bytes) == vector[1])
        #expect(Hex.encode(key.sign(message)) == vector[3])
        #expect(Signature.isValid(try bytes(vector[3]), of: message, by: key.publicKey))
        let seed = key.withSeed { Hex.encode($0) }
        #expect(seed == vector[0])
    }

    @Test("a signature fails if a bit is changed or with another length, message, key or label")
    func refusedSignatures() {
        let key = SigningKey()
        let message: [UInt8] = [1, 2, 3]
        let signature = key.sign(message)
        for bit in 0..<512 {
            var changed = signature
            changed[bit / 8] ^= 1 << UInt8(bit % 8)
            #expect(!Signature.isValid(changed, of: message, by: key.publicKey))
        }
        for count in 0..<64 { #expect(!Signature.isValid(signature.prefix(count), of: message, by: key.publicKey)) }
        #expect(!Signature.isValid(signature + [0], of: message, by: key.publicKey))
        #expect(!Signature.isValid(signature, of: [1, 2], by: key.publicKey))
        #expect(!Signature.isValid(signature, of: message, by: SigningKey().publicKey))
        let labelled = key.sign(message, label: "a")
        #expect(Signature.isValid(labelled, of: message, label: "a", by: key.publicKey))
        #expect(Signature.isValid(labelled, of: [UInt8(ascii: "a"), 0] + message, by: key.publicKey))
        #expect(!Signature.isValid(labelled, of: message, label: "b", by: key.publicKey))
        #expect(!Signature.isValid(labelled, of: message, by: key.publicKey))
    }

    @Test("an S that is not reduced, another form of the same signature, is refused (RFC 8032 §5.1.7)")
    func malleability() {
        let key = SigningKey()
        let signature = key.sign([7])
        // The group's order L, least significant byte first.
        let order: [UInt8] =
            [0xed, 0xd3, 0xf5, 0x5c, 0x1a, 0x63, 0x12, 0x58, 0xd6, 0x9c, 0xf7, 0xa2, 0xde, 0xf9, 0xde, 0x14]
            + [UInt8](repeating: 0, count: 15) + [0x10]
        var changed = signature
        var carry: UInt16 = 0
        for index in 0..<32 {
            let sum = UInt16(changed[32 + index]) + UInt16(order[index]) + carry
            changed[32 + index] = UInt8(truncatingIfNeeded: sum)
            carry = sum >> 8
        }
        #expect(Signature.isValid(signature, of: [7], by: key.publicKey))
        #expect(!Signature.isValid(changed, of: [7], by: key.publicKey))
    }

    @Test("a public key of small order, for which one signature fits many messages, is refused")
    func smallOrderSigner() throws {
        // The neutral element as key and as R, with S = 0, satisfies the bare equation for every message.
        let neutral = [1] + [UInt8](repeating: 0, count: 31)
        let key = try #require(Key32(neutral))
        #expect(!Signature.isValid(neutral + [UInt8](repeating: 0, count: 32), of: [1], by: key))
        for hex in Self.lowOrder { #expect(!Signature.isValid(neutral + neutral, of: [], by: try key32(hex))) }
    }

    @Test("X25519: the first vector of RFC 7748 §5.2, and both sides agree")
    func x25519() throws {
        let key = try AgreementKey(
            secret: secret("a546e36bf0527c9d3b16154b82465edd62144c0ac1fc5a18506a2244ba449ac4"))
        let shared = try key.agree(
            with: key32("e6db6867583030db3594c1a424b15f7c726624ec26b3353b10a903a6d0ab1c4c"))
        #expect(Hex.encode(revealed(shared)) == "c3da55379de9c6908e94ea4df28d084f32eccf03491c71f754b4075577a28552")
        let other = AgreementKey()
        let mine = try key.agree(with: other.publicKey)
        let theirs = try other.agree(with: key.publicKey)
        let areEqual = mine == theirs
        #expect(areEqual)
    }

    @Test("A pair that was sealed for the disk comes back, and agrees with others as before")
    func sealedPair() throws {
        let (pair, other) = (AgreementKey(), AgreementKey())
        let key = try #require(SharedKey(bytes: [UInt8](repeating: 7, count: CryptoLimits.keyBytes)))
        let sealed = pair.sealed(under: key, authenticating: [1])
        let again = pair.sealed(under: key, authenticating: [1])
        #expect(sealed.count == 72 && sealed != again)
        for bytes in [sealed, again] {
            let opened = try AgreementKey(sealed: bytes, under: key, authenticating: [1])
            #expect(opened.publicKey == pair.publicKey)
            let mine = try opened.agree(with: other.publicKey)
            let theirs = try other.agree(with: pair.publicKey)
            let areEqual = mine == theirs
            #expect(areEqual)
        }
    }

    @Test("A sealed pair is 24 bytes of nonce and the scalar under XChaCha20-Poly1305")
    func sealedScalar() throws {
        let scalar = try bytes("a546e36bf0527c9d3b16154b82465edd62144c0ac1fc5a18506a2244ba449ac4")
        let key = try #require(SharedKey(bytes: [UInt8](repeating: 7, count: CryptoLimits.keyBytes)))
        let sealed = try AgreementKey(secret: secret(scalar)).sealed(under: key, authenticating: [1, 2])
        let (nonce, text) = (Array(sealed.prefix(24)), Array(sealed.dropFirst(24)))
        #expect(key.open(text, nonce: nonce, authenticating: [1, 2]) == scalar)
        let made = key.seal(scalar, nonce: nonce, authenticating: [3])
        let opened = try AgreementKey(sealed: nonce + made, under: key, authenticating: [3])
        #expect(opened.publicKey == (try AgreementKey(secret: secret(scalar)).publicKey))
    }

    @Test("A sealed pair doesn't open with a bit changed, another length, another key or other bytes beside it")
    func refusedPair() throws {
        let pair = AgreementKey()
        let key = try #require(SharedKey(bytes: [UInt8](repeating: 7, count: CryptoLimits.keyBytes)))
        let sealed = pair.sealed(under: key, authenticating: [1])
        func error(_ sealed: [UInt8], _ key: SharedKey, _ associated: [UInt8]) -> CryptoError? {
            failure { () throws(CryptoError) in
                _ = try AgreementKey(sealed: sealed, under: key, authenticating: associated)
            }
        }
        #expect(error(sealed, key, [1]) == nil)
        for place in sealed.indices {
            var wrong = sealed
            wrong[place] ^= 1 << UInt8(place % 8)
            #expect(error(wrong, key, [1]) == .authenticationFailed)
            #expect(error(Array(sealed.prefix(place)), key, [1]) == .authenticationFailed)
        }
        #expect(error(sealed + [0], key, [1]) == .authenticationFailed)
        #expect(error(sealed, key, []) == .authenticationFailed)
        #expect(error(sealed, key, [2]) == .authenticationFailed)
        let other = try #require(SharedKey(bytes: [UInt8](repeating: 8, count: CryptoLimits.keyBytes)))
        #expect(error(sealed, other, [1]) == .authenticationFailed)
    }

    @Test("points of small order give no shared secret", arguments: lowOrder)
    func lowOrderPoint(hex: String) throws {
        let point = try key32(hex)
        let error = failure { () throws(CryptoError) in _ = try AgreementKey().agree(with: point) }
        #expect(error == .lowOrderPoint)
    }

    @Test("seeds and scalars of another length are refused", arguments: [0, 31, 33, 64])
    func lengths(count: Int) {
        let signing = failure { () throws(CryptoError) in _ = try SigningKey(seed: SecretBytes(random: count)) }
        let agreement = failure { () throws(CryptoError) in _ = try AgreementKey(secret: SecretBytes(random: count)) }
        #expect(signing == .keyLength(expected: 32, actual: count))
        #expect(agreement == .keyLength(expected: 32, actual: count))
    }
}
