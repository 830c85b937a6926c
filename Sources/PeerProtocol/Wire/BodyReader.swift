import Basics
import Vocabulary

/// The fields of a body: a CBOR map with small integer keys. Keys that no caller asks for are skipped.
struct BodyReader {
    private let map: CBORMap

    /// - Throws: `.cbor`, or `.wrongType` of `body` for anything but a map.
    init(_ bytes: [UInt8]) throws(WireError) {
        let value: CBOR
        do { value = try CBORDecoder.decode(bytes) } catch { throw .cbor(error) }
        try self.init(value, field: "body")
    }

    /// A map inside a body.
    init(_ value: CBOR, field: String) throws(WireError) {
        guard case .map(let map) = value else { throw .wrongType(field: field) }
        self.map = map
    }

    func value(_ key: UInt64) -> CBOR? { map[key] }

    func has(_ key: UInt64) -> Bool { map[key] != nil }

    func unsigned(_ key: UInt64, _ field: String) throws(WireError) -> UInt64 {
        guard let value = try optionalUnsigned(key, field) else { throw .missing(field: field) }
        return value
    }

    func optionalUnsigned(_ key: UInt64, _ field: String) throws(WireError) -> UInt64? {
        guard let value = map[key] else { return nil }
        guard case .unsigned(let number) = value else { throw .wrongType(field: field) }
        return number
    }

    /// Milliseconds since 1970.
    func time(_ key: UInt64, _ field: String) throws(WireError) -> WallTime {
        guard let milliseconds = Int64(exactly: try unsigned(key, field)) else { throw .invalid(field: field) }
        return WallTime(milliseconds: milliseconds)
    }

    func boolean(_ key: UInt64, _ field: String) throws(WireError) -> Bool {
        guard let value = map[key] else { throw .missing(field: field) }
        guard case .boolean(let flag) = value else { throw .wrongType(field: field) }
        return flag
    }

    func text(_ key: UInt64, _ field: String, maximumBytes limit: Int) throws(WireError) -> String {
        guard let value = try optionalText(key, field, maximumBytes: limit) else { throw .missing(field: field) }
        return value
    }

    func optionalText(_ key: UInt64, _ field: String, maximumBytes limit: Int) throws(WireError) -> String? {
        guard let value = map[key] else { return nil }
        guard case .text(let text) = value else { throw .wrongType(field: field) }
        guard text.utf8.count <= limit else { throw .tooLong(field: field, limit: limit) }
        return text
    }

    func bytes(_ key: UInt64, _ field: String, maximum limit: Int) throws(WireError) -> [UInt8] {
        guard let value = try optionalBytes(key, field, maximum: limit) else { throw .missing(field: field) }
        return value
    }

    func optionalBytes(_ key: UInt64, _ field: String, maximum limit: Int) throws(WireError) -> [UInt8]? {
        guard let value = map[key] else { return nil }
        guard case .bytes(let bytes) = value else { throw .wrongType(field: field) }
        guard bytes.count <= limit else { throw .tooLong(field: field, limit: limit) }
        return bytes
    }

    func id(_ key: UInt64, _ field: String) throws(WireError) -> UUIDv7 {
        guard let value = try optionalID(key, field) else { throw .missing(field: field) }
        return value
    }

    /// 16 bytes, not all zero.
    func optionalID(_ key: UInt64, _ field: String) throws(WireError) -> UUIDv7? {
        guard let value = map[key] else { return nil }
        return try Self.id(value, field)
    }

    static func id(_ value: CBOR, _ field: String) throws(WireError) -> UUIDv7 {
        guard case .bytes(let bytes) = value else { throw .wrongType(field: field) }
        guard let id = UUIDv7(bytes: bytes), id != .zero else { throw .invalid(field: field) }
        return id
    }

    func optionalAccount(_ key: UInt64, _ field: String) throws(WireError) -> AccountID? {
        guard let bytes = try optionalBytes(key, field, maximum: 32) else { return nil }
        guard let account = AccountID(bytes: bytes) else { throw .invalid(field: field) }
        return account
    }

    private func optionalArray(_ key: UInt64, _ field: String, maximum limit: Int) throws(WireError) -> [CBOR]? {
        guard let value = map[key] else { return nil }
        guard case .array(let items) = value else { throw .wrongType(field: field) }
        guard items.count <= limit else { throw .tooLong(field: field, limit: limit) }
        return items
    }

    /// The elements of an array; nil where the field isn't there.
    func optionalList<Element>(
        _ key: UInt64, _ field: String, maximum limit: Int, _ read: (CBOR, String) throws(WireError) -> Element
    ) throws(WireError) -> [Element]? {
        guard let items = try optionalArray(key, field, maximum: limit) else { return nil }
        var elements: [Element] = []
        elements.reserveCapacity(items.count)
        for item in items { elements.append(try read(item, field)) }
        return elements
    }

    /// At least one element.
    func list<Element>(
        _ key: UInt64, _ field: String, maximum limit: Int, _ read: (CBOR, String) throws(WireError) -> Element
    ) throws(WireError) -> [Element] {
        guard let elements = try optionalList(key, field, maximum: limit, read) else { throw .missing(field: field) }
        guard !elements.isEmpty else { throw .invalid(field: field) }
        return elements
    }

    /// Strictly ascending elements; nil where the field isn't there.
    func ascending<Element: Comparable>(
        _ key: UInt64, _ field: String, maximum limit: Int, _ read: (CBOR, String) throws(WireError) -> Element
    ) throws(WireError) -> [Element]? {
        guard let elements = try optionalList(key, field, maximum: limit, read) else { return nil }
        for (element, next) in zip(elements, elements.dropFirst()) where element >= next {
            throw .invalid(field: field)
        }
        return elements
    }

    /// - Throws: `.unsupported` for a word of a later version.
    func word<Word: WireWord>(_ key: UInt64, _ field: String) throws(WireError) -> Word {
        guard let word = Word(wire: try unsigned(key, field)) else { throw .unsupported(field: field) }
        return word
    }

    /// Reason and explanation, as receipts and file statuses carry them under two neighbouring keys.
    func refusal(reason: UInt64, detail: UInt64) throws(WireError) -> Refusal? {
        guard let token = try optionalText(reason, "reason", maximumBytes: PeerLimits.reasonBytes) else { return nil }
        let text = try optionalText(detail, "detail", maximumBytes: PeerLimits.detailCharacters * 8)
        if let text { try FieldRules.characters(text, "detail", maximum: PeerLimits.detailCharacters) }
        guard let refusal = Refusal(token: token, detail: text) else { throw .invalid(field: "reason") }
        return refusal
    }
}

extension WireWord {
    /// The value in a body; nil for a word that peers never send.
    var value: CBOR? { wire.map { .unsigned($0) } }
}

/// Checks that encoders and decoders share.
enum FieldRules {
    /// At most `limit` characters (extended grapheme clusters) and eight bytes for each.
    static func characters(_ text: String, _ field: String, maximum limit: Int) throws(WireError) {
        // Bytes are checked first, because counting the characters of a long text is expensive.
        guard text.utf8.count <= limit * 8, text.count <= limit else { throw .tooLong(field: field, limit: limit) }
    }

    static func label(_ text: String, _ field: String, maximum limit: Int) throws(WireError) {
        try characters(text, field, maximum: limit)
        guard ForeignText.isLabel(text, maximumCharacters: limit) else { throw .invalid(field: field) }
    }

    static func optionalLabel(_ text: String, _ field: String, maximum limit: Int) throws(WireError) {
        try characters(text, field, maximum: limit)
        guard ForeignText.isOptionalLabel(text, maximumCharacters: limit) else { throw .invalid(field: field) }
    }

    static func optionalLine(_ text: String, _ field: String, maximum limit: Int) throws(WireError) {
        try characters(text, field, maximum: limit)
        guard ForeignText.isOptionalLine(text, maximumCharacters: limit) else { throw .invalid(field: field) }
    }

    static func bytes(_ count: Int, _ field: String, maximum limit: Int) throws(WireError) {
        guard count <= limit else { throw .tooLong(field: field, limit: limit) }
    }
}
