import Basics
import Testing

@testable import Crypto

/// Goal: the seal of a file is the key stream of XChaCha20 from the file's first byte on, wherever one begins.
@Suite("Seals of files")
struct FileSealTests {
    private func sealed(_ bytes: [UInt8], at offset: UInt64, _ seal: FileSeal) -> [UInt8] {
        var bytes = bytes
        bytes.withUnsafeMutableBytes { seal.apply(to: $0, at: offset) }
        return bytes
    }

    @Test("Pieces in any order are what the whole is; twice is nothing; another key is another stream")
    func pieces() throws {
        try Sodium.start()
        let seal = try #require(FileSeal())
        let plain = (0..<5000).map { UInt8(truncatingIfNeeded: $0 &* 7) }
        let whole = sealed(plain, at: 0, seal)
        #expect(whole != plain && whole.count == plain.count)
        for start in [4992, 64, 0, 1024] {
            let end = min(plain.count, start + 1024)
            #expect(sealed(Array(plain[start..<end]), at: UInt64(start), seal) == Array(whole[start..<end]))
        }
        #expect(sealed(whole, at: 0, seal) == plain)
        #expect(sealed([], at: 0, seal) == [])
        #expect(try sealed(plain, at: 0, #require(FileSeal())) != whole)
        // Chunks are counted far beyond 4 GiB: a block's number has 64 bits.
        #expect(sealed(plain, at: 1 << 40, seal) != sealed(plain, at: 0, seal))
    }
}
