import Basics
import Vocabulary

/// Asks to become friends. CBOR `{1: note?, 2: time?}`. Needs a receipt.
public struct ContactRequestBody: WireBody {
    /// A word to the other: at most ``SharedLimits/noteCharacters`` characters, may have lines. Empty: none.
    public let note: String
    /// Greater than that of every request, answer and removal of this sender to this account before.
    public let time: HybridTime?

    public init(note: String = "", time: HybridTime? = nil) {
        self.note = note
        self.time = time
    }

    public init(decoding bytes: [UInt8]) throws(WireError) {
        let body = try BodyReader(bytes)
        let limit = SharedLimits.noteCharacters
        note = try body.optionalText(1, "note", maximumBytes: limit * 8) ?? ""
        try FieldRules.characters(note, "note", maximum: limit)
        time = try body.optionalHybridTime(2)
    }

    /// - Throws: `.tooLong`.
    public func encoded() throws(WireError) -> [UInt8] {
        try FieldRules.characters(note, "note", maximum: SharedLimits.noteCharacters)
        var map: CBORMap = note.isEmpty ? [:] : [1: .text(note)]
        if let time { map[2] = .unsigned(time.rawValue) }
        return CBOR.map(map).encoded()
    }
}

/// Answers a request. CBOR `{1: accepted, 2: request id?, 3: time?}`. Needs a receipt.
public struct ContactAnswerBody: WireBody {
    public let accepted: Bool
    /// The id of the request's frame; nil where it isn't known any more.
    public let request: UUIDv7?
    /// As in ``ContactRequestBody``.
    public let time: HybridTime?

    public init(accepted: Bool, request: UUIDv7? = nil, time: HybridTime? = nil) {
        self.accepted = accepted
        self.request = request
        self.time = time
    }

    public init(decoding bytes: [UInt8]) throws(WireError) {
        let body = try BodyReader(bytes)
        accepted = try body.boolean(1, "accepted")
        request = try body.optionalID(2, "request")
        time = try body.optionalHybridTime(3)
    }

    /// - Throws: `.invalid` for a zero request.
    public func encoded() throws(WireError) -> [UInt8] {
        guard request != .zero else { throw .invalid(field: "request") }
        var map: CBORMap = [1: .boolean(accepted)]
        if let request { map[2] = .bytes(request.bytes) }
        if let time { map[3] = .unsigned(time.rawValue) }
        return CBOR.map(map).encoded()
    }
}

/// Ends a friendship, or takes a request back. CBOR `{1: time?}`. Needs a receipt.
public struct ContactRemovalBody: WireBody {
    /// As in ``ContactRequestBody``.
    public let time: HybridTime?

    public init(time: HybridTime? = nil) { self.time = time }

    public init(decoding bytes: [UInt8]) throws(WireError) { time = try BodyReader(bytes).optionalHybridTime(1) }

    public func encoded() -> [UInt8] {
        CBOR.map(time.map { [1: .unsigned($0.rawValue)] } ?? [:]).encoded()
    }
}

extension BodyReader {
    /// The time of a contact frame: zero would be older than nothing, and what is beyond 63 bits can't be kept.
    fileprivate func optionalHybridTime(_ key: UInt64) throws(WireError) -> HybridTime? {
        guard let value = try optionalUnsigned(key, "time") else { return nil }
        guard 1...UInt64(Int64.max) ~= value else { throw .invalid(field: "time") }
        return HybridTime(rawValue: value)
    }
}
