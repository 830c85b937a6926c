import Vocabulary

extension Catalogue {
    private static let query = FieldSpec.optional(
        "query", .label(minimum: 0, maximum: ProtocolLimits.queryCharacters),
        "only people whose name, alias, e-mail, phone or id matches; case and accents don't matter, and of a phone "
            + "number only the digits count")
    private static let id = FieldSpec.required("id", .account, "the account")
    private static let page: [FieldSpec] = [
        .optional("limit", .integer(1...ProtocolLimits.pageMaximum), "how many at most; absent: all"),
        .optional("after", .token(maximumBytes: ProtocolLimits.tokenBytes), "`next` of the previous page"),
    ]
    private static let next = FieldSpec.optional(
        "next", .token(maximumBytes: ProtocolLimits.tokenBytes),
        "what to give as `after` for the next page, if there is one")

    static let peerMethods: [MethodSpec] = [
        MethodSpec(
            "peer.list", "The people on the network now.", [query] + page,
            result: .fields([.required("peers", .results(.object("Peer")), "sorted by name"), next]),
            errors: [.invalid]),
        MethodSpec(
            "peer.connect", "Opens a session with whoever answers at an address.",
            [.required("address", .address, "the address")],
            result: .object("Peer"), errors: [.offline, .busy]),
    ]

    static let rosterMethods: [MethodSpec] = [
        MethodSpec(
            "roster.make",
            "Makes the signed list of an office's accounts. They are friends as soon as the `kibod.json5` of their "
                + "hosts names the list. This account signs it and is its first member.",
            [
                .required(
                    "accounts", .list(.account, minimum: 0, maximum: ProtocolLimits.rosterAccounts),
                    "the other members: contacts, or those who are on the network"),
                .optional(
                    "from", .text(.bytes(ProtocolLimits.lineBytes)),
                    "the text of an earlier roster that this account signed: its members are kept"),
                .optional(
                    "without", .list(.account, minimum: 0, maximum: ProtocolLimits.rosterAccounts),
                    "members of `from` to leave out", standard: .array([])),
            ],
            effect: .reads,
            result: .fields([
                .required("roster", .text(.bytes(ProtocolLimits.lineBytes)), "the text of the file"),
                .required("members", .integer(1...Int64(ProtocolLimits.rosterAccounts) + 1), "how many it has"),
            ]),
            errors: [.notFound, .invalid]),
        MethodSpec(
            "roster.check", "Says who signed a roster and when; refuses one that was changed after it was signed.",
            [.required("roster", .text(.bytes(ProtocolLimits.lineBytes)), "the text of the file")],
            result: .fields([
                .required("signer", .account, "the account that signed it"),
                .required("version", .time, "when it was made: hosts take only a newer one"),
                .required("members", .integer(1...Int64(ProtocolLimits.rosterAccounts) + 1), "how many it has"),
            ]),
            errors: [.invalid]),
    ]

    static let presenceMethods: [MethodSpec] = [
        MethodSpec(
            "presence.set", "Shows friends whether the user is here.",
            [
                .required("state", .choice(["online", "away"]), "here, or not just now"),
                .optional(
                    "statusText", .text(.line(SharedLimits.statusTextCharacters)),
                    "a line about yourself; empty for none"),
                .optional(
                    "idle", .boolean,
                    "true: the client noticed this itself, the user didn't say so. It then counts only while this "
                        + "connection is open and no other client sees the user active", standard: false),
            ],
            result: .fields([
                .required("state", .choice(["online", "away"]), "what friends see now")
            ])),
        MethodSpec(
            "typing.set",
            "Shows the friend in a conversation that the user is typing. Repeat it every 5 s while the user types. For "
                + "notes to oneself nobody is told.",
            [
                .required("conversation", .uuid, "the conversation"),
                .required("typing", .boolean, "true: the user is typing; false: the user has stopped"),
            ],
            result: .fields([]),
            errors: [.notFound, .notFriends, .blocked, .keyChanged, .unsupported, .notAllowed, .busy]),
    ]

    static let contactMethods: [MethodSpec] = [
        MethodSpec(
            "contact.list",
            "The contacts, in the alphabetical order of the daemon's locale, with friend requests in both directions. "
                + "Those of relation `none` only if asked for.",
            [.optional("relation", .choice(of: Relation.self), "only contacts of this relation"), query] + page,
            whileLocked: .history,
            result: .fields([.required("contacts", .results(.object("Contact")), "sorted by name"), next]),
            errors: [.invalid]),
        MethodSpec(
            "contact.get", "One contact.", [id], whileLocked: .history, result: .object("Contact"), errors: [.notFound]),
        MethodSpec(
            "contact.request",
            "Sends somebody a friend request, again if they were asked before. If they have already asked us, it "
                + "accepts their request. `contact.changed` reports the result: relation `none` with a `reason` if the "
                + "request was refused.",
            [
                .optional("id", .account, "an account that is on the network or known"),
                .optional("address", .address, "the address of somebody whose announcements don't reach us"),
                .optional("uri", .token(maximumBytes: ProtocolLimits.tokenBytes), "a link kibo:kibo1…?name=…&addr=…"),
                .optional("note", .text(.characters(SharedLimits.noteCharacters)), "a line to send with the request"),
            ],
            exactlyOne: [["id", "address", "uri"]],
            result: .object("Contact"), errors: [.notFound, .offline, .blocked, .invalid]),
        MethodSpec(
            "contact.accept", "Accepts somebody's friend request.", [id],
            result: .object("Contact"), errors: [.notFound, .invalid, .blocked]),
        MethodSpec(
            "contact.remove",
            "Ends a friendship and tells the other side. Waiting messages and files are not sent; the conversation "
                + "stays.",
            [id], result: .object("Contact"), errors: [.notFound, .invalid, .blocked]),
        MethodSpec(
            "contact.block",
            "Blocks an account, known or not: it sees this account as offline, can't send friend requests, and is not "
                + "told.",
            [id], result: .object("Contact"), errors: [.notFound, .invalid]),
        MethodSpec(
            "contact.unblock",
            "Unblocks an account: there is no relation then, and both sides may send a friend request.", [id],
            result: .object("Contact"), errors: [.notFound, .invalid]),
        MethodSpec(
            "contact.trustNewKey",
            "Confirms that the account in `changedTo` is the same person with a new key. The conversation goes on with "
                + "that account (unless it already has one), it gets a friend request (or is accepted if it sent one), "
                + "and the old account is no longer a friend.",
            [id], result: .object("Contact"), errors: [.notFound, .invalid, .blocked]),
        MethodSpec(
            "contact.safetyNumber",
            "The number that is the same on both sides if nobody sits between them, and our QR code for them to scan.",
            [id],
            whileLocked: .history,
            result: .fields([
                .required("number", .token(maximumBytes: 60), "sixty digits"),
                .required("qr", .text(.bytes(16 << 10)), "lines of half blocks, where filled means dark"),
            ]),
            errors: [.notFound]),
        MethodSpec(
            "contact.verify", "Marks a contact as verified: it is really them.",
            [
                id,
                .optional(
                    "number", .text(.characters(ProtocolLimits.safetyNumberCharacters)),
                    "the number that they see, or the link scanned from their screen, to be compared here; absent: the "
                        + "user has compared them"),
            ],
            result: .object("Contact"), errors: [.notFound, .invalid]),
        MethodSpec(
            "contact.update", "Changes what is kept here about a contact; the other side isn't told.",
            [
                id,
                .optional(
                    "alias", .label(minimum: 0, maximum: SharedLimits.foreignNameCharacters),
                    "what to call them here; it can't begin with a colon or look like an id, an e-mail address or a "
                        + "telephone number; empty: their own name"),
                .optional(
                    "autoDownload", .choice(of: AutoDownload.self),
                    "whether their files are taken without asking: `default` (as the settings say), `never`, or "
                        + "`always` (any kind, up to `files.maxReceiveBytes`)"),
            ],
            atLeastOne: [["alias", "autoDownload"]], result: .object("Contact"), errors: [.notFound, .invalid]),
        MethodSpec(
            "contact.decline",
            "Refuses a friend request without telling the sender, takes back a request of ours, or clears a request of "
                + "ours that was refused.",
            [id], result: .object("Contact"), errors: [.notFound, .invalid, .blocked]),
        MethodSpec(
            "contact.declineAll",
            "Refuses all friend requests without telling the senders, for example when somebody asks under many names.",
            [
                .optional(
                    "like", .account,
                    "an account that has asked: refuse only requests from the same `requestSource`; absent: all"
                )
            ],
            result: .fields([.required("declined", .integer(0...Int64.max), "how many requests were refused")]),
            errors: [.notFound, .invalid]),
    ]
}
