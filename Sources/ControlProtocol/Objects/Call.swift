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
        try fields.field("id", &id, as: .uuid, "the call; the message that stays of it names it in `call`")
        try fields.lenient(
            "revision", &revision, as: .count,
            "of two that tell of one call, the one with the greater number was written later: an answer may come after an event that is newer"
        )
        try fields.nullable("conversation", &conversation, as: .uuid, "where it takes place")
        try fields.lenient("group", &group, "it is a call of a group")
        try fields.field("direction", &direction, "who has begun it")
        try fields.field("state", &state, "how it stands")
        try fields.field("media", &media, "what it began with")
        try fields.lenient("waiting", &waiting, "it rings while another call goes on here")
        try fields.lenient(
            "participants", &participants,
            "the devices of the other side; in a group those that take part, or where it rings")
        try fields.lenient("sends", &sends, "what the window here sends")
        try fields.nullable("seat", &seat, as: .uuid, "the window that carries it here")
        try fields.lenient(
            "generation", &generation, "counts the seats that this side has had: each needs a new connection")
        try fields.lenient("signals", &signals, "how many signals have come for the window; call.signals has them")
        try fields.lenient(
            "moves", &moves,
            "counts the changes of this host's addresses: with each, the window looks for a new way to the others")
        try fields.field("startedAt", &startedAt, as: .time, "when it began, by the clock here")
        try fields.nullable("connectedAt", &connectedAt, as: .time, "when the windows had a connection first")
        try fields.lenient("duration", &duration, as: .count, "milliseconds in which both took part, so far")
        try fields.nullable(
            "reason", &reason,
            "why it has ended; of a group's call that goes on: why this side is not in it any more")
        try fields.optional("replacedBy", &replacedBy, as: .uuid, "the call that stayed when two crossed")
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
        try fields.field("account", &account, as: .account, "whose")
        try fields.field(
            "device", &device, as: .token(maximumBytes: ProtocolLimits.tokenBytes), "which; signals go to it")
        try fields.nullable(
            "state", &state,
            "what it says of itself; null before it has said anything. In a group: others say that it takes part, and there is no session with it"
        )
        try fields.lenient("reachable", &reachable, "there is a session with it: without one no connection comes about")
        try fields.nullable("since", &since, as: .time, "in a group: when it joined, by its clock")
        try fields.lenient("silent", &silent, "it has said nothing for some seconds")
        try fields.lenient("sends", &sends, "what its window sends")
        try fields.lenient("verified", &verified, "the keys of this friend were compared")
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
        try fields.field("device", &device, as: .token(maximumBytes: ProtocolLimits.tokenBytes), "whose")
        try fields.field("generation", &generation, "that of the device")
        try fields.field("kind", &kind, "what it is")
        try fields.optional(
            "sdp", &sdp, as: .text(.bytes(ProtocolLimits.callDescriptionBytes)),
            "a session description without candidates")
        try fields.lenient("candidates", &candidates, as: .results(.line), "lines for the browser")
    }
}
