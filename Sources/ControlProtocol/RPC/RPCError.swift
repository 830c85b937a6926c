import Vocabulary

/// The error object of a JSON-RPC 2.0 reply.
public struct RPCError: Error, Hashable, Sendable, CustomStringConvertible {
    /// Not JSON.
    public static let parseErrorCode: Int64 = -32_700
    /// JSON, but no request.
    public static let invalidRequestCode: Int64 = -32_600
    /// No such method in the catalogue.
    public static let methodNotFoundCode: Int64 = -32_601
    /// An unknown or missing parameter, or one of the wrong type; `data.field` names it.
    public static let invalidParamsCode: Int64 = -32_602
    /// The daemon refused; `data` says why (see ``ControlError``).
    public static let refusedCode: Int64 = -32_000

    /// One of the codes above.
    public let code: Int64
    /// A sentence for people about what happened.
    public let message: String
    /// Further data; a refusal has its kind, hint and the like here.
    public let data: JSONValue?

    public init(code: Int64, message: String, data: JSONValue? = nil) {
        self.code = code
        self.message = message
        self.data = data
    }

    /// A refusal as it travels: code −32000 and `data: {kind, retryable, hint?, parameters?, field?, candidates?}`.
    public init(_ error: ControlError) {
        code = Self.refusedCode
        message = error.message
        var data: JSONObject = ["kind": .string(error.kind.contract), "retryable": .bool(error.retryable)]
        if let hint = error.hint { data["hint"] = hint.json }
        if !error.parameters.isEmpty { data["parameters"] = .object(error.parameters) }
        if let field = error.field { data["field"] = .string(field) }
        if !error.candidates.isEmpty { data["candidates"] = .array(error.candidates.map(\.json)) }
        self.data = .object(data)
    }

    /// A line that is not JSON.
    public static func parseError(_ reason: String) -> RPCError {
        RPCError(code: parseErrorCode, message: "not JSON: \(reason)")
    }

    /// A line longer than ``Limits/lineBytes``.
    public static var lineTooLong: RPCError {
        RPCError(code: invalidRequestCode, message: "the line is longer than \(ProtocolLimits.lineBytes) bytes")
    }

    /// JSON that is no request.
    public static func invalidRequest(_ reason: String) -> RPCError {
        RPCError(code: invalidRequestCode, message: "not a request: \(reason)")
    }

    /// A method that the catalogue doesn't have.
    public static func methodNotFound(_ method: String) -> RPCError {
        RPCError(code: methodNotFoundCode, message: "there is no method \(method)")
    }

    /// A method in a batch whose result would have a descriptor: the one line of all answers can't say whose it is.
    public static func descriptorInBatch(_ method: String) -> RPCError {
        invalidRequest("\(method) answers with a descriptor and can't be in a batch")
    }

    /// Parameters that don't fit the method.
    public static func invalidParams(_ reason: String, field: String? = nil) -> RPCError {
        RPCError(
            code: invalidParamsCode, message: reason,
            data: field.map { .object(["field": .string($0)]) })
    }

    /// The kind, if this is a refusal with one that this version knows.
    public var kind: Reason? { data?["kind"]?.string.map(Reason.init(code:)) }

    /// The remedy, if the daemon names one with a code that this version knows.
    public var hint: HintCode? { data?["hint"].flatMap(HintCode.read) }

    /// The things that it is about, by name.
    public var parameters: JSONObject { data?["parameters"]?.object ?? [:] }

    /// The parameter at fault, if the daemon names one.
    public var field: String? { data?["field"]?.string }

    /// Whether the same request may succeed later.
    public var isRetryable: Bool { data?["retryable"]?.bool ?? false }

    /// The error object of a reply.
    public init(json: JSONValue) throws(ShapeError) {
        let reader = try JSONReader(json, as: "error")
        code = try reader.read("code")
        message = try reader.read("message")
        data = reader.value("data")
    }

    /// The value as it travels.
    public var json: JSONValue {
        var object: JSONObject = ["code": .integer(code), "message": .string(message)]
        if let data { object["data"] = data }
        return .object(object)
    }

    public var description: String { message }
}

extension Named {
    /// The people or groups that a name may mean, according to an error.
    public static func candidates(of error: RPCError) -> [Named] {
        (error.data?["candidates"]?.array ?? []).compactMap { try? Named(json: $0) }
    }
}
