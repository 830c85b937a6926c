extension Catalogue {
    private static let path = FieldSpec.required("path", .path, "the file")
    private static let secret = ValueType.text(.bytes(ProtocolLimits.passphraseBytes))
    private static let opening: [FieldSpec] = [
        path,
        .required(
            "passphrase", secret,
            "the backup's passphrase, or its account's recovery code as the user typed it"),
    ]

    static let backupMethods: [MethodSpec] = [
        MethodSpec(
            "backup.create",
            "Writes everything except received files into one file, which opens with the passphrase or with the "
                + "account's recovery code. Reads it back, then replaces an earlier backup of that name. Anyone with "
                + "the file and the passphrase can act as this account.",
            [path, .required("passphrase", secret, "a passphrase for this backup, not a recovery code")],
            roles: [.full],
            result: .object("Backup"),
            errors: [.busy, .alreadyExists, .notFound, .noSpace, .invalid, .cancelled]),
        MethodSpec(
            "backup.rotate",
            "Writes a backup under a new name into a folder, reads it back, and then removes older ones there that "
                + "this host made of this account with this method. Only the account's recovery code opens the backup, "
                + "so no passphrase is needed, and it works while the account is locked, too.",
            [
                .required("directory", .path, "the folder, which must exist"),
                .required(
                    "keep", .integer(1...Int64(ProtocolLimits.keptBackups)),
                    "how many backups to keep, including the new one"),
            ],
            whileLocked: .answered, roles: [.full],
            result: .fields([
                .required("backup", .object("Backup"), "the new one"),
                .required("removed", .count, "how many older ones were removed"),
            ]), errors: [.busy, .alreadyExists, .notFound, .noSpace, .invalid, .cancelled]),
        MethodSpec(
            "backup.status",
            "The state of this account's backups: the last one, whether one is due, and whether one is being made.",
            whileLocked: .answered, result: .object("BackupStatus")),
        MethodSpec(
            "backup.check", "Opens a backup, reads all of it, and says what it contains and whether it is complete.",
            opening, whileLocked: .answered, roles: [.full], result: .object("Backup"),
            errors: [.busy, .wrongPassphrase, .notFound, .unsupported, .invalid, .cancelled]),
        MethodSpec(
            "backup.restore",
            "Restores a backup on a daemon without an account, all at once or not at all, as a new device of the "
                + "backup's account. The daemon restarts after the reply. The device that made the backup must not run "
                + "any more.",
            opening + [
                .optional(
                    "evenIfCut", .boolean, "if the file is damaged or cut off, restore what comes before that place",
                    standard: false)
            ],
            whileLocked: .answered, roles: [.full], result: .object("Backup"),
            errors: [
                .alreadyExists, .busy, .wrongPassphrase, .notFound, .unsupported, .invalid, .noSpace, .cancelled,
            ]),
    ]
}
