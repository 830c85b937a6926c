/// The answer to `system.hello`, by which the daemon introduces itself.
public struct DaemonHello: Hashable, Sendable {
    /// `kibod`.
    public var daemon: String
    /// The program's version.
    public var version: String
    /// The version of the wire between daemons.
    public var `protocol`: Int64
    /// The version of this interface.
    public var api: Int64
    /// Abilities beyond those that its version says.
    public var capabilities: [String]
    /// The account's id; nil if there is none yet.
    public var account: String?

    /// Put together from its fields.
    public init(
        daemon: String = "kibod", version: String, protocol: Int64, api: Int64 = Int64(ControlProtocol.version),
        capabilities: [String] = [], account: String? = nil
    ) {
        self.daemon = daemon
        self.version = version
        self.protocol = `protocol`
        self.api = api
        self.capabilities = capabilities
        self.account = account
    }

    /// Reads the object as it travels; unknown fields are ignored.
    ///
    /// - Throws: ``ShapeError`` naming the field that is missing or of the wrong type.
    public init(json: JSONValue) throws(ShapeError) {
        let reader = try JSONReader(json, as: "system.hello")
        daemon = try reader.string("daemon")
        version = try reader.string("version")
        `protocol` = try reader.integer("protocol")
        api = try reader.integer("api")
        capabilities = try reader.strings("capabilities")
        account = try reader.optionalString("account")
    }

    /// The value as it travels.
    public var json: JSONValue {
        var object: JSONObject = [
            "daemon": .string(daemon), "version": .string(version), "protocol": .integer(`protocol`),
            "api": .integer(api), "capabilities": .strings(capabilities),
        ]
        if let account { object["account"] = .string(account) }
        return .object(object)
    }
}

/// The answer to `system.status`: the state of the daemon.
public struct DaemonStatus: Hashable, Sendable {
    /// Milliseconds since it started.
    public var uptime: Int64
    /// `address:port` of each socket that peers can reach; empty while it doesn't listen.
    public var listen: [String]
    /// Names of the network interfaces in use.
    public var interfaces: [String]
    /// Peers on the network now.
    public var peers: Int64
    /// Open sessions.
    public var sessions: Int64
    /// Messages and the like that wait for their recipients.
    public var queued: Int64
    /// Transfers that are not at their end.
    public var transfers: Int64
    /// Whether a passphrase is needed first.
    public var locked: Bool
    /// The data directory.
    public var data: String
    /// Bytes of the database.
    public var databaseBytes: Int64
    /// Whether the disk that holds the data is full: nothing is stored or taken until there is space.
    public var full: Bool
    /// This run, by which numbers of events are known to be of its log.
    public var epoch: String

    /// Put together from its fields.
    public init(
        uptime: Int64, listen: [String], interfaces: [String], peers: Int64, sessions: Int64, queued: Int64,
        transfers: Int64, locked: Bool, data: String, databaseBytes: Int64, full: Bool = false, epoch: String = ""
    ) {
        self.uptime = uptime
        self.listen = listen
        self.interfaces = interfaces
        self.peers = peers
        self.sessions = sessions
        self.queued = queued
        self.transfers = transfers
        self.locked = locked
        self.data = data
        self.databaseBytes = databaseBytes
        self.full = full
        self.epoch = epoch
    }

    /// Reads the object as it travels; unknown fields are ignored.
    ///
    /// - Throws: ``ShapeError`` naming the field that is missing or of the wrong type.
    public init(json: JSONValue) throws(ShapeError) {
        let reader = try JSONReader(json, as: "system.status")
        uptime = try reader.integer("uptime")
        listen = try reader.strings("listen")
        interfaces = try reader.strings("interfaces")
        peers = try reader.integer("peers")
        sessions = try reader.integer("sessions")
        queued = try reader.integer("queued")
        transfers = try reader.integer("transfers")
        locked = try reader.bool("locked")
        data = try reader.optionalString("data") ?? ""
        databaseBytes = try reader.optionalInteger("databaseBytes") ?? 0
        full = reader.object["full"]?.bool ?? false
        epoch = try reader.optionalString("epoch") ?? ""
    }

    /// The value as it travels.
    public var json: JSONValue {
        [
            "uptime": .integer(uptime), "listen": .strings(listen), "interfaces": .strings(interfaces),
            "peers": .integer(peers), "sessions": .integer(sessions), "queued": .integer(queued),
            "transfers": .integer(transfers), "locked": .bool(locked), "data": .string(data),
            "databaseBytes": .integer(databaseBytes), "full": .bool(full), "epoch": .string(epoch),
        ]
    }
}
