import Basics
import PeerProtocol
import Testing
import Vocabulary

@Suite("Bodies of presence and avatars")
struct ProfileBodyTests {
    private let digest = [UInt8](repeating: 7, count: 32)

    @Test("Bodies of presence and avatars come back unchanged")
    func roundTrip() throws {
        for presence in [Presence.online, .away] {
            #expect(try PresenceBody(decoding: PresenceBody(presence).encoded()) == PresenceBody(presence))
        }
        let request = AvatarRequestBody(digest: digest)
        #expect(try AvatarRequestBody(decoding: request.encoded()) == request)
        for file: [UInt8]? in [nil, [1], [UInt8](repeating: 2, count: PeerLimits.avatarBytes)] {
            let avatar = AvatarBody(digest: digest, file: file)
            #expect(try AvatarBody(decoding: avatar.encoded()) == avatar)
        }
    }

    @Test("Each limit allows its value and not one more, in encoder and decoder")
    func limits() throws {
        let long = [UInt8](repeating: 2, count: PeerLimits.avatarBytes + 1)
        let tooLong = WireError.tooLong(field: "file", limit: PeerLimits.avatarBytes)
        #expect(throws: tooLong) { try AvatarBody(digest: digest, file: long).encoded() }
        #expect(throws: tooLong) {
            try AvatarBody(decoding: CBOR.map([1: .bytes(digest), 2: .bytes(long)]).encoded())
        }
        #expect(throws: WireError.invalid(field: "file")) { try AvatarBody(digest: digest, file: []).encoded() }
        #expect(throws: WireError.invalid(field: "file")) {
            try AvatarBody(decoding: CBOR.map([1: .bytes(digest), 2: .bytes([])]).encoded())
        }
        for count in [0, 31, 33] {
            let bytes = [UInt8](repeating: 1, count: count)
            #expect(throws: WireError.self) { try AvatarRequestBody(digest: bytes).encoded() }
            #expect(throws: WireError.self) { try AvatarBody(digest: bytes, file: [1]).encoded() }
            let body = CBOR.map([1: .bytes(bytes)]).encoded()
            #expect(throws: WireError.self) { try AvatarRequestBody(decoding: body) }
            #expect(throws: WireError.self) { try AvatarBody(decoding: body) }
        }
    }

    @Test("States of a later version are read, and malformed bodies are refused")
    func unknown() {
        for state: UInt64 in [2, 255, .max] {
            #expect(throws: WireError.unsupported(field: "state")) {
                try PresenceBody(decoding: CBOR.map([1: .unsigned(state)]).encoded())
            }
        }
        for bytes in [
            [], [0xFF], CBOR.map([:]).encoded(), CBOR.unsigned(1).encoded(), CBOR.map([1: .text("x")]).encoded(),
        ] {
            #expect(throws: WireError.self) { try PresenceBody(decoding: bytes) }
            #expect(throws: WireError.self) { try AvatarRequestBody(decoding: bytes) }
            #expect(throws: WireError.self) { try AvatarBody(decoding: bytes) }
        }
    }
}
