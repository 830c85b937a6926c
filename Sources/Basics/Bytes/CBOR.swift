/// The subset of CBOR (RFC 8949) that Kibo signs and exchanges.
///
/// The values are unsigned and negative integers, byte strings, text, arrays, maps with unsigned integer keys, booleans
/// and null. There are no floats, tags or indefinite lengths. The encoding is the deterministic one of RFC 8949 §4.2.1:
/// equal values have equal bytes, so a signature can be checked over bytes that were encoded again.
public enum CBOR: Hashable, Sendable {
    case unsigned(UInt64)
    /// The integer −1 − n.
    case negative(UInt64)
    case bytes([UInt8])
    case text(String)
    case array([CBOR])
    case map(CBORMap)
    case boolean(Bool)
    case null

    /// A signed integer in the form that fits it.
    public static func integer(_ value: Int64) -> CBOR {
        value >= 0 ? .unsigned(UInt64(value)) : .negative(UInt64(-1 - value))
    }

    public var unsignedValue: UInt64? { if case .unsigned(let value) = self { value } else { nil } }
    public var integerValue: Int64? {
        switch self {
        case .unsigned(let value): Int64(exactly: value)
        case .negative(let value): Int64(exactly: value).map { -1 - $0 }
        default: nil
        }
    }
    public var bytesValue: [UInt8]? { if case .bytes(let value) = self { value } else { nil } }
    public var textValue: String? { if case .text(let value) = self { value } else { nil } }
    public var arrayValue: [CBOR]? { if case .array(let value) = self { value } else { nil } }
    public var mapValue: CBORMap? { if case .map(let value) = self { value } else { nil } }
    public var booleanValue: Bool? { if case .boolean(let value) = self { value } else { nil } }
}

/// A map from small unsigned integers to values, kept in ascending order of its keys.
public struct CBORMap: Hashable, Sendable, ExpressibleByDictionaryLiteral {
    /// Ascending by key, no key twice.
    public private(set) var entries: [(key: UInt64, value: CBOR)]

    public init() { entries = [] }

    public init(dictionaryLiteral elements: (UInt64, CBOR)...) {
        self.init()
        for (key, value) in elements { self[key] = value }
    }

    /// Setting nil removes the key.
    public subscript(key: UInt64) -> CBOR? {
        get { entries.first { $0.key == key }?.value }
        set {
            let index = entries.firstIndex { $0.key >= key } ?? entries.endIndex
            let isPresent = index < entries.endIndex && entries[index].key == key
            switch (newValue, isPresent) {
            case (let value?, true): entries[index].value = value
            case (let value?, false): entries.insert((key, value), at: index)
            case (nil, true): entries.remove(at: index)
            case (nil, false): break
            }
        }
    }

    public var count: Int { entries.count }

    /// Appends an entry. The caller, the decoder, has checked the order of the keys.
    mutating func appendLast(_ key: UInt64, _ value: CBOR) {
        entries.append((key, value))
    }

    public static func == (left: CBORMap, right: CBORMap) -> Bool {
        left.entries.elementsEqual(right.entries) { $0.key == $1.key && $0.value == $1.value }
    }

    public func hash(into hasher: inout Hasher) {
        for entry in entries {
            hasher.combine(entry.key)
            hasher.combine(entry.value)
        }
    }
}
