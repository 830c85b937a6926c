// The Presence folder decides what friends are told about whether our person is here. It is a value; sessions decide
// which friends are told, and when.

import Vocabulary

/// Whether our person is here: what they said themselves, and what clients have noticed.
///
/// Users who say that they are away are away until they say otherwise. Otherwise a user is away when clients have
/// reported idleness and none has reported activity since. What a client has reported is forgotten when it disconnects.
public struct OwnPresence: Sendable {
    /// The person's last word.
    public private(set) var said: Presence
    /// Clients that tell, and whether their person is idle.
    private var clients: [Int: Bool] = [:]

    public init(said: Presence = .online) { self.said = said }

    /// The state that friends are to see.
    public var state: Presence {
        if said == .away { return .away }
        return !clients.isEmpty && clients.values.allSatisfy { $0 } ? .away : .online
    }

    /// The person says how it is. A person who says that they are here is not idle, whatever was noticed before.
    public mutating func say(_ presence: Presence) {
        said = presence
        if presence == .online { clients = clients.mapValues { _ in false } }
    }

    /// A client has noticed that its person is idle, or active again.
    public mutating func noticed(idle isIdle: Bool, by client: Int) { clients[client] = isIdle }

    /// A client has gone.
    public mutating func left(_ client: Int) { clients[client] = nil }
}
