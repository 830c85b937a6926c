/// What an old copy of the data must not spoil (docs/decisions/0032-copies-of-the-data.md).
///
/// - `log_draft`: what was written in a group since the start of the daemon, before another member was met there. It
///   gets its place in our chain once the chain's end is known. `about`: the message that it is, or speaks of.
/// - `group_departure`: for a group that we left or were removed from, the entry that says so, kept even when all else
///   of the group is forgotten: a member's old copy must not bring the group back.
enum Migration0019OldCopies {
    static let sql = """
        CREATE TABLE log_draft (
            number INTEGER PRIMARY KEY, chat INTEGER NOT NULL REFERENCES group_chat ON DELETE CASCADE,
            id BLOB NOT NULL, kind INTEGER NOT NULL, about BLOB, hlc INTEGER NOT NULL, at INTEGER NOT NULL,
            content BLOB NOT NULL
        ) STRICT;
        CREATE INDEX log_draft_chat ON log_draft (chat, number);
        CREATE INDEX log_draft_about ON log_draft (about) WHERE about IS NOT NULL;

        CREATE TABLE group_departure (
            number INTEGER PRIMARY KEY, root BLOB NOT NULL UNIQUE CHECK (length(root) = 32), entry BLOB NOT NULL
        ) STRICT;
        """
}
