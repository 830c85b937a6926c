/// The first schema.
///
/// - Accounts and devices (32 bytes each) are rows of `key`; other tables name them by number, which saves a hundred
///   bytes per message and makes every index small. The numbers never leave the database.
/// - Identifiers that peers make (UUIDv7) are unique blobs; inside, small integers point from table to table. UUIDv7
///   grow with time, so that all insertions go to the right edge of each tree.
/// - Times are milliseconds since 1970 UTC; `hlc` is a hybrid time as an integer.
/// - Enumerations are the numbers of the Swift enumerations; a new value is no migration.
enum Migration0001Foundation {
    static let sql = """
        CREATE TABLE meta (name TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID, STRICT;
        CREATE TABLE setting (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID, STRICT;

        CREATE TABLE key (number INTEGER PRIMARY KEY, bytes BLOB NOT NULL UNIQUE CHECK (length(bytes) = 32)) STRICT;

        CREATE TABLE account (
            one INTEGER PRIMARY KEY CHECK (one = 1),
            account INTEGER NOT NULL REFERENCES key, device INTEGER NOT NULL REFERENCES key,
            device_name TEXT NOT NULL, display_name TEXT NOT NULL, status_text TEXT NOT NULL,
            email TEXT, phone TEXT, card_version INTEGER NOT NULL, created_at INTEGER NOT NULL
        ) STRICT;

        CREATE TABLE device (
            device INTEGER PRIMARY KEY REFERENCES key, account INTEGER NOT NULL REFERENCES key,
            last_seen INTEGER NOT NULL, address TEXT
        ) STRICT;
        CREATE INDEX device_account ON device (account);

        CREATE TABLE contact (
            account INTEGER PRIMARY KEY REFERENCES key, device INTEGER REFERENCES key,
            display_name TEXT NOT NULL, alias TEXT NOT NULL, status_text TEXT NOT NULL, email TEXT, phone TEXT,
            relation INTEGER NOT NULL, trust INTEGER NOT NULL, note TEXT NOT NULL,
            last_seen INTEGER, last_address TEXT, card BLOB, card_version INTEGER NOT NULL, created_at INTEGER NOT NULL
        ) STRICT;

        CREATE TABLE conversation (
            number INTEGER PRIMARY KEY AUTOINCREMENT, id BLOB NOT NULL UNIQUE, kind INTEGER NOT NULL,
            contact INTEGER UNIQUE REFERENCES key, group_id BLOB UNIQUE, title TEXT NOT NULL,
            unread INTEGER NOT NULL DEFAULT 0, last_message INTEGER, last_hlc INTEGER NOT NULL DEFAULT 0,
            pinned INTEGER NOT NULL DEFAULT 0, archived INTEGER NOT NULL DEFAULT 0, muted INTEGER NOT NULL DEFAULT 0,
            updated_at INTEGER NOT NULL
        ) STRICT;
        CREATE INDEX conversation_list ON conversation (archived, updated_at, id);

        -- Row numbers are the order of arrival.
        CREATE TABLE message (
            number INTEGER PRIMARY KEY, id BLOB NOT NULL UNIQUE,
            conversation INTEGER NOT NULL REFERENCES conversation ON DELETE CASCADE,
            sender INTEGER NOT NULL REFERENCES key, device INTEGER NOT NULL REFERENCES key,
            kind INTEGER NOT NULL, state INTEGER NOT NULL,
            sent_at INTEGER NOT NULL, received_at INTEGER NOT NULL, hlc INTEGER NOT NULL,
            reply_to BLOB, edited_at INTEGER, deleted INTEGER NOT NULL DEFAULT 0,
            reason TEXT, detail TEXT, text TEXT NOT NULL
        ) STRICT;
        CREATE UNIQUE INDEX message_position ON message (conversation, hlc, id);

        CREATE TABLE recipient (
            message INTEGER NOT NULL REFERENCES message ON DELETE CASCADE, account INTEGER NOT NULL REFERENCES key,
            state INTEGER NOT NULL, at INTEGER NOT NULL, reason TEXT,
            PRIMARY KEY (message, account)
        ) WITHOUT ROWID, STRICT;

        -- Numbers are handed out by the store and grow over its whole life, so that a cursor misses nothing.
        CREATE TABLE outbox (
            seq INTEGER PRIMARY KEY, account INTEGER NOT NULL REFERENCES key, id BLOB NOT NULL, kind INTEGER NOT NULL,
            message INTEGER REFERENCES message ON DELETE CASCADE, created_at INTEGER NOT NULL,
            attempts INTEGER NOT NULL DEFAULT 0, last_attempt INTEGER, body BLOB NOT NULL
        ) STRICT;
        CREATE INDEX outbox_order ON outbox (account, seq);
        CREATE UNIQUE INDEX outbox_item ON outbox (id, account);
        CREATE INDEX outbox_message ON outbox (message) WHERE message IS NOT NULL;

        CREATE TABLE send_key (
            name TEXT PRIMARY KEY, message INTEGER NOT NULL REFERENCES message ON DELETE CASCADE
        ) WITHOUT ROWID, STRICT;
        CREATE INDEX send_key_message ON send_key (message);

        CREATE TABLE transfer (
            number INTEGER PRIMARY KEY, id BLOB NOT NULL UNIQUE, direction INTEGER NOT NULL,
            peer INTEGER NOT NULL REFERENCES key,
            conversation INTEGER REFERENCES conversation ON DELETE SET NULL,
            message INTEGER REFERENCES message ON DELETE SET NULL,
            name TEXT NOT NULL, size INTEGER NOT NULL, bytes_done INTEGER NOT NULL,
            files INTEGER NOT NULL, files_done INTEGER NOT NULL, state INTEGER NOT NULL, reason TEXT, detail TEXT,
            path TEXT, kind INTEGER NOT NULL, media_type TEXT NOT NULL,
            created_at INTEGER NOT NULL, finished_at INTEGER, part_path TEXT,
            final_dev INTEGER, final_ino INTEGER, manifest_digest BLOB
        ) STRICT;
        CREATE INDEX transfer_message ON transfer (message) WHERE message IS NOT NULL;
        CREATE INDEX transfer_conversation ON transfer (conversation) WHERE conversation IS NOT NULL;
        CREATE INDEX transfer_list ON transfer (created_at, id);
        CREATE INDEX transfer_open ON transfer (state) WHERE state < 4;

        CREATE TABLE transfer_entry (
            transfer INTEGER NOT NULL REFERENCES transfer ON DELETE CASCADE, position INTEGER NOT NULL,
            path TEXT NOT NULL, size INTEGER NOT NULL, mode INTEGER NOT NULL, mtime INTEGER NOT NULL,
            kind INTEGER NOT NULL, source_dev INTEGER, source_ino INTEGER, source_ctime INTEGER,
            checksum BLOB, done INTEGER NOT NULL DEFAULT 0,
            PRIMARY KEY (transfer, position)
        ) WITHOUT ROWID, STRICT;

        CREATE TABLE transfer_chunk (
            transfer INTEGER NOT NULL REFERENCES transfer ON DELETE CASCADE, file INTEGER NOT NULL,
            first INTEGER NOT NULL, checksums BLOB NOT NULL,
            PRIMARY KEY (transfer, file, first)
        ) WITHOUT ROWID, STRICT;

        CREATE TABLE event (
            seq INTEGER PRIMARY KEY, at INTEGER NOT NULL, type TEXT NOT NULL, change INTEGER NOT NULL,
            data BLOB NOT NULL
        ) STRICT;
        CREATE TABLE consumer (name TEXT PRIMARY KEY, acknowledged INTEGER NOT NULL) WITHOUT ROWID, STRICT;
        """
}
