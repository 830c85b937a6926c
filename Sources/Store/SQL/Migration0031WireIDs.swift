/// Ids that peers make belong to the account that has made them (docs/decisions/0074-ids-of-accounts.md).
///
/// - `message.wire`, `transfer.wire`: the id that its author has given it; NULL if that is `id`, as it nearly always is. `id` is
///   another one where an object of another account had it first.
/// - `removed_message.account`: whose message it was; NULL in older rows, which stand for every account, and of Kibo's own lines.
/// - `early_reaction`: reactions whose message has not come yet. `message` is an id on the wire, `author` the account that the
///   reaction names as its author, 0 for none, and `chat` the group in which the reaction was said, 0 for a conversation between
///   two. They were rows of `reaction` with `waits` = 1 before, and no one knows where they were said.
///
/// It rewrites no row of a large table: it reads each table once for each new index.
enum Migration0031WireIDs {
    static let sql = """
        ALTER TABLE message ADD COLUMN wire BLOB;
        CREATE INDEX message_wire ON message (wire, sender) WHERE wire IS NOT NULL;
        ALTER TABLE transfer ADD COLUMN wire BLOB;
        CREATE INDEX transfer_wire ON transfer (wire, peer) WHERE wire IS NOT NULL;
        ALTER TABLE removed_message ADD COLUMN account INTEGER REFERENCES key;
        ALTER TABLE removed_message ADD COLUMN wire BLOB;
        CREATE INDEX removed_message_wire ON removed_message (wire, account) WHERE wire IS NOT NULL;

        CREATE TABLE early_reaction (
            message BLOB NOT NULL, account INTEGER NOT NULL REFERENCES key, emoji TEXT NOT NULL,
            chat INTEGER NOT NULL, author INTEGER NOT NULL,
            hlc INTEGER NOT NULL, removed INTEGER NOT NULL, at INTEGER NOT NULL,
            PRIMARY KEY (message, account, emoji, chat, author)
        ) WITHOUT ROWID, STRICT;
        CREATE INDEX early_reaction_account ON early_reaction (account, at);
        INSERT INTO early_reaction (message, account, emoji, chat, author, hlc, removed, at)
        SELECT message, account, emoji, 0, 0, hlc, removed, at FROM reaction WHERE waits = 1
        UNION ALL
        SELECT r.message, r.account, r.emoji, gm.chat, 0, r.hlc, r.removed, r.at
        FROM reaction AS r JOIN group_member AS gm ON gm.account = r.account AND gm.present = 1 WHERE r.waits = 1;
        DELETE FROM reaction WHERE waits = 1;
        DROP INDEX reaction_waits;
        """
}
