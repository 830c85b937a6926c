import Vocabulary

/// A value that a field of a ``ContractObject`` can have.
public protocol FieldValue: Hashable, Sendable {
    /// The type of a field that names no other.
    static var contractType: ValueType { get }

    /// Says in an error what was expected, with its article.
    static var expected: String { get }

    /// Reads a value; nil for one of another type.
    ///
    /// - Throws: ``ShapeError`` for an object that lacks something.
    static func read(_ json: JSONValue) throws(ShapeError) -> Self?

    /// Reads a list of such values; nil if one of them is of another type.
    static func readList(_ values: [JSONValue]) throws(ShapeError) -> [Self]?

    /// The value as it travels.
    var json: JSONValue { get }

    /// Appends the value as UTF-8: the bytes of ``json``.
    func append(to out: inout [UInt8])
}

extension FieldValue {
    public func append(to out: inout [UInt8]) { json.append(to: &out) }

    public static func readList(_ values: [JSONValue]) throws(ShapeError) -> [Self]? {
        var list: [Self] = []
        list.reserveCapacity(values.count)
        for value in values {
            guard let element = try read(value) else { return nil }
            list.append(element)
        }
        return list
    }
}

extension String: FieldValue {
    public static var contractType: ValueType { .words }
    public static var expected: String { "a string" }
    public static func read(_ json: JSONValue) -> String? { json.string }
    public var json: JSONValue { .string(self) }
    public func append(to out: inout [UInt8]) { JSONWriter.append(self, to: &out) }
}

extension Int64: FieldValue {
    public static var contractType: ValueType { .count }
    public static var expected: String { "an integer" }
    public static func read(_ json: JSONValue) -> Int64? { json.integer }
    public var json: JSONValue { .integer(self) }
    public func append(to out: inout [UInt8]) { JSONWriter.append(self, to: &out) }
}

extension Bool: FieldValue {
    public static var contractType: ValueType { .boolean }
    public static var expected: String { "a boolean" }
    public static func read(_ json: JSONValue) -> Bool? { json.bool }
    public var json: JSONValue { .bool(self) }
}

extension JSONObject: FieldValue {
    public static var contractType: ValueType { .anything }
    public static var expected: String { "an object" }
    public static func read(_ json: JSONValue) -> JSONObject? { json.object }
    public var json: JSONValue { .object(self) }
}

extension JSONValue: FieldValue {
    public static var contractType: ValueType { .value }
    public static var expected: String { "a value" }
    public static func read(_ json: JSONValue) -> JSONValue? { json }
    public var json: JSONValue { self }
}

extension Array: FieldValue where Element: FieldValue {
    public static var contractType: ValueType { .results(Element.contractType) }
    public static var expected: String { "an array" }
    public static func read(_ json: JSONValue) throws(ShapeError) -> [Element]? {
        guard let values = json.array else { return nil }
        return try Element.readList(values)
    }
    public var json: JSONValue { .array(map(\.json)) }
    public func append(to out: inout [UInt8]) {
        out.append(UInt8(ascii: "["))
        var isFirst = true
        for element in self {
            if !isFirst { out.append(UInt8(ascii: ",")) }
            isFirst = false
            element.append(to: &out)
        }
        out.append(UInt8(ascii: "]"))
    }
}

extension Reason: FieldValue {
    public static var contractType: ValueType { .reason }
    public static var expected: String { "a string" }
    public static func read(_ json: JSONValue) -> Reason? { json.string.map(Reason.init(code:)) }
    public var json: JSONValue { .string(contract) }
}

/// An enumeration whose raw values are the contract's words.
public protocol ContractWord: FieldValue, RawRepresentable, CaseIterable where RawValue == String {}

extension ContractWord {
    public static var contractType: ValueType { .choice(of: Self.self) }
    public static var expected: String { "one of " + allCases.map(\.rawValue).joined(separator: ", ") }
    public static func read(_ json: JSONValue) -> Self? { json.string.flatMap(Self.init) }
    public var json: JSONValue { .string(rawValue) }
    public func append(to out: inout [UInt8]) { JSONWriter.append(rawValue, to: &out) }
}

extension Relation: ContractWord {}
extension Trust: ContractWord {}
extension Presence: ContractWord {}
extension AutoDownload: ContractWord {}
extension DownloadSenders: ContractWord {}
extension ConversationKind: ContractWord {}
extension MessageKind: ContractWord {}
extension MessageState: ContractWord {}
extension CallMedia: ContractWord {}
extension CallOutcome: ContractWord {}
extension CallStage: ContractWord {}
extension CallDirection: ContractWord {}
extension CallPhase: ContractWord {}
extension CallEnding: ContractWord {}
extension CallSignalKind: ContractWord {}
extension CallAllowance: ContractWord {}
extension CallWhileBusy: ContractWord {}
extension AttachmentKind: ContractWord {}
extension MediaSort: ContractWord {}
extension TransferState: ContractWord {}
extension TransferDirection: ContractWord {}
extension HoldReason: ContractWord {}
extension TransferPause: ContractWord {}
extension TransferSide: ContractWord {}
extension GroupRole: ContractWord {}
extension GroupStanding: ContractWord {}
extension LineAction: ContractWord {}
extension ChangeKind: ContractWord {}
extension MessageAspect: ContractWord {}
