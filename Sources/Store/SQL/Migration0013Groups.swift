/// Groups (docs/PROTOCOL-GROUPS.md). PeerProtocol gives the entries their meaning; these tables keep and find them.
///
/// - `group_chat`: one row for each group, as the entries that are here make it. `logo` is the digest of the avatar
///   that the entries name, `avatar` that of the one that lies here. `state`: 0 arriving, 1 member, 2 left, 3 removed,
///   4 its rows are being removed. Its conversation is the one whose `group_id` is its `id`.
/// - `group_entry`: the membership graph, in an order in which parents come first.
/// - `group_member`, `group_device`: the last state of the graph. Former members stay with `present` = 0, because old
///   messages still name them.
/// - `log_entry`: the message log. `about` is the message that an entry is, or speaks of; to forget a message, the
///   content of these entries is dropped. `state`: 0 held until what it builds on is here, 1 delivered. `size`: bytes
///   as it came. `delivered`: its number in the order of delivery here. `is_end`: delivered, and no delivered entry of
///   its chain follows it; `is_edge`: no delivered entry at all refers to it. `is_unwanted`: its content was dropped on
///   purpose.
/// - `log_wait`: what a held entry waits for, a log entry with its place or (without place) a membership entry.
///   `log_absent`: entries that delivered ones refer to and that were not delivered. `log_fork`: proofs that a device
///   has signed two entries for one place.
/// - `outbox.shared`: the body is in another table, because all members get the same one; `outbox.chat`: the group that
///   an item belongs to.
enum Migration0013Groups {
    static let sql = """
        CREATE TABLE group_chat (
            number INTEGER PRIMARY KEY AUTOINCREMENT, id BLOB NOT NULL UNIQUE,
            root BLOB NOT NULL UNIQUE CHECK (length(root) = 32),
            name TEXT NOT NULL, description TEXT NOT NULL, logo BLOB, avatar BLOB, history INTEGER NOT NULL,
            heads BLOB NOT NULL, entries INTEGER NOT NULL, own_role INTEGER, state INTEGER NOT NULL,
            added_by INTEGER REFERENCES key, created_at INTEGER NOT NULL
        ) STRICT;

        CREATE TABLE group_member (
            chat INTEGER NOT NULL REFERENCES group_chat ON DELETE CASCADE, account INTEGER NOT NULL REFERENCES key,
            role INTEGER NOT NULL, name TEXT NOT NULL, added_by INTEGER NOT NULL REFERENCES key,
            joined_at INTEGER NOT NULL, present INTEGER NOT NULL,
            PRIMARY KEY (chat, account)
        ) WITHOUT ROWID, STRICT;
        CREATE INDEX group_member_account ON group_member (account, chat) WHERE present = 1;

        CREATE TABLE group_device (
            chat INTEGER NOT NULL REFERENCES group_chat ON DELETE CASCADE, device INTEGER NOT NULL REFERENCES key,
            account INTEGER NOT NULL REFERENCES key,
            PRIMARY KEY (chat, device)
        ) WITHOUT ROWID, STRICT;

        CREATE TABLE group_entry (
            number INTEGER PRIMARY KEY, chat INTEGER NOT NULL REFERENCES group_chat ON DELETE CASCADE,
            hash BLOB NOT NULL CHECK (length(hash) = 32), bytes BLOB NOT NULL
        ) STRICT;
        CREATE UNIQUE INDEX group_entry_hash ON group_entry (chat, hash);

        CREATE TABLE log_entry (
            number INTEGER PRIMARY KEY, chat INTEGER NOT NULL REFERENCES group_chat ON DELETE CASCADE,
            device INTEGER NOT NULL REFERENCES key, sequence INTEGER NOT NULL,
            hash BLOB NOT NULL CHECK (length(hash) = 32), id BLOB NOT NULL, kind INTEGER NOT NULL, about BLOB,
            state INTEGER NOT NULL, size INTEGER NOT NULL, hlc INTEGER NOT NULL, came_at INTEGER NOT NULL,
            delivered INTEGER,
            is_end INTEGER NOT NULL DEFAULT 0, is_edge INTEGER NOT NULL DEFAULT 0,
            is_unwanted INTEGER NOT NULL DEFAULT 0,
            header BLOB NOT NULL, signature BLOB NOT NULL, content BLOB
        ) STRICT;
        CREATE UNIQUE INDEX log_entry_hash ON log_entry (chat, hash);
        CREATE INDEX log_entry_place ON log_entry (chat, device, sequence);
        CREATE INDEX log_entry_id ON log_entry (id);
        CREATE INDEX log_entry_about ON log_entry (about) WHERE about IS NOT NULL;
        CREATE INDEX log_entry_held ON log_entry (chat, came_at) WHERE state = 0;

        CREATE UNIQUE INDEX log_entry_delivered ON log_entry (chat, delivered) WHERE delivered IS NOT NULL;
        CREATE INDEX log_entry_lacking ON log_entry (chat, delivered) WHERE content IS NULL AND is_unwanted = 0;
        CREATE INDEX log_entry_end ON log_entry (chat) WHERE is_end = 1;
        CREATE INDEX log_entry_edge ON log_entry (chat) WHERE is_edge = 1;

        CREATE TABLE log_wait (
            chat INTEGER NOT NULL REFERENCES group_chat ON DELETE CASCADE, hash BLOB NOT NULL,
            entry INTEGER NOT NULL REFERENCES log_entry ON DELETE CASCADE,
            device INTEGER REFERENCES key, sequence INTEGER,
            PRIMARY KEY (chat, hash, entry)
        ) WITHOUT ROWID, STRICT;
        CREATE INDEX log_wait_entry ON log_wait (entry);
        CREATE INDEX log_wait_place ON log_wait (chat, device, sequence) WHERE device IS NOT NULL;

        CREATE TABLE log_absent (
            number INTEGER PRIMARY KEY, chat INTEGER NOT NULL REFERENCES group_chat ON DELETE CASCADE,
            hash BLOB NOT NULL, device INTEGER NOT NULL REFERENCES key, sequence INTEGER NOT NULL,
            -- One of its own chain refers to it.
            in_chain INTEGER NOT NULL,
            UNIQUE (chat, hash)
        ) STRICT;

        CREATE TABLE log_fork (
            chat INTEGER NOT NULL REFERENCES group_chat ON DELETE CASCADE, device INTEGER NOT NULL REFERENCES key,
            sequence INTEGER NOT NULL, one BLOB NOT NULL, other BLOB NOT NULL, at INTEGER NOT NULL,
            PRIMARY KEY (chat, device, sequence)
        ) WITHOUT ROWID, STRICT;

        CREATE TABLE outbox_body (number INTEGER PRIMARY KEY, bytes BLOB NOT NULL) STRICT;
        ALTER TABLE outbox ADD COLUMN shared INTEGER REFERENCES outbox_body;
        ALTER TABLE outbox ADD COLUMN chat INTEGER REFERENCES group_chat ON DELETE CASCADE;
        CREATE INDEX outbox_shared ON outbox (shared) WHERE shared IS NOT NULL;
        CREATE INDEX outbox_chat ON outbox (chat, account) WHERE chat IS NOT NULL;
        -- The last item takes the body with it, by whatever way it goes.
        CREATE TRIGGER outbox_body_unused AFTER DELETE ON outbox WHEN old.shared IS NOT NULL BEGIN
            DELETE FROM outbox_body WHERE number = old.shared
                AND NOT EXISTS (SELECT 1 FROM outbox WHERE shared = old.shared);
        END;
        """
}
