import Basics
import Testing

@testable import Crypto

@Suite("Hashes and key derivation")
struct HashTests {
    @Test("BLAKE2b gives the digest of RFC 7693 appendix A, and takes digests and keys of other lengths")
    func blake2b() throws {
        #expect(
            Hex.encode(Blake2b.hash(Array("abc".utf8), length: 64))
                == "ba80a53f981c4d0d6a2797b69f12f6e94c212f14685ac4b74b12bb6fdbffa2d1"
                + "7d87c5392aab792dc252d5de4533cc9518d38aa8dbf1925ab92386edd4009923")
        #expect(Blake2b.hash([]).count == 32)
        for length in [1, 16, 32, 63, 64] { #expect(Blake2b.hash([1], length: length).count == length) }
        #expect(Blake2b.hash([1], key: [2]) != Blake2b.hash([1]))
        // A collection that isn't stored in one piece gives the same digest.
        #expect(Blake2b.hash((0..<200).lazy.map { UInt8($0) }) == Blake2b.hash((0..<200).map { UInt8($0) }))
    }

    @Test("HMAC-BLAKE2b equals that of Python's hmac", arguments: HashVectors.hmac)
    func hmac(vector: (keyBytes: Int, messageBytes: Int, code: String)) {
        let code = HMACBlake2b.code(of: filler(vector.messageBytes), key: secret(filler(vector.keyBytes)))
        #expect(Hex.encode(code) == vector.code)
    }

    @Test("HKDF equals Python's", arguments: HashVectors.hkdf)
    func hkdf(vector: (saltBytes: Int, inputBytes: Int, infoBytes: Int, output: String)) {
        let output = HKDF.derive(
            input: secret(filler(vector.inputBytes)), salt: secret(filler(vector.saltBytes)),
            info: filler(vector.infoBytes), count: vector.output.utf8.count / 2)
        #expect(Hex.encode(revealed(output)) == vector.output)
    }

    @Test("HKDF gives the longest output, and shorter ones are its beginnings")
    func longest() {
        let all = revealed(HKDF.derive(input: secret([1]), salt: secret([2]), count: HKDF.maximumBytes))
        #expect(all.count == 16_320)
        for count in [1, 63, 64, 65, 1000] {
            let part = HKDF.derive(input: secret([1]), salt: secret([2]), count: count)
            #expect(revealed(part) == Array(all.prefix(count)))
        }
    }
}
