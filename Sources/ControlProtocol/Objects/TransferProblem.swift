import Vocabulary

/// A file or folder that was left out of a transfer while the rest went on.
public struct TransferProblem: Hashable, Sendable {
    /// Within what was offered.
    public var path: String
    /// An error kind.
    public var reason: Reason
    /// More words about the reason, for people.
    public var detail: String?

    /// Put together from its fields.
    public init(path: String, reason: Reason, detail: String? = nil) {
        self.path = path
        self.reason = reason
        self.detail = detail
    }

    /// Reads the object as it travels; unknown fields are ignored.
    ///
    /// - Throws: ``ShapeError`` naming the field that is missing or of the wrong type.
    public init(json: JSONValue) throws(ShapeError) {
        let reader = try JSONReader(json, as: "TransferProblem")
        path = try reader.string("path")
        reason = Reason(code: try reader.string("reason"))
        detail = try reader.optionalString("detail")
    }

    /// The value as it travels.
    public var json: JSONValue {
        var object: JSONObject = ["path": .string(path), "reason": .string(reason.contract)]
        if let detail { object["detail"] = .string(detail) }
        return .object(object)
    }
}
