import Basics
import CSodium
import Testing

@testable import Crypto

/// Goal: a sealed stream opens whole and in order or not at all.
struct SealedStreamTests {
    private static let pieces: [[UInt8]] = [[1, 2, 3], [], [UInt8](repeating: 9, count: 5000), [4]]

    private func key(_ byte: UInt8 = 7) throws -> SharedKey {
        try #require(SharedKey(bytes: [UInt8](repeating: byte, count: 32)))
    }

    private func sealed() throws -> (header: [UInt8], pieces: [[UInt8]]) {
        var stream = SealingStream(key: try key())
        var sealed: [[UInt8]] = []
        for (index, piece) in Self.pieces.enumerated() {
            sealed.append(stream.seal(piece, isLast: index == Self.pieces.count - 1))
        }
        return (stream.header, sealed)
    }

    /// The number of pieces that open, and whether the stream then is over.
    private func opened(_ header: [UInt8], _ pieces: [[UInt8]], key: SharedKey) throws -> (count: Int, isOver: Bool) {
        var stream = try OpeningStream(key: key, header: header)
        for (index, piece) in pieces.enumerated() {
            do { _ = try stream.open(piece) } catch { return (index, stream.isOver) }
        }
        return (pieces.count, stream.isOver)
    }

    @Test("What was sealed opens again, and only the last piece ends the stream")
    func opens() throws {
        let (header, sealed) = try sealed()
        #expect(header.count == CryptoLimits.streamHeaderBytes)
        #expect(header.count == crypto_secretstream_xchacha20poly1305_headerbytes())
        #expect(CryptoLimits.streamPieceExtraBytes == crypto_secretstream_xchacha20poly1305_abytes())
        var stream = try OpeningStream(key: try key(), header: header)
        for (plain, piece) in zip(Self.pieces, sealed) {
            let (wasOver, opened) = (stream.isOver, try stream.open(piece))
            #expect(!wasOver && opened == plain)
        }
        let isOver = stream.isOver
        #expect(isOver)
        let more = try? stream.open(sealed[0])
        #expect(more == nil, "nothing comes behind the last piece")
    }

    @Test("A changed, cut, exchanged, repeated or missing piece doesn't open")
    func hostile() throws {
        let (header, sealed) = try sealed()
        func count(_ pieces: [[UInt8]]) throws -> Int { try opened(header, pieces, key: try key()).count }
        for place in sealed[0].indices {
            var changed = sealed
            changed[0][place] ^= 1
            #expect(try count(changed) == 0)
        }
        #expect(try count([Array(sealed[0].dropLast())]) == 0)
        #expect(try count([sealed[1], sealed[0]]) == 0)
        #expect(try count([sealed[0], sealed[0]]) == 1)
        #expect(try count([sealed[0], sealed[2]]) == 1)
        let cut = try opened(header, Array(sealed.dropLast()), key: try key())
        #expect(cut.count == 3 && !cut.isOver)
    }

    @Test("Another key or another header opens nothing")
    func foreign() throws {
        let (header, sealed) = try sealed()
        #expect(try opened(header, sealed, key: try key(8)).count == 0)
        for place in header.indices {
            var changed = header
            changed[place] ^= 1
            #expect(try opened(changed, sealed, key: try key()).count == 0)
        }
        for length in [0, 23, 25] {
            #expect(throws: CryptoError.authenticationFailed) {
                _ = try OpeningStream(key: try key(), header: [UInt8](repeating: 0, count: length))
            }
        }
    }

    @Test("Two streams under one key have nothing in common")
    func fresh() throws {
        let (one, other) = (try sealed(), try sealed())
        #expect(one.header != other.header)
        #expect(zip(one.pieces, other.pieces).allSatisfy { $0 != $1 })
    }
}
