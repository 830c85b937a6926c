/// The reply to one request.
public struct RPCResponse: Hashable, Sendable {
    /// A result, or why there is none.
    public enum Outcome: Hashable, Sendable {
        case result(JSONValue)
        case error(RPCError)
    }

    /// The id of the request that this answers.
    public let id: RPCID
    /// The outcome of the request.
    public let outcome: Outcome

    /// A reply with what came of the request.
    public init(id: RPCID, result: JSONValue) {
        self.id = id
        outcome = .result(result)
    }

    /// A reply with what came of the request.
    public init(id: RPCID, error: RPCError) {
        self.id = id
        outcome = .error(error)
    }

    /// Appends the reply as one object, without a newline: batches put commas between.
    public func append(to out: inout [UInt8]) {
        out.append(contentsOf: #"{"jsonrpc":"2.0","id":"#.utf8)
        id.append(to: &out)
        switch outcome {
        case .result(let value):
            out.append(contentsOf: #","result":"#.utf8)
            value.append(to: &out)
        case .error(let error):
            out.append(contentsOf: #","error":"#.utf8)
            error.json.append(to: &out)
        }
        out.append(UInt8(ascii: "}"))
    }

    /// Appends the reply as one line, newline included.
    public func appendLine(to out: inout [UInt8]) {
        append(to: &out)
        out.append(UInt8(ascii: "\n"))
    }

    /// Appends the replies to a batch as one line, newline included. Nothing at all if there are none, as JSON-RPC
    /// wants it for a batch of notifications.
    public static func appendBatch(_ responses: [RPCResponse], to out: inout [UInt8]) {
        guard !responses.isEmpty else { return }
        out.append(UInt8(ascii: "["))
        for (index, response) in responses.enumerated() {
            if index > 0 { out.append(UInt8(ascii: ",")) }
            response.append(to: &out)
        }
        out.append(contentsOf: "]\n".utf8)
    }

    /// Reads a reply.
    public init(json: JSONValue) throws(ShapeError) {
        let reader = try JSONReader(json, as: "reply")
        guard let id = RPCID(json: reader.object["id"] ?? .null) else {
            throw reader.error("id", "a string or an integer")
        }
        self.id = id
        if let error = reader.value("error") {
            outcome = .error(try RPCError(json: error))
        } else if let result = reader.object["result"] {
            outcome = .result(result)
        } else {
            throw reader.error("result", "there, or else error")
        }
    }
}
