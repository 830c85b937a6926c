/// The fields of a JSON object in the order in which they were written, each name once.
///
/// Objects of this interface have a dozen fields or so, for which searching an array is faster than hashing. Two
/// objects are equal if they have the same fields, in whatever order.
public struct JSONObject: Sendable {
    /// One field.
    public struct Field: Hashable, Sendable {
        /// The name of the field.
        public let name: String
        /// The value of the field.
        public var value: JSONValue

        /// A field of that name and value.
        public init(_ name: String, _ value: JSONValue) {
            self.name = name
            self.value = value
        }
    }

    /// An object of the contract stays as it is until somebody asks for single fields: most objects are only written.
    private enum Content: Sendable {
        case fields([Field])
        case described(Described)
    }

    /// A class, because an existential would make every JSON value one that the compiler can't hold in registers.
    private final class Described: Sendable {
        let object: any ContractObject
        /// Its bytes, if they were made already.
        let encoded: [UInt8]?

        init(_ object: any ContractObject, encoded: [UInt8]?) {
            self.object = object
            self.encoded = encoded
        }
    }

    private var content: Content

    /// All fields in order. An object of the contract makes them again each time.
    public var fields: [Field] {
        switch content {
        case .fields(let fields): fields
        case .described(let described): described.object.writtenFields
        }
    }

    /// An object without fields.
    public init() { content = .fields([]) }

    /// If a name is given twice, the last value counts, at the first one's place.
    public init(_ pairs: some Collection<(String, JSONValue)>) {
        var fields: [Field] = []
        fields.reserveCapacity(pairs.count)
        for (name, value) in pairs { Self.set(name, value, in: &fields) }
        content = .fields(fields)
    }

    /// For callers that know that no name occurs twice, such as a parser that refuses repeated names.
    init(distinct fields: [Field]) { content = .fields(fields) }

    /// An object of the contract. It is written in one pass over its own fields.
    init(_ object: any ContractObject) { content = .described(Described(object, encoded: nil)) }

    /// Appends this object as UTF-8.
    public func append(to out: inout [UInt8]) {
        switch content {
        case .fields(let fields): JSONWriter.append(fields, to: &out)
        case .described(let described):
            guard let encoded = described.encoded else { return described.object.append(to: &out) }
            out.append(contentsOf: encoded)
        }
    }

    /// How many bytes ``append(to:)`` makes.
    var encodedCount: Int {
        switch content {
        case .fields(let fields): JSONWriter.count(fields)
        case .described(let described): described.encoded?.count ?? described.object.encoded.count
        }
    }

    /// Makes the bytes now and keeps them, so that they are counted and written without being made twice.
    mutating func encodeOnce() {
        guard case .described(let described) = content, described.encoded == nil else { return }
        content = .described(Described(described.object, encoded: described.object.encoded))
    }

    /// How many fields there are.
    public var count: Int { fields.count }

    /// Whether there is none.
    public var isEmpty: Bool { fields.isEmpty }

    /// The names in order.
    public var names: [String] { fields.map(\.name) }

    /// The value of a field. Setting appends a new field or replaces one in its place; setting nil removes it.
    public subscript(name: String) -> JSONValue? {
        get {
            for field in fields where field.name == name { return field.value }
            return nil
        }
        set {
            var fields = fields
            content = .fields([])
            Self.set(name, newValue, in: &fields)
            content = .fields(fields)
        }
    }

    private static func set(_ name: String, _ value: JSONValue?, in fields: inout [Field]) {
        let index = fields.firstIndex { $0.name == name }
        switch (index, value) {
        case (let index?, let value?): fields[index].value = value
        case (let index?, nil): fields.remove(at: index)
        case (nil, let value?): fields.append(Field(name, value))
        case (nil, nil): break
        }
    }
}

extension JSONObject: Hashable {
    public static func == (left: JSONObject, right: JSONObject) -> Bool {
        let (left, right) = (left.fields, right.fields)
        guard left.count == right.count else { return false }
        if left == right { return true }
        var values: [String: JSONValue] = [:]
        for field in left { values[field.name] = field.value }
        return right.allSatisfy { values[$0.name] == $0.value }
    }

    public func hash(into hasher: inout Hasher) {
        // Equal objects may differ in order, so mix in only what doesn't depend on it.
        let fields = fields
        hasher.combine(fields.count)
        hasher.combine(fields.reduce(0) { $0 ^ $1.name.hashValue })
    }
}

extension JSONObject: ExpressibleByDictionaryLiteral {
    public init(dictionaryLiteral elements: (String, JSONValue)...) { self.init(elements) }
}
