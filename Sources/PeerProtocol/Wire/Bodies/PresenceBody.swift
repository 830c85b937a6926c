import Basics
import Vocabulary

/// The sender's person is here, or away. CBOR `{1: state}`. Needs no receipt.
public struct PresenceBody: WireBody {
    public let presence: Presence

    public init(_ presence: Presence) { self.presence = presence }

    /// - Throws: ``WireError``; `.unsupported` for a state of a later version.
    public init(decoding bytes: [UInt8]) throws(WireError) {
        presence = try BodyReader(bytes).word(1, "state")
    }

    /// The body's bytes. A sender never says that it is offline: without a state it is no body that a peer takes.
    public func encoded() -> [UInt8] {
        var map: CBORMap = [:]
        map[1] = presence.value
        return CBOR.map(map).encoded()
    }
}
