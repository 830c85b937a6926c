/// The answer to `system.hello`, by which the daemon introduces itself.
public struct DaemonHello: ContractObject {
    /// `kibod`.
    public var daemon = ""
    public var version = ""
    /// The version of the wire between daemons.
    public var `protocol`: Int64 = 0
    public var api: Int64 = 0
    public var capabilities: [String] = []
    public var account: String?

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

    public static let contractName = "system.hello"

    public init() {}

    public mutating func describe(_ fields: inout ObjectFields) throws(ShapeError) {
        try fields.field("daemon", &daemon, as: .choice(["kibod"]), "the daemon's name")
        try fields.field(
            "version", &version, as: .label(minimum: 1, maximum: ProtocolLimits.clientNameCharacters), "its version")
        try fields.field("protocol", &`protocol`, as: .integer(1 ... .max), "version of the wire between daemons")
        try fields.field("api", &api, as: .integer(1 ... .max), "version of this interface")
        try fields.lenient(
            "capabilities", &capabilities,
            as: .results(.label(minimum: 1, maximum: ProtocolLimits.clientNameCharacters)),
            "what else it can do")
        try fields.optional("account", &account, as: .account, "the account, once there is one")
    }
}

/// The answer to `system.status`: the state of the daemon.
public struct DaemonStatus: ContractObject {
    public var uptime: Int64 = 0
    public var listen: [String] = []
    public var interfaces: [String] = []
    public var peers: Int64 = 0
    public var sessions: Int64 = 0
    public var queued: Int64 = 0
    public var transfers: Int64 = 0
    public var locked = false
    public var data = ""
    public var databaseBytes: Int64 = 0
    public var disk = DiskState()
    public var putOff: [PutOff] = []
    /// This run of the daemon. It shows which log an event's number belongs to.
    public var epoch = ""

    public init(
        uptime: Int64, listen: [String], interfaces: [String], peers: Int64, sessions: Int64, queued: Int64,
        transfers: Int64, locked: Bool, data: String, databaseBytes: Int64, disk: DiskState = DiskState(),
        putOff: [PutOff] = [],
        epoch: String = ""
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
        self.disk = disk
        self.putOff = putOff
        self.epoch = epoch
    }

    public static let contractName = "system.status"

    public init() {}

    public mutating func describe(_ fields: inout ObjectFields) throws(ShapeError) {
        try fields.field("uptime", &uptime, "milliseconds since the start")
        try fields.lenient("listen", &listen, as: .results(.address), "where peers can reach it")
        try fields.lenient(
            "interfaces", &interfaces, as: .results(.label(minimum: 1, maximum: ProtocolLimits.clientNameCharacters)),
            "names of the network interfaces in use; one with its cable pulled isn't")
        try fields.field("peers", &peers, "peers on the network now")
        try fields.field("sessions", &sessions, "open sessions")
        try fields.field("queued", &queued, "what is waiting for its recipient, without what is kept for others")
        try fields.field("transfers", &transfers, "transfers that haven't ended")
        try fields.lenient("locked", &locked, "whether the account is locked")
        try fields.lenient("data", &data, as: .path, "the data directory")
        try fields.lenient("databaseBytes", &databaseBytes, as: .bytes, "size of the database")
        try fields.lenient("disk", &disk, as: DiskState.contractType, "the disk that holds the data")
        try fields.lenient(
            "putOff", &putOff, as: .results(PutOff.contractType),
            "people whose messages are not accepted now, and why; empty while the account is locked")
        try fields.lenient(
            "epoch", &epoch, as: .label(minimum: 0, maximum: ProtocolLimits.epochCharacters),
            "this run of the daemon, as in events.subscribe")
    }
}
