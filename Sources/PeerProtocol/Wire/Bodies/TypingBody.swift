import Basics

/// The sender is typing, or has ceased to. CBOR `{1: typing, 2: conversation kind}`. Needs no receipt.
public struct TypingBody: WireBody {
    public let isTyping: Bool

    public init(isTyping: Bool) { self.isTyping = isTyping }

    /// - Throws: ``WireError``; `.unsupported` for a conversation that is not between two people.
    public init(decoding bytes: [UInt8]) throws(WireError) {
        let body = try BodyReader(bytes)
        isTyping = try body.boolean(1, "typing")
        guard try body.unsigned(2, "conversation kind") == Self.direct else {
            throw .unsupported(field: "conversation kind")
        }
    }

    public func encoded() -> [UInt8] {
        CBOR.map([1: .boolean(isTyping), 2: .unsigned(Self.direct)]).encoded()
    }

    /// The number of the conversation kind between two people, as in messages.
    private static let direct: UInt64 = 0
}
