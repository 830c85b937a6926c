/// The age of things, whatever the wall clock shows (docs/decisions/0030-age.md).
///
/// - `trusted_clock`: Basics' TrustedClock, as it was last stored; `absences` are pairs of big-endian integers.
/// - `message.first_seen`: the stamp of that clock under which a message was stored; null if `received_at` is the
///   stamp.
/// - `transfer_idle`: for a received file or a waiting part, the times (by any clock) that show its use, and the stamp
///   at which they were last seen to change.
/// - The times in `removed_message`, `early_edit` and in waiting rows of `reaction` are such stamps from now on.
enum Migration0017TrustedClock {
    static let sql = """
        CREATE TABLE trusted_clock (
            one INTEGER PRIMARY KEY CHECK (one = 1), seen INTEGER NOT NULL, estimate INTEGER NOT NULL,
            agreed INTEGER NOT NULL, absences BLOB NOT NULL
        ) STRICT;
        ALTER TABLE message ADD COLUMN first_seen INTEGER;
        CREATE TABLE transfer_idle (
            transfer INTEGER PRIMARY KEY REFERENCES transfer ON DELETE CASCADE,
            mark INTEGER NOT NULL, since INTEGER NOT NULL
        ) STRICT;
        """
}
