import ControlProtocol

/// The data of an event as JSON, in the form for each role of a connection.
struct EventData: Sendable {
    /// All of it.
    let full: [UInt8]
    /// Without paths; nil if that is all of it.
    private let web: [UInt8]?

    init(_ json: JSONValue, of type: EventType) {
        full = Self.encoded(json)
        web = Role.web.hears(json, of: type).map(Self.encoded)
    }

    func bytes(for role: Role) -> [UInt8] {
        switch role {
        case .full: full
        case .web: web ?? full
        }
    }

    private static func encoded(_ json: JSONValue) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(768)
        json.append(to: &bytes)
        return bytes
    }
}
