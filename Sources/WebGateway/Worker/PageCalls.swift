import ControlProtocol
import HTTP
import Reactor

/// The requests of one body of `/rpc`, checked, without I/O.
struct PageCalls {
    /// One of them.
    enum Item {
        case call(method: String, params: JSONObject)
        /// The gateway answers it itself.
        case refused(RPCError)
    }

    let items: [Item]
    /// Whether the answers go into an array.
    let isBatch: Bool

    /// Methods that the gateway calls itself, and such as answer with a descriptor.
    static let withheld: Set = [
        "system.hello", "upload.open", "transfer.open", "transfer.thumbnail", "picture.open", "conversation.export",
    ]

    init(body: [UInt8]) throws(GatewayError) {
        let json: JSONValue
        do {
            json = try JSONParser.parse(body, maximumBytes: WebLimits.rpcBytes)
        } catch {
            throw .malformed("the body is not JSON: \(error)")
        }
        guard case .array(let elements) = json else {
            isBatch = false
            items = [try Self.item(json)]
            return
        }
        guard 1...WebLimits.batch ~= elements.count else {
            throw .malformed("an array holds 1 to \(WebLimits.batch) requests")
        }
        isBatch = true
        var items: [Item] = []
        for element in elements { items.append(try Self.item(element)) }
        self.items = items
    }

    private static func item(_ json: JSONValue) throws(GatewayError) -> Item {
        guard case .object(let object) = json, case .string(let method)? = object["method"],
            object.names.allSatisfy({ $0 == "method" || $0 == "params" })
        else { throw .malformed("a request is {method, params}") }
        if withheld.contains(method) || method.hasPrefix("events.") {
            return .refused(GatewayError.notForPages(method))
        }
        switch object["params"] {
        case nil, .null?: return .call(method: method, params: [:])
        case .object(let params)?: return .call(method: method, params: params)
        default: throw .malformed("params is an object")
        }
    }
}

/// Gathers the answers of one body, in the order of its requests.
@ReactorActor final class PageAnswers {
    private var answers: [JSONValue]
    private var left: Int
    private let isBatch: Bool
    private var lostLine = false
    private let exchange: Exchange

    init(_ exchange: Exchange, count: Int, isBatch: Bool) {
        self.exchange = exchange
        self.isBatch = isBatch
        answers = Array(repeating: .null, count: count)
        left = count
    }

    func set(_ index: Int, _ outcome: RPCResponse.Outcome) {
        switch outcome {
        case .result(let result): answers[index] = ["result": result]
        case .error(let error):
            if error == GatewayError.away.rpc { lostLine = true }
            answers[index] = ["error": error.json]
        }
        left -= 1
        guard left == 0 else { return }
        exchange.answer(.json(lostLine ? 503 : 200, isBatch ? .array(answers) : answers[0]))
    }
}
