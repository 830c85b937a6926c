import Vocabulary

extension Catalogue {
    private static let id = FieldSpec.required("id", .uuid, "the call")
    private static let seat = FieldSpec.required("seat", .uuid, "an id that the window has made up for itself")
    private static let media = FieldSpec.required("media", CallMedia.contractType, "what the call starts with")
    private static let fingerprint = FieldSpec.required(
        "fingerprint", .token(maximumBytes: 95),
        "the SHA-256 of the window's certificate: 32 pairs of digits with colons")

    static let callMethods: [MethodSpec] = [
        MethodSpec(
            "call.start",
            "Calls a friend or a group. If the friend's call is ringing here, or the group already has a call, takes "
                + "that one.",
            [.required("conversation", .uuid, "the conversation to call"), media, seat, fingerprint],
            effect: .writes, result: .object("Call"),
            errors: [.notFound, .notFriends, .notAllowed, .blocked, .keyChanged, .unsupported, .busy]),
        MethodSpec(
            "call.accept", "Answers a ringing call, or joins a group's running call, for a window.",
            [id, media, seat, fingerprint],
            effect: .writes, result: .object("Call"), errors: [.notFound, .alreadyExists, .notAllowed, .busy]),
        MethodSpec(
            "call.decline", "Declines a ringing call, with a message if one is given.",
            [
                id,
                .optional("text", .text(.bytes(SharedLimits.textBytes)), "a message to send to the conversation"),
            ],
            effect: .writes, result: .object("Call"), errors: [.notFound, .notAllowed, .alreadyExists]),
        MethodSpec(
            "call.hangup",
            "Ends a call, or leaves a group's call. A call that still rings elsewhere is cancelled; one that rings "
                + "here is declined.",
            [id],
            effect: .writes, result: .object("Call"), errors: [.notFound]),
        MethodSpec(
            "call.update", "Tells the other side what the window sends.",
            [id, seat, .required("sends", .list(.choice(of: CallSource.self), minimum: 0, maximum: 3), "all of it")],
            result: .object("Call"), errors: [.notFound, .notAllowed]),
        MethodSpec(
            "call.signal", "Tells the other side's window something about the connection.",
            [
                id, seat, .required("device", .token(maximumBytes: ProtocolLimits.tokenBytes), "the window's device"),
                .required("kind", CallSignalKind.contractType, "what it is"),
                .optional(
                    "sdp", .text(.bytes(ProtocolLimits.callDescriptionBytes)),
                    "for an offer or an answer: the session description, as it was before candidates were gathered"),
                .optional(
                    "candidates", .list(.text(.bytes(512)), minimum: 1, maximum: ProtocolLimits.callCandidateLines),
                    "for candidates: the browser's lines"),
            ],
            result: .fields([]), errors: [.notFound, .notAllowed, .invalid, .busy]),
        MethodSpec(
            "call.signals",
            "The signals that the other side's windows sent to this one. Those up to `after` are forgotten.",
            [id, seat, .optional("after", .count, "only signals with a greater index", standard: 0)],
            result: .fields([
                .required("signals", .results(.object("CallSignal")), "in order"),
                .required("next", .count, "what to give as `after` next time"),
            ]), errors: [.notFound, .notAllowed]),
        MethodSpec(
            "call.take", "Gives the call's seat to this window: a different window, or the same one after a reload.",
            [id, seat, fingerprint], effect: .writes, result: .object("Call"), errors: [.notFound, .busy]),
        MethodSpec(
            "call.report",
            "To be called every five seconds: says that the window is still there, and how its connections are doing.",
            [
                id, seat,
                .required(
                    "peers", .list(.anything, minimum: 0, maximum: 16),
                    "for each connection: `device`, `state` (`connected` while media flow), and maybe `rtt`, `lost`, "
                        + "`jitter`"),
                .optional(
                    "closes", .boolean,
                    "the window is closing: the call ends in a few seconds, unless a window takes the seat before that",
                    standard: false),
            ],
            result: .fields([]), errors: [.notFound, .notAllowed]),
        MethodSpec(
            "call.list", "The calls that haven't ended.",
            result: .fields([.required("calls", .results(.object("Call")), "the oldest first")])),
        MethodSpec(
            "call.history", "The records of past calls in all conversations, the most recently stored first.",
            [
                .optional("before", .token(maximumBytes: ProtocolLimits.tokenBytes), "`next` of the previous page"),
                .limit,
            ],
            effect: .reads,
            result: .fields([
                .required("messages", .results(.object("Message")), "this page"),
                .optional(
                    "next", .token(maximumBytes: ProtocolLimits.tokenBytes),
                    "what to give as `before`, if there is more"),
            ]), errors: [.invalid]),
    ]
}

/// The settings of calls.
extension SettingsCatalogue {
    public static let callsAllow = SettingKey<CallAllowance>(
        "calls.allow", .friends,
        "whose calls ring: those of all `friends`, only of friends whose keys you have compared (`verified`), or of "
            + "`nobody`")
    public static let callsRingSeconds = SettingKey<Int64>(
        "calls.ringSeconds", 45, in: 15...120, "how long your calls ring on the other side, in seconds")
    public static let callsWhileBusy = SettingKey<CallWhileBusy>(
        "calls.whileBusy", .ring,
        "what happens to a new call while you are in another one: `ring` softly, or `decline`")

    public static let callsRingGroups = SettingKey<Bool>(
        "calls.ringGroups", true,
        "whether calls in groups of at most eight people ring; calls in larger groups never do")

    static let calls: [SettingSpec] = [
        callsAllow.spec, callsRingSeconds.spec, callsWhileBusy.spec, callsRingGroups.spec,
    ]
}
