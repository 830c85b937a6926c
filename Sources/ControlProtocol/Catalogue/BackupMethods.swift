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
            "backup.rotate",
            "Writes a backup with a new name into a folder, reads it back, and then removes the older ones there that this "
                + "host has made of this account in this way. The account's recovery code opens it and nothing else does, so no "
                + "passphrase is needed, and it is made while the account is locked, too.",
            [
                .required("directory", .path, "the folder, which must be there"),
                .required(
                    "keep", .integer(1...Int64(ProtocolLimits.keptBackups)),
                    "how many stay, the new one among them"),
            ],
            whileLocked: .answered, roles: [.full],
            result: .fields([
                .required("backup", .object("Backup"), "the new one"),
                .required("removed", .count, "how many older ones are gone"),
            ]), errors: [.busy, .alreadyExists, .notFound, .noSpace, .invalid, .cancelled]),
        MethodSpec(
            "backup.status",
            "How the backups of this account are: the last one, whether one is due, and one that goes on.",
            whileLocked: .answered, result: .object("BackupStatus")),
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
