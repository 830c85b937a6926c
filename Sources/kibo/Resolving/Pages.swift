import Basics
import ControlProtocol

/// Reading lists that come in pages.
enum Pages {
    /// These are more pages than a person looks through; it is a bound for a daemon that never says "no more".
    private static let maximum = 200

    /// All objects of a list, page after page.
    /// - Parameter cursor: the parameter that takes the `next` of the page before.
    static func all<Object: ContractObject>(
        _ client: ControlClient, _ method: String, _ params: JSONObject = [:], field: String, cursor: String = "before"
    ) throws -> [Object] {
        var objects: [Object] = []
        var params = params
        params["limit"] = 500
        for _ in 0..<maximum {
            let page = try client.call(method, params)
            for json in page[field]?.array ?? [] { objects.append(try Object(json: json)) }
            guard let next = page["next"]?.string else { break }
            params[cursor] = .string(next)
        }
        return objects
    }
}
