import Vocabulary

extension Catalogue {
    static let systemMethods: [MethodSpec] = [
        MethodSpec(
            "system.hello", "Says who is speaking on both sides; polite as a first request, not required.",
            [
                .required(
                    "client", .label(minimum: 1, maximum: ProtocolLimits.clientNameCharacters), "what the client is"),
                .required("version", .label(minimum: 0, maximum: ProtocolLimits.clientNameCharacters), "its version"),
                .optional(
                    "role", .choice(of: Role.self),
                    "`web`: on this connection paths are null in what it hears and refused in what it says, for good; absent: as it was"
                ),
            ],
            whileLocked: .answered,
            result: .fields(DaemonHello.fields), errors: [.notAllowed]),
        MethodSpec(
            "system.status", "How the daemon is.",
            whileLocked: .answered,
            result: .fields(DaemonStatus.fields)),
        MethodSpec(
            "system.doctor",
            "Looks for what may keep people from reaching each other, and says what to do. Takes seconds, with a large "
                + "database half a minute.",
            whileLocked: .answered,
            result: .fields([.required("checks", .results(.object("DoctorCheck")), "in the order of the examination")])),
        MethodSpec(
            "system.metrics", "Counters and states in Prometheus's text format, as one string.",
            whileLocked: .answered, result: .text("Prometheus's text format, version 0.0.4")),
        MethodSpec(
            "system.schema", "This interface as an OpenRPC document.", whileLocked: .answered,
            result: .document("OpenRPC 1.2.6")),
        MethodSpec(
            "rpc.discover", "The same, under the name by which OpenRPC's tools ask for it.", whileLocked: .answered,
            result: .document("OpenRPC 1.2.6")),
        MethodSpec(
            "system.reload",
            "Reads the configuration and the roster again, as SIGHUP does. If they can't be used, the refusal says what is "
                + "wrong and where, and what was in use stays in use.",
            whileLocked: .answered, roles: [.full],
            result: .fields([
                .required(
                    "atNextStart", .results(.label(minimum: 1, maximum: 32)),
                    "the names whose change takes effect at the next start")
            ]),
            errors: [.invalid]),
        MethodSpec(
            "system.shutdown", "Ends the daemon as SIGTERM does; the reply comes first.", whileLocked: .answered,
            roles: [.full],
            result: .fields([])),
    ]

    private static let passphrase = ValueType.text(.bytes(ProtocolLimits.passphraseBytes))

    static let accountMethods: [MethodSpec] = [
        MethodSpec(
            "account.create", "Makes the account of this daemon and begins to speak on the network.",
            [
                .required(
                    "displayName",
                    .label(minimum: SharedLimits.displayNameMinimum, maximum: SharedLimits.displayNameCharacters),
                    "what others see"),
                .optional(
                    "passphrase", passphrase, "what opens the account's keys from now on; absent: none is needed"),
                .optional(
                    "remember", .boolean,
                    "keep the passphrase in a file, so that the daemon unlocks itself when it starts"),
            ],
            whileLocked: .answered, result: .object("Account"), errors: [.alreadyExists, .invalid, .noSpace, .busy]),
        MethodSpec(
            "account.get", "The account of this daemon, locked or not.", whileLocked: .answered,
            result: .object("Account")),
        MethodSpec(
            "account.update",
            "Changes what others see: all that is given, or nothing. Friends see it at once, or when they are back.",
            [
                .optional(
                    "displayName",
                    .label(minimum: SharedLimits.displayNameMinimum, maximum: SharedLimits.displayNameCharacters),
                    "what others see"),
                .optional(
                    "statusText", .text(.line(SharedLimits.statusTextCharacters)),
                    "a line about oneself; empty for none"),
                .optional(
                    "email", .label(minimum: 0, maximum: SharedLimits.emailBytes), "e-mail address; empty for none"),
                .optional(
                    "phone", .label(minimum: 0, maximum: ProtocolLimits.phoneCharacters),
                    "telephone number with its country code, +49 30 123456; empty for none"),
                .optional(
                    "avatarPath", .emptyOr(.file),
                    "a PNG, JPEG, GIF or WebP of at most 64 MiB and 40 million pixels, of which a square is made; empty for "
                        + "none"),
            ],
            atLeastOne: [["displayName", "statusText", "email", "phone", "avatarPath"]],
            result: .object("Account"),
            errors: [.invalid, .notFound, .notAllowed, .typeNotAllowed, .tooLarge, .noSpace, .unsupported]),
        MethodSpec(
            "account.unlock", "Opens the account's keys and begins to speak on the network.",
            [
                .required("passphrase", passphrase, "what opens the keys"),
                .optional("remember", .boolean, "keep it in a file for the next start, or no more; absent: as it was"),
            ],
            whileLocked: .answered, result: .object("Account"), errors: [.wrongPassphrase, .busy, .invalid, .noSpace]),
        MethodSpec(
            "account.lock",
            "Says goodbye to everybody, drops the keys, and answers when they are gone. What needs keys is then refused.",
            whileLocked: .answered, result: .object("Account"), errors: [.notAllowed]),
        MethodSpec(
            "account.changePassphrase",
            "Seals the keys anew; whatever happens, the old or the new passphrase opens them.",
            [
                .optional("old", passphrase, "the one that counts now; absent: there is none"),
                .optional("new", passphrase, "the one that counts then; absent: none"),
            ],
            result: .object("Account"), errors: [.wrongPassphrase, .busy, .invalid, .noSpace]),
        MethodSpec(
            "account.link", "The account as a link and as a QR code, for others to add.",
            whileLocked: .answered,
            result: .fields([
                .required("uri", .token(maximumBytes: 2_048), "kibo:kibo1…?name=…&addr=…"),
                .required("qr", .text(.bytes(16 << 10)), "lines of half blocks; what is filled is dark"),
            ])),
    ]
}
