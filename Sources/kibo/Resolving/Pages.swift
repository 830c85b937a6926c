import Basics
import ControlProtocol

/// Reading lists that come in pages.
enum Pages {
    /// These are more pages than a person looks through; it is a bound for a daemon that never says "no more".
    private static let maximum = 200

    /// All objects of a list, page after page.
    static func all<Object>(
        _ client: ControlClient, _ method: String, _ params: JSONObject = [:], field: String,
        read: (JSONValue) throws(ShapeError) -> Object
    ) throws -> [Object] {
        var objects: [Object] = []
        var params = params
        params["limit"] = 500
        for _ in 0..<maximum {
            let page = try client.call(method, params)
            for json in page[field]?.array ?? [] { objects.append(try read(json)) }
            guard let next = page["next"]?.string else { break }
            params["before"] = .string(next)
        }
        return objects
    }
}
