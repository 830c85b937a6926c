import Basics
import CSodium
import Testing

@testable import Crypto

@Suite("The cipher of bulk records")
struct BulkCipherTests {
    static let kinds = BulkCipher.Kind.allCases.filter(\.isAvailable)

    @Test(
        "records that Python's cryptography makes are sealed and opened alike",
        arguments: BulkVectors.all.filter(\.kind.isAvailable))
    func vectors(
        vector: (kind: BulkCipher.Kind, count: Int, counter: UInt64, associatedBytes: Int, digest: String)
    ) throws {
        let cipher = try BulkCipher(vector.kind, key: secret(BulkVectors.key))
        let associated = filler(vector.associatedBytes)
        // The room after the tag must stay as it is, and an odd address must work.
        var buffer = [0xEE] + filler(vector.count) + [UInt8](repeating: 0xEE, count: 20)
        try buffer.withUnsafeMutableBytes { buffer in
            try associated.withUnsafeBytes {
                try cipher.seal(
                    inPlace: UnsafeMutableRawBufferPointer(rebasing: buffer[1...]), count: vector.count,
                    counter: vector.counter, associated: $0)
            }
        }
        #expect(buffer.first == 0xEE && buffer.suffix(4).allSatisfy { $0 == 0xEE })
        #expect(Hex.encode(Blake2b.hash(buffer[1..<17 + vector.count])) == vector.digest)
        let count = try buffer.withUnsafeMutableBytes { buffer in
            try associated.withUnsafeBytes {
                try cipher.open(
                    inPlace: UnsafeMutableRawBufferPointer(rebasing: buffer[1..<17 + vector.count]),
                    counter: vector.counter, associated: $0)
            }
        }
        #expect(count == vector.count)
        #expect(Array(buffer[1..<1 + count]) == filler(vector.count))
    }

    @Test("ChaCha20-Poly1305 opens the record of RFC 8439 A.5")
    func rfc8439() throws {
        let cipher = try BulkCipher(
            .chacha20Poly1305, key: secret("1c9240a5eb55d38af333888604f6b5f0473917c1402b80099dca5cbc207075c0"))
        var record = try bytes(
            "64a0861575861af460f062c79be643bd5e805cfd345cf389f108670ac76c8cb24c6cfc18755d43eea09ee94e382d26b0"
                + "bdb7b73c321b0100d4f03b7f355894cf332f830e710b97ce98c8a84abd0b948114ad176e008d33bd60f982b1ff37c8"
                + "559797a06ef4f0ef61c186324e2b3506383606907b6a7c02b0f9f6157b53c867e4b9166c767b804d46a59b5216cde7"
                + "a4e99040c5a40433225ee282a1b0a06c523eaf4534d7f83fa1155b0047718cbc546a0d072b04b3564eea1b422273f5"
                + "48271a0bb2316053fa76991955ebd63159434ecebb4e466dae5a1073a6727627097a1049e617d91d361094fa68f0ff"
                + "77987130305beaba2eda04df997b714d6c6f2c29a6ad5cb4022b02709beead9d67890cbb22392336fea1851f38")
        let associated = try bytes("f33388860000000000004e91")
        let count = try record.withUnsafeMutableBytes { record in
            try associated.withUnsafeBytes {
                try cipher.open(inPlace: record, counter: 0x0102_0304_0506_0708, associated: $0)
            }
        }
        let text = String(decoding: record[..<count], as: UTF8.self)
        #expect(text.hasPrefix("Internet-Drafts are draft documents valid for a maximum of six months"))
        #expect(text.hasSuffix("/“work in progress./”"))
    }

    @Test(
        "AES-256-GCM: test cases 13 and 14 of the GCM paper (McGrew and Viega)",
        .enabled(if: Sodium.hasHardwareAES256GCM))
    func gcm() throws {
        for (count, expected) in [
            (0, "530f8afbc74536b9a963b4f1c4cb738b"),
            (16, "cea7403d4d606b6e074ec5d3baf39d18d0d1c8a799996bf0265b98b5d48ab919"),
        ] {
            let cipher = try BulkCipher(.aes256GCM, key: secret([UInt8](repeating: 0, count: 32)))
            var buffer = [UInt8](repeating: 0, count: count + 16)
            try seal(cipher, &buffer, count: count, counter: 0)
            #expect(Hex.encode(buffer) == expected)
        }
    }

    @Test("OpenSSL's records open with libsodium, and the other way round, at every length", arguments: kinds)
    func otherLibrary(kind: BulkCipher.Kind) throws {
        let key = (0..<32).map { UInt8($0) }
        let cipher = try BulkCipher(kind, key: secret(key))
        for (counter, count) in ([0, 1, 15, 16, 17, 255, 4096, 70_001, 1 << 20] as [Int]).enumerated() {
            let text = filler(count)
            let associated = filler(counter * 7)
            var own = text + [UInt8](repeating: 0, count: 16)
            try seal(cipher, &own, count: count, counter: UInt64(counter), associated: associated)
            let other = Self.sealBySodium(kind, key, text, counter: UInt64(counter), associated)
            #expect(own == other)
            #expect(opening(cipher, other, counter: UInt64(counter), associated: associated) == nil)
        }
    }

    private static func sealBySodium(
        _ kind: BulkCipher.Kind, _ key: [UInt8], _ text: [UInt8], counter: UInt64, _ associated: [UInt8]
    ) -> [UInt8] {
        var nonce: [UInt8] = [0, 0, 0, 0]
        nonce.appendBigEndian(counter)
        var sealed = [UInt8](repeating: 0, count: text.count + 16)
        let call = kind == .aes256GCM ? crypto_aead_aes256gcm_encrypt : crypto_aead_chacha20poly1305_ietf_encrypt
        _ = call(
            &sealed, nil, text, UInt64(text.count), associated, UInt64(associated.count), nil, nonce, key)
        return sealed
    }

    @Test(
        "a changed bit of text, tag or associated data, another counter or key, and a truncation are refused",
        arguments: kinds)
    func refused(kind: BulkCipher.Kind) throws {
        let key = SecretBytes(random: 32)
        let cipher = try BulkCipher(kind, key: key)
        var record = filler(40) + [UInt8](repeating: 0, count: 16)
        try seal(cipher, &record, count: 40, counter: 5, associated: [1, 2])
        for bit in 0..<record.count * 8 {
            var changed = record
            changed[bit / 8] ^= 1 << UInt8(bit % 8)
            #expect(opening(cipher, changed, counter: 5, associated: [1, 2]) == .authenticationFailed)
        }
        for count in 0..<16 {
            #expect(opening(cipher, Array(record[..<count]), counter: 5, associated: [1, 2]) == .bufferTooSmall)
        }
        for count in 16..<record.count {
            #expect(opening(cipher, Array(record[..<count]), counter: 5, associated: [1, 2]) == .authenticationFailed)
        }
        #expect(opening(cipher, record + [0], counter: 5, associated: [1, 2]) == .authenticationFailed)
        #expect(opening(cipher, record, counter: 4, associated: [1, 2]) == .authenticationFailed)
        #expect(opening(cipher, record, counter: .max, associated: [1, 2]) == .authenticationFailed)
        #expect(opening(cipher, record, counter: 5, associated: [1, 3]) == .authenticationFailed)
        #expect(opening(cipher, record, counter: 5, associated: []) == .authenticationFailed)
        let other = try BulkCipher(kind, key: SecretBytes(random: 32))
        #expect(opening(other, record, counter: 5, associated: [1, 2]) == .authenticationFailed)
        #expect(opening(cipher, record, counter: 5, associated: [1, 2]) == nil)
    }

    @Test("no counter is used twice for sealing, and none beyond what a key may seal", arguments: kinds)
    func counters(kind: BulkCipher.Kind) throws {
        let cipher = try BulkCipher(kind, key: SecretBytes(random: 32))
        var buffer = [UInt8](repeating: 7, count: 20)
        try seal(cipher, &buffer, count: 4, counter: 0)
        try seal(cipher, &buffer, count: 4, counter: 9)
        let before = buffer
        for counter: UInt64 in [0, 8, 9] {
            #expect(sealing(cipher, &buffer, count: 4, counter: counter) == .counterReused)
        }
        try seal(cipher, &buffer, count: 4, counter: kind.maximumRecords - 1)
        let last = buffer
        #expect(before != last)
        #expect(sealing(cipher, &buffer, count: 4, counter: kind.maximumRecords) == .keyExhausted)
        #expect(sealing(cipher, &buffer, count: 4, counter: .max) == .keyExhausted)
        #expect(buffer == last)
    }

    @Test("lengths that don't fit the buffer are refused", arguments: kinds)
    func lengths(kind: BulkCipher.Kind) throws {
        let cipher = try BulkCipher(kind, key: SecretBytes(random: 32))
        for (size, count) in [(0, 0), (15, 0), (16, 1), (16, -1), (20, 5), (20, .max), (20, .min)] {
            var buffer = [UInt8](repeating: 1, count: size)
            #expect(sealing(cipher, &buffer, count: count, counter: 0) == .bufferTooSmall)
            #expect(buffer.allSatisfy { $0 == 1 })
        }
        var smallest = [UInt8](repeating: 1, count: 16)
        try seal(cipher, &smallest, count: 0, counter: 0)
        #expect(opening(cipher, smallest, counter: 0) == nil)
        for count in [0, 16, 31, 33] {
            let error = failure { () throws(CryptoError) in _ = try BulkCipher(kind, key: SecretBytes(random: count)) }
            #expect(error == .keyLength(expected: 32, actual: count))
        }
    }

    @Test("records of any length survive a round trip, with one key schedule used many times", arguments: kinds)
    func anyLength(kind: BulkCipher.Kind) throws {
        var random = SeededGenerator(seed: 11)
        let cipher = try BulkCipher(kind, key: SecretBytes(random: 32))
        for counter in 0..<300 as Range<UInt64> {
            let count = Int.random(in: 0...700, using: &random)
            let plain = filler(count)
            var buffer = plain + [UInt8](repeating: 0, count: 16)
            try seal(cipher, &buffer, count: count, counter: counter, associated: filler(Int(counter % 40)))
            #expect(count < 16 || Array(buffer[..<count]) != plain)
            let opened = try buffer.withUnsafeMutableBytes { buffer in
                try filler(Int(counter % 40)).withUnsafeBytes {
                    try cipher.open(inPlace: buffer, counter: counter, associated: $0)
                }
            }
            #expect(opened == count && Array(buffer[..<count]) == plain)
        }
    }

    private func seal(
        _ cipher: BulkCipher, _ buffer: inout [UInt8], count: Int, counter: UInt64, associated: [UInt8] = []
    ) throws {
        try buffer.withUnsafeMutableBytes { buffer in
            try associated.withUnsafeBytes {
                try cipher.seal(inPlace: buffer, count: count, counter: counter, associated: $0)
            }
        }
    }

    private func sealing(_ cipher: BulkCipher, _ buffer: inout [UInt8], count: Int, counter: UInt64) -> CryptoError? {
        failure { try seal(cipher, &buffer, count: count, counter: counter) } as? CryptoError
    }

    private func opening(
        _ cipher: BulkCipher, _ record: [UInt8], counter: UInt64, associated: [UInt8] = []
    ) -> CryptoError? {
        var buffer = record
        return failure {
            _ = try buffer.withUnsafeMutableBytes { buffer in
                try associated.withUnsafeBytes { try cipher.open(inPlace: buffer, counter: counter, associated: $0) }
            }
        } as? CryptoError
    }
}
