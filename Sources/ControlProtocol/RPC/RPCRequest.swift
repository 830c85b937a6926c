/// The id that ties a reply to its request.
public enum RPCID: Hashable, Sendable {
    case string(String)
    case integer(Int64)
    /// An explicit `null`, and the id of an error whose request could not be read.
    case null

    /// Nil for what JSON-RPC doesn't allow as an id, and for strings over ``Limits/requestIDBytes``.
    public init?(json: JSONValue) {
        switch json {
        case .string(let text) where text.utf8.count <= ProtocolLimits.requestIDBytes: self = .string(text)
        case .integer(let number): self = .integer(number)
        case .null: self = .null
        default: return nil
        }
    }

    /// The value as it travels.
    public var json: JSONValue {
        switch self {
        case .string(let text): .string(text)
        case .integer(let number): .integer(number)
        case .null: .null
        }
    }

    func append(to out: inout [UInt8]) { json.append(to: &out) }
}

/// One request whose envelope was checked. The ``Catalogue`` checks method and parameters.
public struct RPCRequest: Hashable, Sendable {
    /// Nil for a notification, which gets no reply.
    public let id: RPCID?
    /// The name of the method.
    public let method: String
    /// The parameters by name.
    public let params: JSONObject

    public init(id: RPCID?, method: String, params: JSONObject = [:]) {
        self.id = id
        self.method = method
        self.params = params
    }

    /// Appends the request as one line, newline included.
    public func append(to out: inout [UInt8]) {
        out.append(contentsOf: #"{"jsonrpc":"2.0""#.utf8)
        if let id {
            out.append(contentsOf: #","id":"#.utf8)
            id.append(to: &out)
        }
        out.append(contentsOf: #","method":"#.utf8)
        JSONWriter.append(method, to: &out)
        if !params.isEmpty {
            out.append(contentsOf: #","params":"#.utf8)
            params.append(to: &out)
        }
        out.append(contentsOf: "}\n".utf8)
    }
}

/// One line from a client, taken apart.
public enum RPCIncoming: Hashable, Sendable {
    /// One request, or why it is none.
    case single(Item)
    /// A batch: its replies go into one array, in one line, once all are there. Never empty.
    case batch([Item])

    /// A request that can be carried out, or the reply that says why there is none.
    public enum Item: Hashable, Sendable {
        case request(RPCRequest)
        case refused(RPCResponse)
    }

    /// Takes one line (without newline) apart. It never fails: an item that can't be read becomes the reply to send.
    public init(line: some Collection<UInt8>) {
        let value: JSONValue
        do {
            value = try JSONParser.parse(line)
        } catch {
            self = .single(.refused(RPCResponse(id: .null, error: Self.describe(error))))
            return
        }
        guard case .array(let elements) = value else {
            self = .single(Self.item(value))
            return
        }
        if elements.isEmpty || elements.count > ProtocolLimits.batchRequests {
            let reason = "a batch holds 1 to \(ProtocolLimits.batchRequests) requests"
            self = .single(.refused(RPCResponse(id: .null, error: .invalidRequest(reason))))
        } else {
            self = .batch(elements.map(Self.item))
        }
    }

    private static func describe(_ error: JSONError) -> RPCError {
        switch error {
        case .malformed: .parseError("\(error)")
        case .tooDeep: .parseError("nested more than \(ProtocolLimits.jsonDepth) deep")
        case .tooLarge: .lineTooLong
        }
    }

    private static func item(_ value: JSONValue) -> Item {
        guard case .object(let object) = value else {
            return .refused(RPCResponse(id: .null, error: .invalidRequest("it is \(value.kindName)")))
        }
        var id: RPCID?
        if let json = object["id"] {
            guard let requestID = RPCID(json: json) else {
                let reason = "id must be an integer, null or a string of at most \(ProtocolLimits.requestIDBytes) bytes"
                return .refused(RPCResponse(id: .null, error: .invalidRequest(reason)))
            }
            id = requestID
        }
        func refuse(_ error: RPCError) -> Item { .refused(RPCResponse(id: id ?? .null, error: error)) }
        guard object["jsonrpc"] == "2.0" else { return refuse(.invalidRequest(#"jsonrpc must be "2.0""#)) }
        guard case .string(let method)? = object["method"] else {
            return refuse(.invalidRequest("method must be a string"))
        }
        switch object["params"] {
        case nil: return .request(RPCRequest(id: id, method: method))
        case .object(let params)?: return .request(RPCRequest(id: id, method: method, params: params))
        case .array?:
            return refuse(.invalidParams("params must be an object: parameters go by name here"))
        default: return refuse(.invalidRequest("params must be an object"))
        }
    }
}
