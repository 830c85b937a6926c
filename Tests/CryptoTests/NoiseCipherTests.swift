import Basics
import Testing

@testable import Crypto

@Suite("One direction of a Noise channel")
struct NoiseCipherTests {
    @Test("a sealed text opens again, appended to the given bytes", arguments: [0, 1, 63, 64, 65, 4096, 65_519])
    func roundTrip(length: Int) throws {
        let key = SecretBytes(random: 32)
        var sender = NoiseCipher(key: key.duplicate())
        var receiver = NoiseCipher(key: key)
        let plain = filler(length)
        var sealed: [UInt8] = [9, 9]
        // The slice doesn't begin at zero.
        try sender.seal(([0, 0, 0] + plain)[3...], appendingTo: &sealed)
        #expect(sealed.count == 2 + length + 16)
        #expect(sealed.prefix(2) == [9, 9])
        var opened: [UInt8] = [8]
        try receiver.open(sealed[2...], appendingTo: &opened)
        #expect(opened == [8] + plain)
        let counts = (sender.count, receiver.count)
        #expect(counts == (1, 1))
    }

    @Test("a text above 65,519 bytes is not sealed; a message above 65,535 or below 16 bytes is not opened")
    func limits() {
        var cipher = NoiseCipher(key: SecretBytes(random: 32))
        var out: [UInt8] = [1]
        let long = [UInt8](repeating: 0, count: 65_520)
        let sealing = failure { () throws(NoiseError) in try cipher.seal(long[...], appendingTo: &out) }
        #expect(sealing == .messageTooLong)
        let opening = failure { () throws(NoiseError) in try cipher.open((long + long)[...], appendingTo: &out) }
        #expect(opening == .messageTooLong)
        for count in 0..<16 {
            let short = failure { () throws(NoiseError) in try cipher.open(long[..<count], appendingTo: &out) }
            #expect(short == .messageTooShort)
        }
        #expect(out == [1])
        let count = cipher.count
        #expect(count == 0)
    }

    @Test("a changed, repeated, skipped or reordered message is refused and changes nothing")
    func refused() throws {
        let key = SecretBytes(random: 32)
        var sender = NoiseCipher(key: key.duplicate())
        var receiver = NoiseCipher(key: key)
        var first: [UInt8] = []
        var second: [UInt8] = []
        try sender.seal([1, 2, 3], appendingTo: &first)
        try sender.seal([4, 5, 6], appendingTo: &second)
        var out: [UInt8] = [7]
        let skipped = failure { () throws(NoiseError) in try receiver.open(second[...], appendingTo: &out) }
        #expect(skipped == .authenticationFailed)
        for bit in 0..<first.count * 8 {
            var changed = first
            changed[bit / 8] ^= 1 << UInt8(bit % 8)
            let error = failure { () throws(NoiseError) in try receiver.open(changed[...], appendingTo: &out) }
            #expect(error == .authenticationFailed)
        }
        #expect(out == [7])
        try receiver.open(first[...], appendingTo: &out)
        let repeated = failure { () throws(NoiseError) in try receiver.open(first[...], appendingTo: &out) }
        #expect(repeated == .authenticationFailed)
        try receiver.open(second[...], appendingTo: &out)
        #expect(out == [7, 1, 2, 3, 4, 5, 6])
    }

    @Test("the last counter belongs to rekey: a cipher that reaches it neither seals nor opens any more")
    func exhaustion() throws {
        let key = SecretBytes(random: 32)
        var sender = NoiseCipher(key: key.duplicate(), count: .max - 1)
        var receiver = NoiseCipher(key: key, count: .max - 1)
        var sealed: [UInt8] = []
        var opened: [UInt8] = []
        try sender.seal([1], appendingTo: &sealed)
        try receiver.open(sealed[...], appendingTo: &opened)
        #expect(opened == [1])
        for _ in 0..<2 {
            let sealing = failure { () throws(NoiseError) in try sender.seal([2], appendingTo: &sealed) }
            let opening = failure { () throws(NoiseError) in try receiver.open(sealed[...], appendingTo: &opened) }
            #expect(sealing == .counterExhausted)
            #expect(opening == .counterExhausted)
            // A new key does not reset the counter (§11.3), so it does not help.
            sender.rekey()
            receiver.rekey()
        }
        #expect(sealed.count == 17)
        #expect(opened == [1])
    }

    @Test("rekey: the counter goes on, the old key opens nothing more, and both sides get the same key")
    func rekey() throws {
        let key = SecretBytes(random: 32)
        var sender = NoiseCipher(key: key.duplicate())
        var receiver = NoiseCipher(key: key.duplicate())
        var straggler = NoiseCipher(key: key)
        for round in 0..<3 as Range<UInt64> {
            var sealed: [UInt8] = []
            var opened: [UInt8] = []
            try sender.seal([1, 2, 3], appendingTo: &sealed)
            try receiver.open(sealed[...], appendingTo: &opened)
            #expect(opened == [1, 2, 3])
            let old = failure { () throws(NoiseError) in try straggler.open(sealed[...], appendingTo: &opened) }
            #expect(old == (round == 0 ? nil : .authenticationFailed))
            sender.rekey()
            receiver.rekey()
            let counts = (sender.count, receiver.count)
            #expect(counts == (round + 1, round + 1))
        }
    }
}
