/// A thing of the contract that travels as one JSON object. Its fields are declared once, in ``describe(_:)``, which
/// also says what each property means. Reading, writing, the catalogue and the documents made from it all use that.
public protocol ContractObject: FieldValue {
    /// The contract's name for it: `Message`. An object that occurs only in another one is named by its place:
    /// `Message.recipients`.
    static var contractName: String { get }

    /// A blank object, to be filled by reading.
    init()

    /// Says all fields, in the order in which they are written.
    ///
    /// - Throws: ``ShapeError`` while reading.
    mutating func describe(_ fields: inout ObjectFields) throws(ShapeError)
}

extension ContractObject {
    /// Reads the object as it travels; unknown fields are ignored.
    ///
    /// - Throws: ``ShapeError`` naming the field that is missing or of the wrong type.
    public init(json: JSONValue) throws(ShapeError) {
        self.init()
        var fields = ObjectFields(.reading(try JSONReader(json, as: Self.contractName)))
        try describe(&fields)
    }

    public var json: JSONValue { .object(JSONObject(self)) }

    public func append(to out: inout [UInt8]) {
        var fields = ObjectFields(.encoding)
        swap(&fields.encoded, &out)
        fields.encoded.append(UInt8(ascii: "{"))
        describe(into: &fields)
        fields.encoded.append(UInt8(ascii: "}"))
        swap(&fields.encoded, &out)
    }

    /// The object as bytes of UTF-8.
    var encoded: [UInt8] {
        var out: [UInt8] = []
        out.reserveCapacity(768)
        append(to: &out)
        return out
    }

    /// The fields, for callers that want single ones.
    var writtenFields: [JSONObject.Field] { described(.writing).written }

    /// The fields, for the catalogue.
    public static var fields: [FieldSpec] { Self().described(.listing).listed }

    public static var contractType: ValueType {
        contractName.utf8.contains(UInt8(ascii: ".")) ? .fields(fields) : .object(contractName)
    }

    public static var expected: String { "an object" }

    public static func read(_ json: JSONValue) throws(ShapeError) -> Self? { try Self(json: json) }

    private func described(_ purpose: ObjectFields.Purpose) -> ObjectFields {
        var fields = ObjectFields(purpose)
        describe(into: &fields)
        return fields
    }

    private func describe(into fields: inout ObjectFields) {
        var copy = self
        // Only reading can fail.
        try? copy.describe(&fields)
    }
}

/// The purpose for which the fields of a ``ContractObject`` are wanted: each call reads a field, writes it or notes its
/// description.
public struct ObjectFields {
    enum Purpose {
        case reading(JSONReader)
        /// As values, for callers that look at single fields.
        case writing
        /// As the bytes that go out.
        case encoding
        case listing
    }

    private let purpose: Purpose
    private(set) var written: [JSONObject.Field] = []
    fileprivate(set) var encoded: [UInt8] = []
    private var isFirst = true
    private(set) var listed: [FieldSpec] = []

    init(_ purpose: Purpose) { self.purpose = purpose }

    /// Names are the contract's, and need no escapes.
    private mutating func encodeName(_ name: String) {
        if !isFirst { encoded.append(UInt8(ascii: ",")) }
        isFirst = false
        encoded.append(UInt8(ascii: "\""))
        var name = name
        name.withUTF8 { encoded.append(contentsOf: $0) }
        encoded.append(UInt8(ascii: "\""))
        encoded.append(UInt8(ascii: ":"))
    }

    /// A field that is always there: reading fails if it is missing.
    mutating func field<Value: FieldValue>(
        _ name: String, _ value: inout Value, as type: @autoclosure () -> ValueType = Value.contractType, _ doc: String
    ) throws(ShapeError) {
        switch purpose {
        case .reading(let reader): value = try reader.read(name)
        case .writing: written.append(JSONObject.Field(name, value.json))
        case .encoding:
            encodeName(name)
            value.append(to: &encoded)
        case .listing: listed.append(.required(name, type(), doc))
        }
    }

    /// A field that is always there. Reading is lenient: if it is missing or can't be read, the value stays that of a
    /// blank object.
    mutating func lenient<Value: FieldValue>(
        _ name: String, _ value: inout Value, as type: @autoclosure () -> ValueType = Value.contractType, _ doc: String
    ) throws(ShapeError) {
        if case .reading(let reader) = purpose {
            value = try reader.optional(name) ?? value
        } else {
            try field(name, &value, as: type(), doc)
        }
    }

    /// A field that is null if there is nothing to say.
    mutating func nullable<Value: FieldValue>(
        _ name: String, _ value: inout Value?, as type: @autoclosure () -> ValueType = Value.contractType, _ doc: String
    ) throws(ShapeError) {
        switch purpose {
        case .reading(let reader): value = try reader.optional(name)
        case .writing: written.append(JSONObject.Field(name, value?.json ?? .null))
        case .encoding:
            encodeName(name)
            if let value { value.append(to: &encoded) } else { encoded.append(contentsOf: "null".utf8) }
        case .listing: listed.append(.required(name, .nullable(type()), doc))
        }
    }

    /// A field that is left out if there is nothing to say.
    mutating func optional<Value: FieldValue>(
        _ name: String, _ value: inout Value?, as type: @autoclosure () -> ValueType = Value.contractType, _ doc: String
    ) throws(ShapeError) {
        switch purpose {
        case .reading(let reader): value = try reader.optional(name)
        case .writing: if let value { written.append(JSONObject.Field(name, value.json)) }
        case .encoding:
            guard let value else { return }
            encodeName(name)
            value.append(to: &encoded)
        case .listing: listed.append(.optional(name, type(), doc))
        }
    }
}
