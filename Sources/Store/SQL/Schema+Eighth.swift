/// The eighth step: what is given to devices with LocalSend.
extension Schema {
    static let eighth = """
        -- What the device with LocalSend calls itself that the note was given to; NULL for every other message.
        ALTER TABLE message ADD COLUMN given_to TEXT;

        -- Devices to which something was given: the SHA-256 of the certificate that they have shown, and what they called
        -- themselves then. Times are milliseconds since 1970 UTC.
        CREATE TABLE guest_device (
            fingerprint BLOB PRIMARY KEY NOT NULL, alias TEXT NOT NULL, first_at INTEGER NOT NULL, last_at INTEGER NOT NULL
        ) WITHOUT ROWID, STRICT;
        """
}
