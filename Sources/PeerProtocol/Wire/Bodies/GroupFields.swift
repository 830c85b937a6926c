import Basics
import Crypto
import Vocabulary

// Fields that only bodies of groups have.

extension BodyReader {
    func hash(_ key: UInt64, _ field: String) throws(WireError) -> EntryHash {
        guard let hash = try optionalHash(key, field) else { throw .missing(field: field) }
        return hash
    }

    func optionalHash(_ key: UInt64, _ field: String) throws(WireError) -> EntryHash? {
        guard let value = value(key) else { return nil }
        return try Self.hash(value, field)
    }

    static func hash(_ value: CBOR, _ field: String) throws(WireError) -> EntryHash {
        guard case .bytes(let bytes) = value else { throw .wrongType(field: field) }
        guard let hash = EntryHash(bytes) else { throw .invalid(field: field) }
        return hash
    }

    /// Strictly ascending; nil where the field isn't there.
    func hashes(_ key: UInt64, _ field: String, maximum limit: Int) throws(WireError) -> [EntryHash]? {
        try ascending(key, field, maximum: limit, Self.hash)
    }

    func device(_ key: UInt64, _ field: String) throws(WireError) -> DeviceID {
        guard let value = value(key) else { throw .missing(field: field) }
        return try Self.device(value, field)
    }

    static func device(_ value: CBOR, _ field: String) throws(WireError) -> DeviceID {
        guard case .bytes(let bytes) = value else { throw .wrongType(field: field) }
        guard let device = DeviceID(bytes: bytes) else { throw .invalid(field: field) }
        return device
    }

    /// Strictly ascending; nil where the field isn't there.
    func ranges(_ key: UInt64, _ field: String, maximum limit: Int) throws(WireError) -> [LogRange]? {
        try ascending(key, field, maximum: limit, LogRange.init(reading:field:))
    }

    /// An array of exactly so many values.
    static func tuple(_ value: CBOR, _ count: Int, _ field: String) throws(WireError) -> [CBOR] {
        guard case .array(let items) = value else { throw .wrongType(field: field) }
        guard items.count == count else { throw .invalid(field: field) }
        return items
    }

    static func unsigned(_ value: CBOR, _ field: String) throws(WireError) -> UInt64 {
        guard case .unsigned(let number) = value else { throw .wrongType(field: field) }
        return number
    }
}

extension CBOR {
    /// Strictly ascending, each once.
    static func hashes(_ hashes: some Sequence<EntryHash>) -> CBOR {
        .array(Set(hashes).sorted().map { .bytes($0.bytes) })
    }

    /// Strictly ascending, each once.
    static func ranges(_ ranges: some Sequence<LogRange>) -> CBOR { .array(Set(ranges).sorted().map(\.value)) }
}

extension LogReference {
    /// `[device, sequence, hash]`.
    init(reading value: CBOR, field: String) throws(WireError) {
        let items = try BodyReader.tuple(value, 3, field)
        let device = try BodyReader.device(items[0], field)
        let sequence = try BodyReader.unsigned(items[1], field)
        guard 1...PeerLimits.logSequence ~= sequence else { throw .invalid(field: field) }
        self.init(place: LogPlace(device: device, sequence: sequence), hash: try BodyReader.hash(items[2], field))
    }

    var value: CBOR { .array([.bytes(device.bytes), .unsigned(sequence), .bytes(hash.bytes)]) }
}

extension LogRange {
    /// `[device, from, to]`.
    init(reading value: CBOR, field: String) throws(WireError) {
        let items = try BodyReader.tuple(value, 3, field)
        let device = try BodyReader.device(items[0], field)
        let (from, to) = (try BodyReader.unsigned(items[1], field), try BodyReader.unsigned(items[2], field))
        guard to <= PeerLimits.logSequence, let range = LogRange(device: device, from: from, to: to) else {
            throw .invalid(field: field)
        }
        self = range
    }

    var value: CBOR { .array([.bytes(device.bytes), .unsigned(from), .unsigned(to)]) }
}
