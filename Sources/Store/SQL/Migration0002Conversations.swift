/// Edits, deletions, reactions, read markers, two orders, and an event log that names what changed instead of holding
/// copies of it (docs/decisions/0009).
///
/// - `message.number` is the order of arrival and is never used again: `meta` remembers the greatest one ever given.
/// - Edits and reactions that come before their message wait in `early_edit` and `reaction` under the message's id.
/// - A message that is gone from this disk leaves its id in `removed_message`, so that a repeat doesn't bring it back.
enum Migration0002Conversations {
    static let sql = """
        ALTER TABLE message ADD COLUMN unread INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE message ADD COLUMN edit_time INTEGER;
        UPDATE message SET unread = 1 WHERE state = 5;
        CREATE INDEX message_unread ON message (conversation, hlc, id) WHERE unread = 1;

        ALTER TABLE recipient ADD COLUMN sent_at INTEGER;
        ALTER TABLE recipient ADD COLUMN delivered_at INTEGER;
        ALTER TABLE recipient ADD COLUMN read_at INTEGER;

        -- `message`: the message that the receiver has once it has taken the frame. `about`: what it speaks of.
        ALTER TABLE outbox ADD COLUMN about BLOB;
        ALTER TABLE outbox ADD COLUMN reason TEXT;
        ALTER TABLE outbox ADD COLUMN detail TEXT;
        CREATE INDEX outbox_about ON outbox (about) WHERE about IS NOT NULL;

        DROP INDEX conversation_list;
        CREATE INDEX conversation_list ON conversation (archived, pinned, updated_at, id);

        CREATE TABLE reaction (
            message BLOB NOT NULL, account INTEGER NOT NULL REFERENCES key, emoji TEXT NOT NULL,
            hlc INTEGER NOT NULL, removed INTEGER NOT NULL, at INTEGER NOT NULL,
            -- Its message has not come yet.
            waits INTEGER NOT NULL,
            PRIMARY KEY (message, account, emoji)
        ) WITHOUT ROWID, STRICT;
        CREATE INDEX reaction_waits ON reaction (account, at) WHERE waits = 1;

        CREATE TABLE early_edit (
            message BLOB NOT NULL, account INTEGER NOT NULL REFERENCES key,
            text TEXT NOT NULL, edited_at INTEGER NOT NULL, hlc INTEGER NOT NULL, at INTEGER NOT NULL,
            PRIMARY KEY (message, account)
        ) WITHOUT ROWID, STRICT;

        CREATE INDEX early_edit_account ON early_edit (account);

        CREATE TABLE removed_message (id BLOB PRIMARY KEY, at INTEGER NOT NULL) WITHOUT ROWID, STRICT;
        CREATE INDEX removed_message_at ON removed_message (at);

        -- Of the old log only the number stays that the next event goes on from.
        CREATE TABLE event_now (
            seq INTEGER PRIMARY KEY, at INTEGER NOT NULL, change INTEGER NOT NULL, object BLOB NOT NULL, parent BLOB
        ) STRICT;
        INSERT INTO event_now (seq, at, change, object) SELECT seq, at, 1, x'00' FROM event ORDER BY seq DESC LIMIT 1;
        DROP TABLE event;
        ALTER TABLE event_now RENAME TO event;
        """
}
