/// The fields of a JSON object in the order in which they were written, each name once.
///
/// Objects of this interface have a dozen fields or so, for which looking through an array beats hashing. Two objects
/// are equal if they have the same fields, in whatever order.
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

    /// All fields in order.
    public private(set) var fields: [Field]

    /// An object without fields.
    public init() { fields = [] }

    /// If a name is given twice, the last value counts, at the first one's place.
    public init(_ pairs: some Collection<(String, JSONValue)>) {
        fields = []
        fields.reserveCapacity(pairs.count)
        for (name, value) in pairs { self[name] = value }
    }

    /// For a parser that has refused duplicates already.
    init(distinct fields: [Field]) { self.fields = fields }

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
            let index = fields.firstIndex { $0.name == name }
            switch (index, newValue) {
            case (let index?, let value?): fields[index].value = value
            case (let index?, nil): fields.remove(at: index)
            case (nil, let value?): fields.append(Field(name, value))
            case (nil, nil): break
            }
        }
    }
}

extension JSONObject: Hashable {
    public static func == (left: JSONObject, right: JSONObject) -> Bool {
        guard left.count == right.count else { return false }
        if left.fields == right.fields { return true }
        var values: [String: JSONValue] = [:]
        for field in left.fields { values[field.name] = field.value }
        return right.fields.allSatisfy { values[$0.name] == $0.value }
    }

    public func hash(into hasher: inout Hasher) {
        // Equal objects may differ in order: only what doesn't depend on it is mixed in.
        hasher.combine(fields.count)
        hasher.combine(fields.reduce(0) { $0 ^ $1.name.hashValue })
    }
}

extension JSONObject: ExpressibleByDictionaryLiteral {
    public init(dictionaryLiteral elements: (String, JSONValue)...) { self.init(elements) }
}
