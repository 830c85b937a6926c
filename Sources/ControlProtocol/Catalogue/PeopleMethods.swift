import Vocabulary

extension Catalogue {
    private static let query = FieldSpec.optional(
        "query", .label(minimum: 0, maximum: ProtocolLimits.queryCharacters),
        "only what matches in name, alias, e-mail, phone or id, whatever the case and accents; of a number the digits count"
    )
    private static let id = FieldSpec.required("id", .account, "the account")
    private static let page: [FieldSpec] = [
        .optional("limit", .integer(1...ProtocolLimits.pageMaximum), "how many at most; absent: all"),
        .optional("after", .token(maximumBytes: ProtocolLimits.tokenBytes), "`next` of the page before"),
    ]
    private static let next = FieldSpec.optional(
        "next", .token(maximumBytes: ProtocolLimits.tokenBytes),
        "what to give as `after` for the next page, if there is one")

    static let peerMethods: [MethodSpec] = [
        MethodSpec(
            "peer.list", "Who is on the network now.", [query] + page,
            result: .fields([.required("peers", .results(.object("Peer")), "in order of their names"), next]),
            errors: [.invalid]),
        MethodSpec(
            "peer.connect", "Opens a session with whoever answers at an address.",
            [.required("address", .address, "where")],
            result: .object("Peer"), errors: [.offline, .busy]),
    ]

    static let rosterMethods: [MethodSpec] = [
        MethodSpec(
            "roster.make",
            "Makes the signed list of an office's accounts, whose hosts are friends as soon as their `kibod.json5` names it. "
                + "This account signs it and is its first member.",
            [
                .required(
                    "accounts", .list(.account, minimum: 0, maximum: ProtocolLimits.rosterAccounts),
                    "the other members: contacts, or those who are on the network"),
                .optional(
                    "from", .text(.bytes(ProtocolLimits.lineBytes)),
                    "the text of a roster that this account has signed: its members stay"),
                .optional(
                    "without", .list(.account, minimum: 0, maximum: ProtocolLimits.rosterAccounts),
                    "members of `from` who don't stay", standard: .array([])),
            ],
            effect: .reads,
            result: .fields([
                .required("roster", .text(.bytes(ProtocolLimits.lineBytes)), "the text of the file"),
                .required("members", .integer(1...Int64(ProtocolLimits.rosterAccounts) + 1), "how many it has"),
            ]),
            errors: [.notFound, .invalid]),
        MethodSpec(
            "roster.check", "Says who has signed a roster and when; refuses one that was changed after it was signed.",
            [.required("roster", .text(.bytes(ProtocolLimits.lineBytes)), "the text of the file")],
            result: .fields([
                .required("signer", .account, "the account that has signed it"),
                .required("version", .time, "when it was made: hosts take only a newer one"),
                .required("members", .integer(1...Int64(ProtocolLimits.rosterAccounts) + 1), "how many it has"),
            ]),
            errors: [.invalid]),
    ]

    static let presenceMethods: [MethodSpec] = [
        MethodSpec(
            "presence.set", "Lets friends see whether one is here.",
            [
                .required("state", .choice(["online", "away"]), "here, or not just now"),
                .optional(
                    "statusText", .text(.line(SharedLimits.statusTextCharacters)),
                    "a line about oneself; empty for none"),
                .optional(
                    "idle", .boolean,
                    "the client has noticed it, and the person has not said so: it counts while this connection lives, and as "
                        + "long as no other client sees them active", standard: false),
            ],
            result: .fields([
                .required("state", .choice(["online", "away"]), "what friends see now")
            ])),
        MethodSpec(
            "typing.set",
            "Lets the friend of a conversation see that one is typing; say it again every 5 s while it lasts. Of notes nobody is told.",
            [
                .required("conversation", .uuid, "where"),
                .required("typing", .boolean, "whether one is typing, or has ceased to"),
            ],
            result: .fields([]),
            errors: [.notFound, .notFriends, .blocked, .keyChanged, .unsupported, .notAllowed, .busy]),
    ]

    static let contactMethods: [MethodSpec] = [
        MethodSpec(
            "contact.list",
            "The contacts in the alphabetical order of the daemon's locale, requests of both directions among them; those of relation `none` only if asked for.",
            [.optional("relation", .choice(of: Relation.self), "only those"), query] + page,
            whileLocked: .history,
            result: .fields([.required("contacts", .results(.object("Contact")), "in order of their names"), next]),
            errors: [.invalid]),
        MethodSpec(
            "contact.get", "One contact.", [id], whileLocked: .history, result: .object("Contact"), errors: [.notFound]),
        MethodSpec(
            "contact.request",
            "Asks somebody to be friends, once more if they were asked before; one who has asked us already is accepted. What comes of it is told by `contact.changed`: relation `none` with a `reason` if the request was refused.",
            [
                .optional("id", .account, "an account that is on the network or known"),
                .optional("address", .address, "where to find somebody who can't be heard"),
                .optional("uri", .token(maximumBytes: ProtocolLimits.tokenBytes), "a link kibo:kibo1…?name=…&addr=…"),
                .optional("note", .text(.characters(SharedLimits.noteCharacters)), "a line to go with it"),
            ],
            exactlyOne: [["id", "address", "uri"]],
            result: .object("Contact"), errors: [.notFound, .offline, .blocked, .invalid]),
        MethodSpec(
            "contact.accept", "Makes a friend of somebody who has asked.", [id],
            result: .object("Contact"), errors: [.notFound, .invalid, .blocked]),
        MethodSpec(
            "contact.remove",
            "Ends a friendship, which the other side is told; messages and files that wait are not sent, the conversation stays.",
            [id], result: .object("Contact"), errors: [.notFound, .invalid, .blocked]),
        MethodSpec(
            "contact.block",
            "Has nothing more to do with an account, known or not: it sees this one as offline and can't ask, and is not told.",
            [id], result: .object("Contact"), errors: [.notFound, .invalid]),
        MethodSpec(
            "contact.unblock", "Takes a block back: there is no relation then, and both may ask.", [id],
            result: .object("Contact"), errors: [.notFound, .invalid]),
        MethodSpec(
            "contact.trustNewKey",
            "Says that the account under `changedTo` is the same person with a new key: the conversation goes on with it "
                + "(unless it has one), it is asked to be a friend (or accepted if it has asked), and the old one is a friend no more.",
            [id], result: .object("Contact"), errors: [.notFound, .invalid, .blocked]),
        MethodSpec(
            "contact.safetyNumber",
            "The number that is the same on both sides if nobody sits between them, and a QR code of ours to be scanned there.",
            [id],
            whileLocked: .history,
            result: .fields([
                .required("number", .token(maximumBytes: 60), "sixty digits"),
                .required("qr", .text(.bytes(16 << 10)), "lines of half blocks; what is filled is dark"),
            ]),
            errors: [.notFound]),
        MethodSpec(
            "contact.verify", "Writes down that it is really them.",
            [
                id,
                .optional(
                    "number", .text(.characters(ProtocolLimits.safetyNumberCharacters)),
                    "the number that they see, or the link that was scanned from them, to be compared here; absent: a person has "
                        + "compared"),
            ],
            result: .object("Contact"), errors: [.notFound, .invalid]),
        MethodSpec(
            "contact.update", "Changes what is kept here about a contact; the other side is told nothing.",
            [
                id,
                .optional(
                    "alias", .label(minimum: 0, maximum: SharedLimits.foreignNameCharacters),
                    "what to call them here, nothing that begins with a colon or looks like an id, an e-mail address or a "
                        + "telephone number; empty: nothing else"),
                .optional(
                    "autoDownload", .choice(of: AutoDownload.self),
                    "whether their files are taken without asking: `default` as the settings say, `never`, or `always`, "
                        + "whatever the kind, up to `files.maxReceiveBytes`"),
            ],
            atLeastOne: [["alias", "autoDownload"]], result: .object("Contact"), errors: [.notFound, .invalid]),
        MethodSpec(
            "contact.decline",
            "Refuses somebody who has asked, of which they hear nothing; takes back what we asked; or puts away a request of ours "
                + "that was refused.",
            [id], result: .object("Contact"), errors: [.notFound, .invalid, .blocked]),
        MethodSpec(
            "contact.declineAll",
            "Refuses all who have asked, as when somebody asks under many names; they hear nothing of it.",
            [
                .optional(
                    "like", .account,
                    "an account that has asked: only those whose request came from the same `requestSource`; absent: all"
                )
            ],
            result: .fields([.required("declined", .integer(0...Int64.max), "how many requests were refused")]),
            errors: [.notFound, .invalid]),
    ]
}
