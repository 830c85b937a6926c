import Vocabulary

extension Catalogue {
    static let systemMethods: [MethodSpec] = [
        MethodSpec(
            "system.hello",
            "Introduces the client and the daemon to each other; polite as a first request, but not required.",
            [
                .required(
                    "client", .label(minimum: 1, maximum: ProtocolLimits.clientNameCharacters), "what the client is"),
                .required("version", .label(minimum: 0, maximum: ProtocolLimits.clientNameCharacters), "its version"),
                .optional(
                    "role", .choice(of: Role.self),
                    "`web`: from now on, this connection hears null in place of paths, and paths that it sends are "
                        + "refused; there is no way back; absent: no change"),
            ],
            whileLocked: .answered,
            result: .fields(DaemonHello.fields), errors: [.notAllowed]),
        MethodSpec(
            "system.status", "The state of the daemon.",
            whileLocked: .answered,
            result: .fields(DaemonStatus.fields)),
        MethodSpec(
            "system.doctor",
            "Looks for anything that may keep people from reaching each other, and says what to do about it. This "
                + "takes seconds, or half a minute with a large database.",
            whileLocked: .answered,
            result: .fields([.required("checks", .results(.object("DoctorCheck")), "in the order they were made")])),
        MethodSpec(
            "system.metrics", "Counters and states in Prometheus's text format, as one string.",
            whileLocked: .answered, result: .text("Prometheus's text format, version 0.0.4")),
        MethodSpec(
            "system.schema", "This interface as an OpenRPC document.", whileLocked: .answered,
            result: .document("OpenRPC 1.2.6")),
        MethodSpec(
            "rpc.discover", "The same, under the name that OpenRPC's tools ask for.", whileLocked: .answered,
            result: .document("OpenRPC 1.2.6")),
        MethodSpec(
            "system.reload",
            "Reads the configuration and the roster again, as SIGHUP does. If they can't be used, the refusal says what is "
                + "wrong and where, and what was in use stays in use.",
            whileLocked: .answered, roles: [.full],
            result: .fields([
                .required(
                    "atNextStart", .results(.label(minimum: 1, maximum: 32)),
                    "the names of values whose change takes effect at the next start")
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
            "account.create", "Creates the account of this daemon and begins to speak on the network.",
            [
                .required(
                    "displayName",
                    .label(minimum: SharedLimits.displayNameMinimum, maximum: SharedLimits.displayNameCharacters),
                    "what others see"),
                .optional(
                    "passphrase", passphrase, "opens the account's keys from now on; absent: none is needed"),
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
            "Changes what others see: everything that is given, or nothing. Friends see it at once, or when they are "
                + "back.",
            [
                .optional(
                    "displayName",
                    .label(minimum: SharedLimits.displayNameMinimum, maximum: SharedLimits.displayNameCharacters),
                    "what others see"),
                .optional(
                    "statusText", .text(.line(SharedLimits.statusTextCharacters)),
                    "a line about yourself; empty for none"),
                .optional(
                    "email", .label(minimum: 0, maximum: SharedLimits.emailBytes), "e-mail address; empty for none"),
                .optional(
                    "phone", .label(minimum: 0, maximum: ProtocolLimits.phoneCharacters),
                    "telephone number with its country code, +49 30 123456; empty for none"),
                .optional(
                    "avatarPath", .emptyOr(.file),
                    "a PNG, JPEG, GIF or WebP of at most 64 MiB and 40 million pixels, cropped to a square; empty for "
                        + "none"),
            ],
            atLeastOne: [["displayName", "statusText", "email", "phone", "avatarPath"]],
            result: .object("Account"),
            errors: [.invalid, .notFound, .notAllowed, .typeNotAllowed, .tooLarge, .noSpace, .unsupported]),
        MethodSpec(
            "account.unlock", "Opens the account's keys and begins to speak on the network.",
            [
                .required("passphrase", passphrase, "the passphrase that opens the keys"),
                .optional(
                    "remember", .boolean, "whether to keep it in a file for the next start; absent: no change"),
            ],
            whileLocked: .answered, result: .object("Account"), errors: [.wrongPassphrase, .busy, .invalid, .noSpace]),
        MethodSpec(
            "account.lock",
            "Says goodbye to everybody, drops the keys, and answers when they are gone. Requests that need keys are "
                + "then refused.",
            whileLocked: .answered, result: .object("Account"), errors: [.notAllowed]),
        MethodSpec(
            "account.changePassphrase",
            "Seals the keys with another passphrase. Whatever happens, either the old or the new one opens them.",
            [
                .optional("old", passphrase, "the present one; absent: there is none"),
                .optional("new", passphrase, "the new one; absent: none"),
            ],
            result: .object("Account"), errors: [.wrongPassphrase, .busy, .invalid, .noSpace]),
        MethodSpec(
            "account.link", "The account as a link and as a QR code, for others to add.",
            whileLocked: .answered,
            result: .fields([
                .required("uri", .token(maximumBytes: 2_048), "kibo:kibo1…?name=…&addr=…"),
                .required("qr", .text(.bytes(16 << 10)), "lines of half blocks, where filled means dark"),
            ])),
    ]
}
