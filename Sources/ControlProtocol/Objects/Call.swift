import Vocabulary

/// A call that is not over, or ended a moment ago.
public struct Call: ContractObject {
    /// A device of the other side.
    public struct Participant: Hashable, Sendable {
        public var account = ""
        public var device = ""
        public var state: CallPhase?
        public var reachable = false
        public var since: Int64?
        public var silent = false
        public var sends: [CallSource] = []
        public var verified = false
        public var generation: Int64 = 0

        public init(
            account: String, device: String, state: CallPhase?, reachable: Bool, since: Int64?, silent: Bool,
            sends: [CallSource], verified: Bool, generation: Int64
        ) {
            self.account = account
            self.device = device
            self.state = state
            self.reachable = reachable
            self.since = since
            self.silent = silent
            self.sends = sends
            self.verified = verified
            self.generation = generation
        }
    }

    public var id = ""
    public var revision: Int64 = 0
    public var conversation: String?
    public var group = false
    public var direction = CallDirection.incoming
    public var state = CallStage.ended
    public var media = CallMedia.audio
    /// Another call goes on meanwhile.
    public var waiting = false
    public var participants: [Participant] = []
    public var sends: [CallSource] = []
    public var seat: String?
    public var generation: Int64 = 0
    public var signals: Int64 = 0
    public var moves: Int64 = 0
    public var startedAt: Int64 = 0
    public var connectedAt: Int64?
    public var duration: Int64 = 0
    public var reason: CallEnding?
    public var replacedBy: String?

    public static let contractName = "Call"

    public init() {}

    public mutating func describe(_ fields: inout ObjectFields) throws(ShapeError) {
        try fields.field("id", &id, as: .uuid, "the call; the message that it leaves names it in `call`")
        try fields.lenient(
            "revision", &revision, as: .count,
            "of two objects for one call, the one with the greater number is newer: an answer may arrive after a newer "
                + "event")
        try fields.nullable("conversation", &conversation, as: .uuid, "where it takes place")
        try fields.lenient("group", &group, "whether it is a group's call")
        try fields.field("direction", &direction, "which side started it")
        try fields.field("state", &state, "its state")
        try fields.field("media", &media, "what it started with")
        try fields.lenient("waiting", &waiting, "whether it rings while another call is going on here")
        try fields.lenient(
            "participants", &participants,
            "the devices of the other side; in a group, those that take part or ring")
        try fields.lenient("sends", &sends, "what the window here sends")
        try fields.nullable("seat", &seat, as: .uuid, "the window here that carries the call")
        try fields.lenient(
            "generation", &generation, "counts the seats that this side has had: each needs a new connection")
        try fields.lenient("signals", &signals, "how many signals have come for the window; call.signals returns them")
        try fields.lenient(
            "moves", &moves,
            "counts the changes of this host's addresses: after each, the window looks for a new way to the others")
        try fields.field("startedAt", &startedAt, as: .time, "when it started, by this host's clock")
        try fields.nullable("connectedAt", &connectedAt, as: .time, "when the windows first had a connection")
        try fields.lenient(
            "duration", &duration, as: .count, "how long both sides have taken part so far, in milliseconds")
        try fields.nullable(
            "reason", &reason,
            "why it ended; for a group's call that goes on: why this side left it")
        try fields.optional("replacedBy", &replacedBy, as: .uuid, "the call that was kept when two crossed")
    }
}

/// What a window sends in a call.
public enum CallSource: String, CaseIterable, Hashable, Sendable, ContractWord {
    case microphone, camera, screen
}

extension Call.Participant: ContractObject {
    public static let contractName = "Call.participants"

    public init() {}

    public mutating func describe(_ fields: inout ObjectFields) throws(ShapeError) {
        try fields.field("account", &account, as: .account, "the account")
        try fields.field(
            "device", &device, as: .token(maximumBytes: ProtocolLimits.tokenBytes), "the device; signals go to it")
        try fields.nullable(
            "state", &state,
            "its state, as it says; null before it says anything, and in a group if others say that it takes part and "
                + "there is no session with it")
        try fields.lenient("reachable", &reachable, "whether there is a session with it, which a connection needs")
        try fields.nullable("since", &since, as: .time, "for a group: when it joined, by its clock")
        try fields.lenient("silent", &silent, "whether it has said nothing for some seconds")
        try fields.lenient("sends", &sends, "what its window sends")
        try fields.lenient("verified", &verified, "whether this friend's keys were compared")
        try fields.lenient(
            "generation", &generation, "counts the seats that it has had: each needs a new connection")
    }
}

/// A signal of the other side, for the window.
public struct CallSignal: ContractObject {
    public var index: Int64 = 0
    public var device = ""
    public var generation: Int64 = 0
    public var kind = CallSignalKind.restart
    public var sdp: String?
    public var candidates: [String] = []

    public init(
        index: Int64, device: String, generation: Int64, kind: CallSignalKind, sdp: String?, candidates: [String]
    ) {
        self.index = index
        self.device = device
        self.generation = generation
        self.kind = kind
        self.sdp = sdp
        self.candidates = candidates
    }

    public static let contractName = "CallSignal"

    public init() {}

    public mutating func describe(_ fields: inout ObjectFields) throws(ShapeError) {
        try fields.field("index", &index, as: .integer(1 ... .max), "its number among all that came for this side")
        try fields.field(
            "device", &device, as: .token(maximumBytes: ProtocolLimits.tokenBytes), "the device it is from")
        try fields.field("generation", &generation, "the device's `generation`")
        try fields.field("kind", &kind, "what it is")
        try fields.optional(
            "sdp", &sdp, as: .text(.bytes(ProtocolLimits.callDescriptionBytes)),
            "a session description without candidates")
        try fields.lenient("candidates", &candidates, as: .results(.line), "lines for the browser")
    }
}
