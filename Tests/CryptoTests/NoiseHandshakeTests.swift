import Basics
import Testing

@testable import Crypto

@Suite("Noise handshakes that go wrong")
struct NoiseHandshakeTests {
    /// Both sides of a handshake that has reached the given message, and that message.
    private struct Scene: ~Copyable {
        var writer: NoiseHandshake
        var reader: NoiseHandshake
        let message: [UInt8]
    }

    private static func side(
        _ role: NoiseHandshake.Role, psk: [UInt8]? = nil, prologue: [UInt8] = [1], ephemeral: AgreementKey? = nil
    ) throws -> NoiseHandshake {
        let presharedKey: SecretBytes? = if let psk { secret(psk) } else { nil }
        return try NoiseHandshake(
            role, staticKey: AgreementKey(), prologue: prologue, presharedKey: presharedKey, ephemeral: ephemeral)
    }

    private static func scene(_ index: Int, psk: [UInt8]?) throws -> Scene {
        var initiator = try side(.initiator, psk: psk)
        var responder = try side(.responder, psk: psk)
        let first = try initiator.write(payload: [1, 2, 3])
        if index == 0 { return Scene(writer: initiator, reader: responder, message: first) }
        _ = try responder.read(first[...])
        let second = try responder.write(payload: [4, 5, 6])
        if index == 1 { return Scene(writer: responder, reader: initiator, message: second) }
        _ = try initiator.read(second[...])
        let third = try initiator.write(payload: [7, 8, 9])
        return Scene(writer: initiator, reader: responder, message: third)
    }

    static let psk = [UInt8](repeating: 5, count: 32)
    static let scenes: [(Int, [UInt8]?)] = [(0, psk), (1, nil), (1, psk), (2, nil), (2, psk)]

    @Test("a changed byte anywhere ends the handshake", arguments: scenes)
    func changed(index: Int, psk: [UInt8]?) throws {
        let length = try Self.scene(index, psk: psk).message.count
        for place in 0..<length {
            var scene = try Self.scene(index, psk: psk)
            var message = scene.message
            message[place] ^= 0x40
            let error = failure { () throws(NoiseError) in _ = try scene.reader.read(message[...]) }
            #expect(error == .authenticationFailed)
            let again = failure { () throws(NoiseError) in _ = try scene.reader.read(scene.message[...]) }
            #expect(again == .failedBefore)
            let isFinished = scene.reader.isFinished
            #expect(!isFinished)
        }
    }

    @Test("a message truncated anywhere is refused", arguments: scenes)
    func cut(index: Int, psk: [UInt8]?) throws {
        let length = try Self.scene(index, psk: psk).message.count
        for count in 0..<length {
            var scene = try Self.scene(index, psk: psk)
            let error = failure { () throws(NoiseError) in _ = try scene.reader.read(scene.message[..<count]) }
            #expect(error == .messageTooShort || error == .authenticationFailed)
        }
    }

    @Test("garbage of any length never passes as a sealed message", arguments: scenes)
    func garbage(index: Int, psk: [UInt8]?) throws {
        for count in [0, 1, 31, 32, 33, 47, 48, 79, 80, 95, 96, 97, 200, 65_535] {
            var scene = try Self.scene(index, psk: psk)
            let message = Sodium.randomBytes(count)
            let error = failure { () throws(NoiseError) in _ = try scene.reader.read(message[...]) }
            #expect(error != nil)
        }
    }

    @Test("messages above 65,535 bytes are neither written nor read")
    func tooLong() throws {
        // In plain XX, message 1 is 32 bytes and its payload.
        let room = [UInt8](repeating: 0, count: 65_535 - 32)
        var writer = try Self.side(.initiator)
        var reader = try Self.side(.responder)
        let longest = try writer.write(payload: room)
        #expect(longest.count == 65_535)
        #expect(try reader.read(longest[...]) == room)
        for psk in [nil, Self.psk] {
            var tooMuch = try Self.side(.initiator, psk: psk)
            let writing = failure { () throws(NoiseError) in _ = try tooMuch.write(payload: room + [0]) }
            #expect(writing == .messageTooLong)
            var receiver = try Self.side(.responder, psk: psk)
            let reading = failure { () throws(NoiseError) in _ = try receiver.read((longest + [0])[...]) }
            #expect(reading == .messageTooLong)
        }
    }

    @Test("sides with different prologues or pre-shared keys, or only one such key, can't finish")
    func disagreement() throws {
        // Only a responder without a key reads the first message; its second message then shows the difference.
        let others: [(psk: [UInt8]?, prologue: [UInt8])] = [
            ([UInt8](repeating: 6, count: 32), [1]), (nil, [1]), (Self.psk, [2]), (Self.psk, []),
        ]
        for other in others {
            var initiator = try Self.side(.initiator, psk: Self.psk)
            var responder = try Self.side(.responder, psk: other.psk, prologue: other.prologue)
            let first = try initiator.write(payload: [])
            var error = failure { () throws(NoiseError) in _ = try responder.read(first[...]) }
            if error == nil {
                let second = try responder.write(payload: [])
                error = failure { () throws(NoiseError) in _ = try initiator.read(second[...]) }
            }
            #expect(error == .authenticationFailed)
        }
        var initiator = try Self.side(.initiator, prologue: [1])
        var responder = try Self.side(.responder, prologue: [2])
        _ = try responder.read(try initiator.write(payload: [])[...])
        let second = try responder.write(payload: [])
        let error = failure { () throws(NoiseError) in _ = try initiator.read(second[...]) }
        #expect(error == .authenticationFailed)
    }

    @Test("calls of write, read and split out of turn are refused and break nothing")
    func outOfTurn() throws {
        var initiator = try Self.side(.initiator)
        var responder = try Self.side(.responder)
        func isOutOfTurn(_ body: () throws(NoiseError) -> Void) -> Bool { failure(body) == .outOfTurn }
        let reading = isOutOfTurn { () throws(NoiseError) in _ = try initiator.read([]) }
        let writing = isOutOfTurn { () throws(NoiseError) in _ = try responder.write(payload: []) }
        #expect(reading && writing)
        let first = try initiator.write(payload: [])
        let twice = isOutOfTurn { () throws(NoiseError) in _ = try initiator.write(payload: []) }
        #expect(twice)
        _ = try responder.read(first[...])
        let second = try responder.write(payload: [])
        _ = try initiator.read(second[...])
        let third = try initiator.write(payload: [])
        _ = try responder.read(third[...])
        let late = isOutOfTurn { () throws(NoiseError) in _ = try responder.read(third[...]) }
        #expect(late)
        _ = try responder.split()
        _ = try initiator.split()

        let early = try Self.side(.initiator)
        let error = splitting(early)
        #expect(error == .outOfTurn)
    }

    @Test("a handshake that failed can't be split")
    func noSplitAfterFailure() throws {
        var scene = try Self.scene(2, psk: nil)
        _ = failure { () throws(NoiseError) in _ = try scene.reader.read([1, 2, 3]) }
        let error = splitting(scene.reader)
        #expect(error == .failedBefore)
    }

    @Test("an ephemeral key of small order is refused by either side", arguments: KeyTests.lowOrder)
    func lowOrder(hex: String) throws {
        var responder = try Self.side(.responder)
        _ = try responder.read(try bytes(hex)[...])
        let writing = failure { () throws(NoiseError) in _ = try responder.write(payload: []) }
        #expect(writing == .lowOrderPoint)

        var initiator = try Self.side(.initiator)
        _ = try initiator.write(payload: [])
        let reply = try bytes(hex) + [UInt8](repeating: 0, count: 64)
        let reading = failure { () throws(NoiseError) in _ = try initiator.read(reply[...]) }
        #expect(reading == .lowOrderPoint)
    }

    @Test("a pre-shared key has 32 bytes", arguments: [0, 31, 33])
    func presharedKeyLength(count: Int) {
        let error = failure { () throws(NoiseError) in
            _ = try NoiseHandshake(
                .initiator, staticKey: AgreementKey(), prologue: [], presharedKey: SecretBytes(random: count))
        }
        #expect(error == .presharedKeyLength)
    }

    @Test("two handshakes with the same keys share no bytes")
    func freshness() throws {
        let key = AgreementKey()
        var one = try NoiseHandshake(.initiator, staticKey: key, prologue: [])
        var two = try NoiseHandshake(.initiator, staticKey: key, prologue: [])
        #expect(try one.write(payload: []) != two.write(payload: []))
    }

    private func splitting(_ handshake: consuming NoiseHandshake) -> NoiseError? {
        do {
            _ = try handshake.split()
            return nil
        } catch {
            return error
        }
    }
}
