import Basics
import ControlProtocol
import Vocabulary

/// First steps of most tests of daemons: accounts, friends, a conversation. They use the control API, as any client
/// would.
extension DaemonProcess {
    /// Makes the account, named like the daemon.
    @discardableResult
    public func createAccount() throws -> Account {
        try Account(json: call("account.create", ["displayName": .string(name)]))
    }

    /// Changes a setting.
    public func set(_ key: String, to value: JSONValue) throws {
        try call("settings.set", ["key": .string(key), "value": value])
    }

    /// This daemon's account.
    public var account: Account { get throws { try Account(json: call("account.get")) } }

    /// `system.status`.
    public var status: DaemonStatus { get throws { try DaemonStatus(json: call("system.status")) } }

    /// The first address at which peers reach the daemon.
    /// - Throws: what ``Patience`` throws, if the daemon does not listen.
    public var listenAddress: String {
        get throws { try Patience.until("\(name) to listen", report: logTail) { try status.listen.first } }
    }

    /// All peers on its network now.
    public var peers: [Peer] {
        get throws { try (call("peer.list")["peers"]?.array ?? []).map { json in try Peer(json: json) } }
    }

    /// One of its contacts; nil if the daemon doesn't know the account.
    public func contact(_ id: String) throws -> Contact? {
        do {
            return try Contact(json: call("contact.get", ["id": .string(id)]))
        } catch ClientError.refused(let error) where error.data?["kind"]?.string == "not_found" {
            return nil
        }
    }

    /// Waits until this daemon sees the other daemon on the network.
    public func waitToSee(_ other: DaemonProcess, within limit: Duration = Patience.usual) throws {
        let id = try other.account.id
        try Patience.until("\(name) to see \(other.name)", within: limit, report: logTail + other.logTail) {
            try peers.contains { $0.account == id }
        }
    }

    /// Asks the other daemon's account to be a friend, has it accept, and waits until both know. Uses the address where
    /// there is no discovery.
    public func befriend(_ other: DaemonProcess) throws {
        let (own, theirs) = (try account.id, try other.account.id)
        if options.discoveryPort == nil {
            try call("contact.request", ["address": .string(try other.listenAddress)])
        } else {
            try waitToSee(other)
            try call("contact.request", ["id": .string(theirs)])
        }
        func wait(_ daemon: DaemonProcess, _ id: String, _ relation: Relation) throws {
            try Patience.until("\(daemon.name): relation \(relation)", report: logTail + other.logTail) {
                try daemon.contact(id)?.relation == relation
            }
        }
        try wait(other, own, .incoming)
        try other.call("contact.accept", ["id": .string(own)])
        try wait(other, own, .friend)
        try wait(self, theirs, .friend)
    }

    /// The conversation with a friend, made if needed.
    public func conversation(with other: DaemonProcess) throws -> String {
        let id = try other.account.id
        return try Conversation(json: call("conversation.open", ["contact": .string(id)])).id
    }
}
