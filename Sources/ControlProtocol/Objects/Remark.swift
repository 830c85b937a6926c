/// A code with the things that it is about: something that the daemon says and each client words.
public struct Remark<Code: ContractCode>: FieldValue {
    /// The code of the remark.
    public var code: Code
    /// The things that it is about, by name.
    public var parameters: JSONObject

    public init(_ code: Code, _ parameters: JSONObject = [:]) {
        self.code = code
        self.parameters = parameters
    }

    public static var contractType: ValueType {
        .fields([
            .required("code", Code.contractType, "what is said"),
            .required("parameters", .anything, "what it is about, by name"),
        ])
    }

    public static var expected: String { "an object" }

    /// Nil for a code of a later version.
    public static func read(_ json: JSONValue) -> Remark? {
        guard let code = json["code"], let row = try? Code.read(code) else { return nil }
        return Remark(row, json["parameters"]?.object ?? [:])
    }

    /// Remarks of a later version are left out.
    public static func readList(_ values: [JSONValue]) -> [Remark]? { values.compactMap { read($0) } }

    /// A list of them; those of a later version are left out.
    public static func list(_ value: JSONValue?) -> [Remark] { value?.array?.compactMap { read($0) } ?? [] }

    public var json: JSONValue { ["code": code.json, "parameters": .object(parameters)] }
}
