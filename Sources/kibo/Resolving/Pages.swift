import Basics
import ControlProtocol

/// Reading lists that come in pages.
enum Pages {
    /// These are more pages than a person looks through; it is a bound for a daemon that never says "no more".
    private static let maximum = 200
    /// Objects of one page: as many as the daemon gives.
    static let size: Int64 = 500

    /// So many objects of a list, in as many pages as that takes.
    /// - Returns: the answer as if it were one page.
    static func some(
        _ count: Int64?, _ client: ControlClient, _ method: String, _ params: JSONObject, field: String
    ) throws(ClientError) -> JSONObject {
        var params = params
        var objects: [JSONValue] = []
        guard var left = count else { return try client.call(method, params).object ?? [:] }
        while true {
            params["limit"] = .integer(min(left, size))
            let page = try client.call(method, params)
            let items = page[field]?.array ?? []
            objects += items
            left -= Int64(items.count)
            guard left > 0, !items.isEmpty, let next = page["next"] else {
                var result = page.object ?? [:]
                result[field] = .array(objects)
                return result
            }
            params["before"] = next
        }
    }

    /// All objects of a list, page after page.
    /// - Parameter cursor: the parameter that takes the `next` of the previous page.
    static func all<Object: ContractObject>(
        _ client: ControlClient, _ method: String, _ params: JSONObject = [:], field: String, cursor: String = "before"
    ) throws -> [Object] {
        var objects: [Object] = []
        var params = params
        params["limit"] = .integer(size)
        for _ in 0..<maximum {
            let page = try client.call(method, params)
            for json in page[field]?.array ?? [] { objects.append(try Object(json: json)) }
            guard let next = page["next"]?.string else { break }
            params[cursor] = .string(next)
        }
        return objects
    }
}
