import Vocabulary

extension Catalogue {
    private static let code = ValueType.text(.bytes(ProtocolLimits.recoveryCodeBytes))

    static let recoveryMethods: [MethodSpec] = [
        MethodSpec(
            "recovery.code",
            "The account's key as text, for the user to write down. Anyone who has it has the account. The daemon "
                + "remembers that it was shown.",
            [
                .optional(
                    "passphrase", .text(.bytes(ProtocolLimits.passphraseBytes)),
                    "the account's passphrase; absent: it has none")
            ],
            roles: [.full],
            result: .fields([
                .required("code", .token(maximumBytes: 128), "kiborecover1…, in lower case and without spaces"),
                .required(
                    "qr", .text(.bytes(16 << 10)),
                    "the same in upper case as a QR code: lines of half blocks, where filled means dark"),
            ]), errors: [.wrongPassphrase, .busy, .invalid]),
        MethodSpec(
            "recovery.check",
            "Checks whether a text is the recovery code of this account. The text is not kept.",
            [.required("code", code, "as the user typed it, with any spaces and in any case")],
            whileLocked: .answered, roles: [.full],
            result: .fields([
                .required("result", .choice(of: RecoveryCheck.self), "what the text is"),
                .required(
                    "places", .results(.integer(1...Int64(ProtocolLimits.recoveryCodeBytes))),
                    "the characters that are probably wrong, counted without spaces; empty if that is not known"),
            ])),
        MethodSpec(
            "account.recover",
            "Restores an account from its recovery code, as a new device, on a daemon that has no account. For 30 "
                + "days, friends who aren't known here show up as requests, and what they send waits on their side.",
            [
                .required("code", code, "as the user typed it, with any spaces and in any case"),
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
