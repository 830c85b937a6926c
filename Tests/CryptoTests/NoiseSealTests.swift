import Basics
import Testing

@testable import Crypto

/// The vector is cacophony's (github.com/haskell-cryptography/cacophony, vectors/cacophony.txt, public domain).
@Suite("Sealed messages by Noise_X")
struct NoiseSealTests {
    private static let prologue = "4a6f686e2047616c74"
    private static let payload = "4c756477696720766f6e204d69736573"
    private static let message =
        "ca35def5ae56cec33dc2036731ab14896bc4c75dbb07a61f879f8e3afa4c79446c81e52f35c193f540f853e38ee3ddd5d5ffe3cfa8b0c5b93c9498bd737ca396ca4dfa63e3f4878fa875a480bddfa3c0673aa4ec7600b7ea42a1f444512e3c2524c19acd86468bde6b0aaa7dc2fc5069"

    private func sender() throws -> AgreementKey {
        try AgreementKey(secret: secret("e61ef9919cde45dd5f82166404bd08e38bceb5dfdfded0a34c8df7ed542214d1"))
    }

    private func recipient() throws -> AgreementKey {
        try AgreementKey(secret: secret("4a3acbfdb163dec651dfa3194dece676d437029c62a408b4c5ea9114246e4893"))
    }

    @Test("The foreign vector is sealed byte for byte, and opened with its sender")
    func vector() throws {
        let (sender, recipient, prologue) = (try sender(), try recipient(), try bytes(Self.prologue))
        let ephemeral = try AgreementKey(
            secret: secret("893e28b9dc6ca8d611ab664754b8ceb7bac5117349a4439a6b0569da977c464a"))
        let sealed = try NoiseSeal.seal(
            bytes(Self.payload), from: sender, to: recipient.publicKey, prologue: prologue, ephemeral: ephemeral)
        #expect(Hex.encode(sealed) == Self.message)
        let opened = try NoiseSeal.open(bytes(Self.message)[...], with: recipient, prologue: prologue)
        #expect(Hex.encode(opened.payload) == Self.payload && opened.sender == sender.publicKey)
    }

    @Test("Each bit flipped, each length cut, another prologue and another recipient are refused")
    func refused() throws {
        let (recipient, prologue, message) = (try recipient(), try bytes(Self.prologue), try bytes(Self.message))
        for place in message.indices {
            var wrong = message
            wrong[place] ^= 1 << UInt8(place % 8)
            #expect(throws: NoiseError.self) { try NoiseSeal.open(wrong[...], with: recipient, prologue: prologue) }
            #expect(throws: NoiseError.self) {
                try NoiseSeal.open(message[..<place], with: recipient, prologue: prologue)
            }
        }
        #expect(throws: NoiseError.authenticationFailed) {
            try NoiseSeal.open(message[...], with: recipient, prologue: prologue + [0])
        }
        #expect(throws: NoiseError.self) {
            try NoiseSeal.open(message[...], with: AgreementKey(), prologue: prologue)
        }
    }

    @Test("A key of low order is refused on both sides, and a message has a greatest length")
    func bounds() throws {
        let (sender, recipient) = (try sender(), try recipient())
        let zero = try key32(String(repeating: "00", count: 32))
        #expect(throws: NoiseError.lowOrderPoint) { try NoiseSeal.seal([], from: sender, to: zero, prologue: []) }
        var forged = try NoiseSeal.seal([1], from: sender, to: recipient.publicKey, prologue: [])
        forged.replaceSubrange(..<CryptoLimits.keyBytes, with: zero.bytes)
        #expect(throws: NoiseError.lowOrderPoint) { try NoiseSeal.open(forged[...], with: recipient, prologue: []) }
        let most = CryptoLimits.noiseMessageBytes - NoiseSeal.overheadBytes
        let longest = [UInt8](repeating: 7, count: most)
        let sealed = try NoiseSeal.seal(longest, from: sender, to: recipient.publicKey, prologue: [])
        #expect(try NoiseSeal.open(sealed[...], with: recipient, prologue: []).payload == longest)
        #expect(throws: NoiseError.messageTooLong) {
            try NoiseSeal.seal(longest + [7], from: sender, to: recipient.publicKey, prologue: [])
        }
        #expect(throws: NoiseError.messageTooLong) {
            try NoiseSeal.open((sealed + [0])[...], with: recipient, prologue: [])
        }
    }
}
