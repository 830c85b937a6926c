import Basics

/// Asks to become friends. CBOR `{1: note?}`. Needs a receipt.
public struct ContactRequestBody: Hashable, Sendable {
    /// A word to the other: at most ``PeerLimits/noteCharacters`` characters, may have lines. Empty: none.
    public let note: String

    public init(note: String = "") { self.note = note }

    /// - Throws: ``WireError``.
    public init(decoding bytes: [UInt8]) throws(WireError) {
        let limit = PeerLimits.noteCharacters
        note = try BodyReader(bytes).optionalText(1, "note", maximumBytes: limit * 8) ?? ""
        try FieldRules.characters(note, "note", maximum: limit)
    }

    /// - Throws: `.tooLong`.
    public func encoded() throws(WireError) -> [UInt8] {
        try FieldRules.characters(note, "note", maximum: PeerLimits.noteCharacters)
        return CBOR.map(note.isEmpty ? [:] : [1: .text(note)]).encoded()
    }
}

/// Answers a request. CBOR `{1: accepted, 2: request id?}`. Needs a receipt.
public struct ContactAnswerBody: Hashable, Sendable {
    public let accepted: Bool
    /// The id of the request's frame; nil where it isn't known any more.
    public let request: UUIDv7?

    public init(accepted: Bool, request: UUIDv7? = nil) {
        self.accepted = accepted
        self.request = request
    }

    /// - Throws: ``WireError``.
    public init(decoding bytes: [UInt8]) throws(WireError) {
        let body = try BodyReader(bytes)
        accepted = try body.boolean(1, "accepted")
        request = try body.optionalID(2, "request")
    }

    /// - Throws: `.invalid` for a zero request.
    public func encoded() throws(WireError) -> [UInt8] {
        guard request != .zero else { throw .invalid(field: "request") }
        var map: CBORMap = [1: .boolean(accepted)]
        if let request { map[2] = .bytes(request.bytes) }
        return CBOR.map(map).encoded()
    }
}

/// Ends a friendship, or takes a request back. CBOR `{}`. Needs a receipt.
public struct ContactRemovalBody: Hashable, Sendable {
    public init() {}

    /// - Throws: ``WireError``.
    public init(decoding bytes: [UInt8]) throws(WireError) { _ = try BodyReader(bytes) }

    public func encoded() -> [UInt8] { CBOR.map([:]).encoded() }
}
