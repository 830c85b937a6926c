import Vocabulary

extension Catalogue {
    private static let id = FieldSpec.required("id", .uuid, "the call")
    private static let seat = FieldSpec.required("seat", .uuid, "the window's name for itself")
    private static let media = FieldSpec.required("media", CallMedia.contractType, "what it begins with")
    private static let fingerprint = FieldSpec.required(
        "fingerprint", .token(maximumBytes: 95),
        "the SHA-256 of the window's certificate: 32 pairs of digits with colons")

    static let callMethods: [MethodSpec] = [
        MethodSpec(
            "call.start",
            "Calls a friend or a group; takes the call that rings from there, or goes on there, just now.",
            [.required("conversation", .uuid, "with whom"), media, seat, fingerprint],
            effect: .writes, result: .object("Call"),
            errors: [.notFound, .notFriends, .notAllowed, .blocked, .keyChanged, .unsupported, .busy]),
        MethodSpec(
            "call.accept", "Takes a call that rings, or joins one that goes on in a group, for a window.",
            [id, media, seat, fingerprint],
            effect: .writes, result: .object("Call"), errors: [.notFound, .alreadyExists, .notAllowed, .busy]),
        MethodSpec(
            "call.decline", "Declines a call that rings, with a word if one is given.",
            [
                id,
                .optional("text", .text(.bytes(SharedLimits.textBytes)), "a message to go to the conversation with it"),
            ],
            effect: .writes, result: .object("Call"), errors: [.notFound, .notAllowed, .alreadyExists]),
        MethodSpec(
            "call.hangup",
            "Ends a call, or leaves that of a group: takes back what rings elsewhere, declines what rings here.", [id],
            effect: .writes, result: .object("Call"), errors: [.notFound]),
        MethodSpec(
            "call.update", "Tells the other side what the window sends.",
            [id, seat, .required("sends", .list(.choice(of: CallSource.self), minimum: 0, maximum: 3), "all of it")],
            result: .object("Call"), errors: [.notFound, .notAllowed]),
        MethodSpec(
            "call.signal", "Tells the other side's window something about the connection.",
            [
                id, seat, .required("device", .token(maximumBytes: ProtocolLimits.tokenBytes), "whose window"),
                .required("kind", CallSignalKind.contractType, "what it is"),
                .optional(
                    "sdp", .text(.bytes(ProtocolLimits.callDescriptionBytes)),
                    "with an offer or an answer: the session description, as it was before candidates were gathered"),
                .optional(
                    "candidates", .list(.text(.bytes(512)), minimum: 1, maximum: ProtocolLimits.callCandidateLines),
                    "with candidates: the browser's lines"),
            ],
            result: .fields([]), errors: [.notFound, .notAllowed, .invalid, .busy]),
        MethodSpec(
            "call.signals", "What the other side's windows have told this one. What came before `after` is forgotten.",
            [id, seat, .optional("after", .count, "only what has a greater index", standard: 0)],
            result: .fields([
                .required("signals", .results(.object("CallSignal")), "in their order"),
                .required("next", .count, "what to give as `after` next time"),
            ]), errors: [.notFound, .notAllowed]),
        MethodSpec(
            "call.take", "Gives the seat to this window: another one, or the same after it was loaded anew.",
            [id, seat, fingerprint], effect: .writes, result: .object("Call"), errors: [.notFound, .busy]),
        MethodSpec(
            "call.report", "Says every five seconds that the window is there, and how its connections are.",
            [
                id, seat,
                .required(
                    "peers", .list(.anything, minimum: 0, maximum: 16),
                    "for each connection `device` and `state` (`connected` while media flow), perhaps `rtt`, `lost`, `jitter`"
                ),
                .optional(
                    "closes", .boolean,
                    "the window's last word: the call is over in some seconds, unless a window takes the seat by then",
                    standard: false),
            ],
            result: .fields([]), errors: [.notFound, .notAllowed]),
        MethodSpec(
            "call.list", "The calls that are not over.",
            result: .fields([.required("calls", .results(.object("Call")), "the oldest first")])),
        MethodSpec(
            "call.history", "What stays of calls, of all conversations, those that were stored last first.",
            [
                .optional("before", .token(maximumBytes: ProtocolLimits.tokenBytes), "`next` of the page before"),
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
        "whose calls ring: those of `friends`, of friends whose keys you have compared (`verified`), or of `nobody`")
    public static let callsRingSeconds = SettingKey<Int64>(
        "calls.ringSeconds", 45, in: 15...120, "how long your calls ring at others, in seconds")
    public static let callsWhileBusy = SettingKey<CallWhileBusy>(
        "calls.whileBusy", .ring, "what a call does while you are in another one: `ring` softly, or `decline`")

    public static let callsRingGroups = SettingKey<Bool>(
        "calls.ringGroups", true, "whether calls ring of groups of at most eight people; those of others never do")

    static let calls: [SettingSpec] = [
        callsAllow.spec, callsRingSeconds.spec, callsWhileBusy.spec, callsRingGroups.spec,
    ]
}
