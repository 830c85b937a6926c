import Vocabulary

extension Catalogue {
    private static let code = ValueType.text(.bytes(ProtocolLimits.recoveryCodeBytes))

    static let recoveryMethods: [MethodSpec] = [
        MethodSpec(
            "recovery.code",
            "The account's key as text, to be written down: anyone who has it has the account. The daemon notes that it was "
                + "shown.",
            [
                .optional(
                    "passphrase", .text(.bytes(ProtocolLimits.passphraseBytes)),
                    "the account's; absent: it has none")
            ],
            roles: [.full],
            result: .fields([
                .required("code", .token(maximumBytes: 128), "kiborecover1…, in lower case and without spaces"),
                .required(
                    "qr", .text(.bytes(16 << 10)),
                    "the same in upper case as a QR code: lines of half blocks; what is filled is dark"),
            ]), errors: [.wrongPassphrase, .busy, .invalid]),
        MethodSpec(
            "recovery.check",
            "Whether a text is the recovery code of this account. Nothing is kept of it.",
            [.required("code", code, "as somebody has typed it, with any spaces and in any case")],
            whileLocked: .answered, roles: [.full],
            result: .fields([
                .required("result", .choice(of: RecoveryCheck.self), "what the text is"),
                .required(
                    "places", .results(.integer(1...Int64(ProtocolLimits.recoveryCodeBytes))),
                    "the characters that are probably wrong, counted without spaces; empty if that is not known"),
            ])),
        MethodSpec(
            "account.recover",
            "Makes the account of a recovery code on a daemon that has none, with a new device. For 30 days what friends "
                + "send who are not known here waits on their side, and they show up as requests.",
            [
                .required("code", code, "as somebody has typed it, with any spaces and in any case"),
                .required(
                    "displayName",
                    .label(minimum: SharedLimits.displayNameMinimum, maximum: SharedLimits.displayNameCharacters),
                    "what others see"),
            ],
            whileLocked: .answered, roles: [.full], result: .object("Account"),
            errors: [.alreadyExists, .invalid, .noSpace, .busy]),
    ]
}

/// What a text is that somebody holds for the recovery code of this account.
public enum RecoveryCheck: String, Hashable, Sendable, CaseIterable {
    case right
    /// A code that is whole, of another account.
    case other
    /// A code with wrong characters, or with one too many or too few.
    case damaged
    /// Something else.
    case none
}
