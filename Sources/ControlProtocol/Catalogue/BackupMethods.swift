extension Catalogue {
    private static let path = FieldSpec.required("path", .path, "the file")
    private static let secret = ValueType.text(.bytes(ProtocolLimits.passphraseBytes))
    private static let opening: [FieldSpec] = [
        path,
        .required(
            "passphrase", secret,
            "the backup's passphrase, or its account's recovery code as somebody has typed it"),
    ]

    static let backupMethods: [MethodSpec] = [
        MethodSpec(
            "backup.create",
            "Writes everything but received files into one file that the passphrase and the account's recovery code open, reads it "
                + "back, and puts it in the place of an earlier backup of that name. Whoever has file and passphrase can act as "
                + "this account.",
            [path, .required("passphrase", secret, "one of the backup's own; no recovery code")], roles: [.full],
            result: .object("Backup"),
            errors: [.busy, .alreadyExists, .notFound, .noSpace, .invalid, .cancelled]),
        MethodSpec(
            "backup.check", "Opens a backup, reads all of it, and says what is in it and whether it is whole.",
            opening, whileLocked: .answered, roles: [.full], result: .object("Backup"),
            errors: [.busy, .wrongPassphrase, .notFound, .unsupported, .invalid, .cancelled]),
        MethodSpec(
            "backup.restore",
            "Takes a backup into a daemon without an account, whole or not at all, as a new device of its account. The daemon "
                + "starts again after the reply. The device that made the backup must not run any more.",
            opening + [
                .optional(
                    "evenIfCut", .boolean, "take what stands before the place where the file is damaged or cut",
                    standard: false)
            ],
            whileLocked: .answered, roles: [.full], result: .object("Backup"),
            errors: [
                .alreadyExists, .busy, .wrongPassphrase, .notFound, .unsupported, .invalid, .noSpace, .cancelled,
            ]),
    ]
}
