/// The first schema: version 1 of the database. A release that changes it appends a step to ``Migrations/all``.
///
/// - Accounts and devices (32 bytes each) are rows of `key`; other tables name them by number, which saves a hundred
///   bytes per message and makes every index small. The numbers never leave the database.
/// - Identifiers that peers make (UUIDv7) are unique blobs; inside, small integers point from table to table. UUIDv7
///   grow with time, so that all insertions go to the right edge of each tree.
/// - Times are milliseconds since 1970 UTC; `hlc` is a hybrid time as an integer. A *stamp* is a time of the trusted
///   clock, by which things age.
/// - Enumerations are the numbers of the Swift enumerations; a new value is no migration.
///
/// Comments stand before their tables, where SQLite doesn't store them.
enum Schema {
    static let sql = [
        basics, people, conversations, outbox, groups, transfers, events, addressBook, search,
    ].joined(separator: "\n")

    /// Counters, settings, the account and its clock.
    private static let basics = """
        -- Counters: of the search indexes, of assets, of what is never to be used again.
        CREATE TABLE meta (name TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID, STRICT;

        CREATE TABLE key (number INTEGER PRIMARY KEY, bytes BLOB NOT NULL UNIQUE CHECK (length(bytes) = 32)) STRICT;

        -- `avatar`, here and for contacts: the BLAKE2b-256 digest of an avatar; the file lies in the data directory
        -- under that name. `presence`: the user's last statement, 0 online or 1 away.
        CREATE TABLE account (
            one INTEGER PRIMARY KEY CHECK (one = 1),
            account INTEGER NOT NULL REFERENCES key, device INTEGER NOT NULL REFERENCES key,
            device_name TEXT NOT NULL, display_name TEXT NOT NULL, status_text TEXT NOT NULL,
            email TEXT, phone TEXT, avatar BLOB, presence INTEGER NOT NULL DEFAULT 0,
            card_version INTEGER NOT NULL, created_at INTEGER NOT NULL
        ) STRICT;

        -- A setting at the default of the program is in neither table. `host_setting`: the values that the host's
        -- configuration gives (docs/decisions/0063-fleet.md), as they were when the daemon read its file last. A
        -- default counts while the user has not set anything; a forced value counts before what the user has set.
        CREATE TABLE setting (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID, STRICT;
        CREATE TABLE host_setting (
            name TEXT PRIMARY KEY, value TEXT NOT NULL, forced INTEGER NOT NULL
        ) WITHOUT ROWID, STRICT;
        -- The values that count.
        CREATE VIEW setting_in_force (name, value) AS
            SELECT name, value FROM host_setting WHERE forced = 1
            UNION ALL
            SELECT s.name, s.value FROM setting AS s
            WHERE NOT EXISTS (SELECT 1 FROM host_setting AS h WHERE h.name = s.name AND h.forced = 1)
            UNION ALL
            SELECT h.name, h.value FROM host_setting AS h
            WHERE h.forced = 0 AND NOT EXISTS (SELECT 1 FROM setting AS s WHERE s.name = h.name);

        -- The roster of each signer that was acted upon last (docs/decisions/0063-fleet.md). Only a newer one takes its
        -- place. `version`: milliseconds since 1970, as the signer has signed them. `text`: the file with its
        -- signature. It counts where the host's file is an older one.
        CREATE TABLE roster (
            signer BLOB PRIMARY KEY NOT NULL, version INTEGER NOT NULL, text BLOB NOT NULL, came_at INTEGER NOT NULL
        ) STRICT;

        -- Basics' TrustedClock, as it was last stored (docs/decisions/0030-age.md); `absences` are pairs of big-endian
        -- integers.
        CREATE TABLE trusted_clock (
            one INTEGER PRIMARY KEY CHECK (one = 1), seen INTEGER NOT NULL, estimate INTEGER NOT NULL,
            agreed INTEGER NOT NULL, absences BLOB NOT NULL
        ) STRICT;

        -- Bytes that are shown with an object and can be done without, such as previews. `used` grows with every use:
        -- the row with the smallest goes first when there are too many bytes. The database itself keeps the sum of the
        -- bytes, so that no code can forget it.
        CREATE TABLE asset (
            number INTEGER PRIMARY KEY, id BLOB NOT NULL UNIQUE, used INTEGER NOT NULL, bytes BLOB NOT NULL
        ) STRICT;
        CREATE INDEX asset_use ON asset (used);
        INSERT INTO meta (name, value) VALUES ('asset_bytes', 0);
        CREATE TRIGGER asset_added AFTER INSERT ON asset BEGIN
            UPDATE meta SET value = value + length(new.bytes) WHERE name = 'asset_bytes';
        END;
        CREATE TRIGGER asset_removed AFTER DELETE ON asset BEGIN
            UPDATE meta SET value = value - length(old.bytes) WHERE name = 'asset_bytes';
        END;
        """

    /// Who they are, where they were seen, and how a friendship came about.
    private static let people = """
        CREATE TABLE device (
            device INTEGER PRIMARY KEY REFERENCES key, account INTEGER NOT NULL REFERENCES key,
            last_seen INTEGER NOT NULL, address TEXT
        ) STRICT;
        CREATE INDEX device_account ON device (account);

        -- `avatar`: the one that is here; the one that the card names may not have come yet. `auto_download`: 0 as the
        -- settings say, 1 never, 2 always. `named_at`: since when the contact has its name, which tells which of two
        -- took the other's (docs/decisions/0034). `namesake`: an account that came under this contact's name.
        -- `changed_at`: since when another account answers by the name. `trust_before`: the trust to restore if it is
        -- another person. `said` to `their_request`: the last statements of both sides and their times (PeerProtocol's
        -- ContactMachine), so that frames that are lost, repeated or late do no harm. `asks`, `asks_since`: how often
        -- the contact has asked recently. `refusal`, `refusal_detail`: why our last request failed. `request_source`:
        -- where a request came from (docs/decisions/0071): an IPv4 address, an IPv6 network or a link; NULL where it is
        -- not known. `asker`: where the account stood: 0 faraway, 1 nearby, 2 a member of a common group.
        CREATE TABLE contact (
            account INTEGER PRIMARY KEY REFERENCES key, device INTEGER REFERENCES key,
            display_name TEXT NOT NULL, alias TEXT NOT NULL, status_text TEXT NOT NULL,
            email TEXT, phone TEXT, avatar BLOB,
            relation INTEGER NOT NULL, trust INTEGER NOT NULL, note TEXT NOT NULL,
            auto_download INTEGER NOT NULL DEFAULT 0, last_seen INTEGER, last_address TEXT,
            named_at INTEGER NOT NULL DEFAULT 0, namesake INTEGER REFERENCES key, changed_at INTEGER,
            trust_before INTEGER NOT NULL DEFAULT 0,
            said INTEGER NOT NULL DEFAULT 0, said_at INTEGER NOT NULL DEFAULT 0, heard_at INTEGER NOT NULL DEFAULT 0,
            heard_frame BLOB, own_request BLOB, their_request BLOB,
            asks INTEGER NOT NULL DEFAULT 0, asks_since INTEGER NOT NULL DEFAULT 0,
            refusal TEXT, refusal_detail TEXT, request_source TEXT, asker INTEGER NOT NULL DEFAULT 0,
            card BLOB, card_version INTEGER NOT NULL, created_at INTEGER NOT NULL
        ) STRICT;
        -- With these a stranger's request costs a look at few rows, instead of at all contacts.
        CREATE INDEX contact_namesake ON contact (namesake) WHERE namesake IS NOT NULL;
        CREATE INDEX contact_relation ON contact (relation);

        -- The keys by which contacts recognise each other where strangers can't
        -- (docs/decisions/0026-discovery-modes.md): the contact's shared key with its number, the key that the contact
        -- made for us alone, and the number of our key that the contact reported to have. `discovery_key` in `meta` is
        -- the number of our own shared key, 1 if there is none; the key itself is derived from the device key.
        CREATE TABLE discovery_key (
            contact INTEGER PRIMARY KEY REFERENCES contact ON DELETE CASCADE,
            number INTEGER NOT NULL, shared BLOB NOT NULL CHECK (length(shared) = 32),
            pair BLOB NOT NULL CHECK (length(pair) = 32), held INTEGER NOT NULL
        ) STRICT;

        -- What came unasked from an account, or on its responsibility: bytes of one kind (`UnaskedTally.Kind`) since
        -- the stamp with which its day began. It is written in coarse steps, so it may be a little behind.
        CREATE TABLE unasked (
            account BLOB NOT NULL, kind INTEGER NOT NULL, since INTEGER NOT NULL, bytes INTEGER NOT NULL,
            PRIMARY KEY (account, kind)
        ) WITHOUT ROWID, STRICT;
        """

    /// Messages, what was said about them, and calls.
    private static let conversations = """
        CREATE TABLE conversation (
            number INTEGER PRIMARY KEY AUTOINCREMENT, id BLOB NOT NULL UNIQUE, kind INTEGER NOT NULL,
            contact INTEGER UNIQUE REFERENCES key, group_id BLOB UNIQUE, title TEXT NOT NULL,
            unread INTEGER NOT NULL DEFAULT 0, last_message INTEGER, last_hlc INTEGER NOT NULL DEFAULT 0,
            pinned INTEGER NOT NULL DEFAULT 0, archived INTEGER NOT NULL DEFAULT 0, muted INTEGER NOT NULL DEFAULT 0,
            updated_at INTEGER NOT NULL
        ) STRICT;
        CREATE INDEX conversation_list ON conversation (archived, pinned, updated_at, id);

        -- `number` is the order of arrival and is never used again: `meta` remembers the greatest one ever given.
        -- `wire`, here and for transfers: the id that its author has given it (docs/decisions/0074-ids-of-accounts.md);
        -- NULL if that is `id`, as it nearly always is. `id` is another one where an object of another account had it
        -- first. `first_seen`: the stamp of storing it; NULL if `received_at` is that. `late`: it belongs to a group,
        -- and came only after its author was out (docs/decisions/0036). `call`: what is left of a call
        -- (`CallRecord.stored`).
        CREATE TABLE message (
            number INTEGER PRIMARY KEY, id BLOB NOT NULL UNIQUE, wire BLOB,
            conversation INTEGER NOT NULL REFERENCES conversation ON DELETE CASCADE,
            sender INTEGER NOT NULL REFERENCES key, device INTEGER NOT NULL REFERENCES key,
            kind INTEGER NOT NULL, state INTEGER NOT NULL, unread INTEGER NOT NULL DEFAULT 0,
            sent_at INTEGER NOT NULL, received_at INTEGER NOT NULL, first_seen INTEGER, hlc INTEGER NOT NULL,
            reply_to BLOB, edited_at INTEGER, edit_time INTEGER,
            deleted INTEGER NOT NULL DEFAULT 0, late INTEGER NOT NULL DEFAULT 0,
            reason TEXT, detail TEXT, call TEXT, text TEXT NOT NULL
        ) STRICT;
        CREATE UNIQUE INDEX message_position ON message (conversation, hlc, id);
        CREATE INDEX message_unread ON message (conversation, hlc, id) WHERE unread = 1;
        CREATE INDEX message_wire ON message (wire, sender) WHERE wire IS NOT NULL;
        CREATE INDEX message_call ON message (number) WHERE kind = 2;
        CREATE INDEX message_missed ON message (conversation) WHERE kind = 2 AND unread = 1;

        -- `queued`: the place (`outbox.seq`) of the item that carries the message to this account; NULL if none waits.
        CREATE TABLE recipient (
            message INTEGER NOT NULL REFERENCES message ON DELETE CASCADE, account INTEGER NOT NULL REFERENCES key,
            state INTEGER NOT NULL, at INTEGER NOT NULL, reason TEXT,
            sent_at INTEGER, delivered_at INTEGER, read_at INTEGER, queued INTEGER,
            PRIMARY KEY (message, account)
        ) WITHOUT ROWID, STRICT;

        -- The keys by which a client makes sure that it sends nothing twice.
        CREATE TABLE send_key (
            name TEXT PRIMARY KEY, message INTEGER NOT NULL REFERENCES message ON DELETE CASCADE
        ) WITHOUT ROWID, STRICT;
        CREATE INDEX send_key_message ON send_key (message);

        CREATE TABLE reaction (
            message BLOB NOT NULL, account INTEGER NOT NULL REFERENCES key, emoji TEXT NOT NULL,
            hlc INTEGER NOT NULL, removed INTEGER NOT NULL, at INTEGER NOT NULL,
            PRIMARY KEY (message, account, emoji)
        ) WITHOUT ROWID, STRICT;

        -- Reactions and edits whose message has not come yet; `at` is a stamp. `message` is an id on the wire, `author`
        -- the account that the reaction names as its author, 0 for none, and `chat` the group in which the reaction was
        -- said, 0 for a conversation between two.
        CREATE TABLE early_reaction (
            message BLOB NOT NULL, account INTEGER NOT NULL REFERENCES key, emoji TEXT NOT NULL,
            chat INTEGER NOT NULL, author INTEGER NOT NULL,
            hlc INTEGER NOT NULL, removed INTEGER NOT NULL, at INTEGER NOT NULL,
            PRIMARY KEY (message, account, emoji, chat, author)
        ) WITHOUT ROWID, STRICT;
        CREATE INDEX early_reaction_account ON early_reaction (account, at);
        CREATE TABLE early_edit (
            message BLOB NOT NULL, account INTEGER NOT NULL REFERENCES key,
            text TEXT NOT NULL, edited_at INTEGER NOT NULL, hlc INTEGER NOT NULL, at INTEGER NOT NULL,
            PRIMARY KEY (message, account)
        ) WITHOUT ROWID, STRICT;
        CREATE INDEX early_edit_account ON early_edit (account);

        -- A message that is gone from this disk leaves its id, so that a repeat doesn't bring it back; `at` is a stamp.
        -- `account`: whose message it was; NULL for Kibo's own lines. One of our own that went to others keeps its
        -- conversation and times, so that it can still be deleted for all (docs/decisions/0059).
        CREATE TABLE removed_message (
            id BLOB PRIMARY KEY, wire BLOB, account INTEGER REFERENCES key, at INTEGER NOT NULL,
            conversation BLOB, hlc INTEGER, sent_at INTEGER
        ) WITHOUT ROWID, STRICT;
        CREATE INDEX removed_message_at ON removed_message (at);
        CREATE INDEX removed_message_wire ON removed_message (wire, account) WHERE wire IS NOT NULL;

        -- One row for each call that is not over, or was a moment ago. PeerProtocol gives its bytes their meaning. With
        -- them a daemon that was killed during a call finds the call again.
        CREATE TABLE call_state (id BLOB PRIMARY KEY, bytes BLOB NOT NULL) WITHOUT ROWID, STRICT;
        """

    /// What waits to be sent (docs/decisions/0070-outbox-layout.md): each item is in one tree, and its recipient knows
    /// its place.
    private static let outbox = """
        -- The body of an item that all members of a group get.
        CREATE TABLE outbox_body (number INTEGER PRIMARY KEY, bytes BLOB NOT NULL) STRICT;

        -- `seq` is handed out by the store and grows over its whole life, so that a cursor misses nothing. `id`: NULL
        -- for an item that a recipient knows, whose id is its message's. Only other items need an index to be found by
        -- their ids. `message`: the message that the receiver has once it has taken the frame. `about`: the message of
        -- which the frame speaks. `chat`: the group that the item belongs to. `shared`: its body is in `outbox_body`.
        CREATE TABLE outbox (
            account INTEGER NOT NULL REFERENCES key, seq INTEGER NOT NULL, id BLOB, kind INTEGER NOT NULL,
            message INTEGER, about BLOB,
            chat INTEGER REFERENCES group_chat ON DELETE CASCADE, shared INTEGER REFERENCES outbox_body,
            created_at INTEGER NOT NULL, attempts INTEGER NOT NULL DEFAULT 0, last_attempt INTEGER,
            reason TEXT, detail TEXT, body BLOB NOT NULL,
            CHECK (id IS NOT NULL OR message IS NOT NULL),
            PRIMARY KEY (account, seq)
        ) WITHOUT ROWID, STRICT;
        CREATE UNIQUE INDEX outbox_item ON outbox (id, account) WHERE id IS NOT NULL;
        CREATE INDEX outbox_message ON outbox (message) WHERE id IS NOT NULL AND message IS NOT NULL;
        CREATE INDEX outbox_about ON outbox (about) WHERE about IS NOT NULL;
        CREATE INDEX outbox_shared ON outbox (shared) WHERE shared IS NOT NULL;
        CREATE INDEX outbox_chat ON outbox (chat, account) WHERE chat IS NOT NULL;

        -- The last item takes the body with it, by whatever way it goes.
        CREATE TRIGGER outbox_body_unused AFTER DELETE ON outbox WHEN old.shared IS NOT NULL BEGIN
            DELETE FROM outbox_body WHERE number = old.shared
                AND NOT EXISTS (SELECT 1 FROM outbox WHERE shared = old.shared);
        END;
        -- Whichever of item and recipient goes takes the other one's part with it.
        CREATE TRIGGER outbox_left AFTER DELETE ON outbox WHEN old.id IS NULL BEGIN
            UPDATE recipient SET queued = NULL
                WHERE message = old.message AND account = old.account AND queued = old.seq;
        END;
        CREATE TRIGGER recipient_gone AFTER DELETE ON recipient WHEN old.queued IS NOT NULL BEGIN
            DELETE FROM outbox
                WHERE account = old.account AND seq = old.queued AND id IS NULL AND message = old.message;
        END;
        CREATE TRIGGER message_gone AFTER DELETE ON message BEGIN
            DELETE FROM outbox WHERE message = old.number AND id IS NOT NULL;
        END;
        """

    /// Groups (docs/PROTOCOL-GROUPS.md). PeerProtocol gives the entries their meaning; these tables keep and find them.
    private static let groups = """
        -- One row for each group, as the entries that are here make it. Its conversation is the one whose `group_id` is
        -- its `id`. `logo`: the digest of the avatar that the entries name; `avatar`: that of the one that lies here.
        -- `state`: 0 arriving, 1 member, 2 left, 3 removed, 4 its rows are being removed. `bytes`: those of its
        -- membership entries together. `giver`: the friend that introduced it. `confirmed`: 1 once the user or another
        -- friend has taken part in it; only groups that have a giver are looked at
        -- (docs/decisions/0073-unconfirmed-groups.md).
        CREATE TABLE group_chat (
            number INTEGER PRIMARY KEY AUTOINCREMENT, id BLOB NOT NULL UNIQUE,
            root BLOB NOT NULL UNIQUE CHECK (length(root) = 32),
            name TEXT NOT NULL, description TEXT NOT NULL, logo BLOB, avatar BLOB, history INTEGER NOT NULL,
            heads BLOB NOT NULL, entries INTEGER NOT NULL, bytes INTEGER NOT NULL DEFAULT 0,
            own_role INTEGER, state INTEGER NOT NULL, added_by INTEGER REFERENCES key,
            giver INTEGER REFERENCES key, confirmed INTEGER NOT NULL DEFAULT 0, created_at INTEGER NOT NULL
        ) STRICT;
        CREATE INDEX group_chat_unconfirmed ON group_chat (giver) WHERE confirmed = 0;

        -- The last state of the membership graph. Former members stay with `present` = 0, because old messages still
        -- name them.
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

        -- The membership graph, in an order in which parents come first.
        CREATE TABLE group_entry (
            number INTEGER PRIMARY KEY, chat INTEGER NOT NULL REFERENCES group_chat ON DELETE CASCADE,
            hash BLOB NOT NULL CHECK (length(hash) = 32), bytes BLOB NOT NULL
        ) STRICT;
        CREATE UNIQUE INDEX group_entry_hash ON group_entry (chat, hash);

        -- For a group that we left or were removed from, the entry that says so, kept even when all else of the group
        -- is forgotten: a member's old copy must not bring the group back (docs/decisions/0032-copies-of-the-data.md).
        CREATE TABLE group_departure (
            number INTEGER PRIMARY KEY, root BLOB NOT NULL UNIQUE CHECK (length(root) = 32), entry BLOB NOT NULL
        ) STRICT;

        -- The message log. `about`: the message that an entry is, or speaks of; to forget a message, the content of
        -- these entries is dropped. `state`: 0 held until what it builds on is here, 1 delivered. `size`: bytes as it
        -- came. `delivered`: its number in the order of delivery here. `is_end`: delivered, and no delivered entry of
        -- its chain follows it; `is_edge`: no delivered entry at all refers to it. `is_unwanted`: its content was
        -- dropped on purpose.
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

        -- What a held entry waits for: a log entry with its place, or (without place) a membership entry.
        CREATE TABLE log_wait (
            chat INTEGER NOT NULL REFERENCES group_chat ON DELETE CASCADE, hash BLOB NOT NULL,
            entry INTEGER NOT NULL REFERENCES log_entry ON DELETE CASCADE,
            device INTEGER REFERENCES key, sequence INTEGER,
            PRIMARY KEY (chat, hash, entry)
        ) WITHOUT ROWID, STRICT;
        CREATE INDEX log_wait_entry ON log_wait (entry);
        CREATE INDEX log_wait_place ON log_wait (chat, device, sequence) WHERE device IS NOT NULL;

        -- Entries that delivered ones refer to and that were not delivered. `in_chain`: one of its own chain refers to
        -- it.
        CREATE TABLE log_absent (
            number INTEGER PRIMARY KEY, chat INTEGER NOT NULL REFERENCES group_chat ON DELETE CASCADE,
            hash BLOB NOT NULL, device INTEGER NOT NULL REFERENCES key, sequence INTEGER NOT NULL,
            in_chain INTEGER NOT NULL,
            UNIQUE (chat, hash)
        ) STRICT;

        -- Proofs that a device has signed two entries for one place.
        CREATE TABLE log_fork (
            chat INTEGER NOT NULL REFERENCES group_chat ON DELETE CASCADE, device INTEGER NOT NULL REFERENCES key,
            sequence INTEGER NOT NULL, one BLOB NOT NULL, other BLOB NOT NULL, at INTEGER NOT NULL,
            PRIMARY KEY (chat, device, sequence)
        ) WITHOUT ROWID, STRICT;

        -- What was written in a group since the start of the daemon, before another member was met there: our data may
        -- be an old copy (docs/decisions/0032). It gets its place in our chain once the chain's end is known. `about`:
        -- as in `log_entry`.
        CREATE TABLE log_draft (
            number INTEGER PRIMARY KEY, chat INTEGER NOT NULL REFERENCES group_chat ON DELETE CASCADE,
            id BLOB NOT NULL, kind INTEGER NOT NULL, about BLOB, hlc INTEGER NOT NULL, at INTEGER NOT NULL,
            content BLOB NOT NULL
        ) STRICT;
        CREATE INDEX log_draft_chat ON log_draft (chat, number);
        CREATE INDEX log_draft_about ON log_draft (about) WHERE about IS NOT NULL;
        """

    /// Files and folders on their way, and what is left of them on the disk.
    private static let transfers = """
        -- `duration`: that of audio in milliseconds, as the sender claims. `paused_by`: 1 us, 2 the peer. `partial`: a
        -- part may lie on the disk. `final_mtime` with `final_ino`: the data by which a finished file is recognised;
        -- without them it is never removed. `problems`: how many files were left out. `unlisted`: the types that the
        -- offer names and that are not on the receiver's list, with commas between them and one behind the last; an
        -- empty one means files without a type. `held_back`: 1 the receiver holds the offer back because of them.
        CREATE TABLE transfer (
            number INTEGER PRIMARY KEY, id BLOB NOT NULL UNIQUE, wire BLOB, direction INTEGER NOT NULL,
            peer INTEGER NOT NULL REFERENCES key,
            conversation INTEGER REFERENCES conversation ON DELETE SET NULL,
            message INTEGER REFERENCES message ON DELETE SET NULL,
            name TEXT NOT NULL, kind INTEGER NOT NULL, media_type TEXT NOT NULL, duration INTEGER, unlisted TEXT,
            size INTEGER NOT NULL, bytes_done INTEGER NOT NULL, files INTEGER NOT NULL, files_done INTEGER NOT NULL,
            problems INTEGER NOT NULL DEFAULT 0,
            state INTEGER NOT NULL, paused_by INTEGER NOT NULL DEFAULT 0, held_back INTEGER NOT NULL DEFAULT 0,
            reason TEXT, detail TEXT, failure TEXT,
            created_at INTEGER NOT NULL, accepted_at INTEGER, last_progress_at INTEGER, finished_at INTEGER,
            removed_at INTEGER,
            path TEXT, partial INTEGER NOT NULL DEFAULT 0, part_path TEXT, final_ino INTEGER, final_mtime INTEGER,
            manifest_digest BLOB
        ) STRICT;
        CREATE INDEX transfer_wire ON transfer (wire, peer) WHERE wire IS NOT NULL;
        CREATE INDEX transfer_message ON transfer (message) WHERE message IS NOT NULL;
        CREATE INDEX transfer_conversation ON transfer (conversation) WHERE conversation IS NOT NULL;
        CREATE INDEX transfer_list ON transfer (created_at, id);
        CREATE INDEX transfer_open ON transfer (state) WHERE state < 4;
        CREATE INDEX transfer_partial ON transfer (number) WHERE partial = 1;
        CREATE INDEX transfer_kept ON transfer (finished_at, id)
            WHERE direction = 0 AND state = 4 AND removed_at IS NULL AND final_mtime IS NOT NULL;

        -- Lists and chunks by pages and places (docs/decisions/0013-parts.md). `transfer_page`: a transfer's list in
        -- its wire form, page by page; `sources` are 24 bytes for each entry of the page, by which an outgoing transfer
        -- recognises its files.
        CREATE TABLE transfer_page (
            transfer INTEGER NOT NULL REFERENCES transfer ON DELETE CASCADE, number INTEGER NOT NULL,
            entries BLOB NOT NULL, sources BLOB,
            UNIQUE (transfer, number)
        ) STRICT;
        -- The chunks that are on the disk, by their place in the sequence of all chunks.
        CREATE TABLE transfer_run (
            transfer INTEGER NOT NULL REFERENCES transfer ON DELETE CASCADE, first INTEGER NOT NULL,
            checksums BLOB NOT NULL,
            UNIQUE (transfer, first)
        ) STRICT;

        -- Files that are left out one by one. `position`: the file's number in the list, which a receiver must not
        -- request again; negative for a file that the sender's scan left out, which has no number. `path` and `detail`
        -- are kept for the first problems only.
        CREATE TABLE transfer_problem (
            transfer INTEGER NOT NULL REFERENCES transfer ON DELETE CASCADE, position INTEGER NOT NULL,
            path TEXT, size INTEGER NOT NULL, reason TEXT NOT NULL, detail TEXT,
            PRIMARY KEY (transfer, position)
        ) WITHOUT ROWID, STRICT;

        -- For a received file or a waiting part: the times (by any clock) that show its use, and the stamp at which
        -- they were last seen to change.
        CREATE TABLE transfer_idle (
            transfer INTEGER PRIMARY KEY REFERENCES transfer ON DELETE CASCADE,
            mark INTEGER NOT NULL, since INTEGER NOT NULL
        ) STRICT;

        -- Files of groups (docs/decisions/0024-spread.md): the root of the tree, which the signed message names. A
        -- transfer without a row here is between two accounts.
        CREATE TABLE transfer_tree (
            transfer INTEGER PRIMARY KEY REFERENCES transfer ON DELETE CASCADE,
            root BLOB NOT NULL CHECK (length(root) = 32)
        ) STRICT;
        -- The hashes of its chunks, once they are known, in rows of `StoreLimits.leafBytes`: a file of 4 TiB has 128
        -- MiB of hashes, more than one value may have. The number of a row is its place among them; an empty list has
        -- no rows.
        CREATE TABLE transfer_leaf (
            transfer INTEGER NOT NULL REFERENCES transfer ON DELETE CASCADE, number INTEGER NOT NULL,
            hashes BLOB NOT NULL,
            UNIQUE (transfer, number)
        ) STRICT;
        -- Members that have reported to have all of a file that we have sent to their group.
        CREATE TABLE transfer_holder (
            transfer INTEGER NOT NULL REFERENCES transfer ON DELETE CASCADE, account INTEGER NOT NULL REFERENCES key,
            PRIMARY KEY (transfer, account)
        ) WITHOUT ROWID, STRICT;
        """

    /// The event log names what changed instead of holding copies of it (docs/decisions/0009).
    private static let events = """
        CREATE TABLE event (
            seq INTEGER PRIMARY KEY, at INTEGER NOT NULL, change INTEGER NOT NULL, object BLOB NOT NULL, parent BLOB
        ) STRICT;

        -- One row for each run of the daemon, in order; `first` is the number of the first event that the run could
        -- have written. A client's place in an epoch is valid in this log if the epoch is here and came that far. In an
        -- old copy of the database that was restored, it did not, or it is missing.
        CREATE TABLE event_epoch (
            number INTEGER PRIMARY KEY, epoch BLOB NOT NULL UNIQUE CHECK (length(epoch) = 16), first INTEGER NOT NULL
        ) STRICT;

        -- `used`: the stamp at which a consumer last reported its place.
        CREATE TABLE consumer (
            name TEXT PRIMARY KEY, acknowledged INTEGER NOT NULL, used INTEGER NOT NULL DEFAULT 0
        ) WITHOUT ROWID, STRICT;
        """

    /// The address book, as it was imported.
    private static let addressBook = """
        -- `uid`: the identifier that the program which wrote the card uses; NULL if it gave none. `search`: everything
        -- that a search looks at, folded, in lines.
        CREATE TABLE address_entry (
            number INTEGER PRIMARY KEY, id BLOB NOT NULL UNIQUE, uid TEXT, name TEXT NOT NULL, search TEXT NOT NULL,
            invited_at INTEGER, created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL
        ) STRICT;

        -- `given`: the number as it was written; `e164`: its international form, of which `calling_code` is the
        -- country's prefix; `key`: the form by which a profile is found, NULL for a number that isn't one person's.
        CREATE TABLE address_phone (
            entry INTEGER NOT NULL REFERENCES address_entry ON DELETE CASCADE, position INTEGER NOT NULL,
            given TEXT NOT NULL, e164 TEXT, calling_code INTEGER NOT NULL, region TEXT, extension TEXT NOT NULL,
            label TEXT NOT NULL, takes_text INTEGER NOT NULL, key TEXT,
            PRIMARY KEY (entry, position)
        ) WITHOUT ROWID, STRICT;
        CREATE INDEX address_phone_key ON address_phone (key) WHERE key IS NOT NULL;

        -- `key`: the address in the form in which it is compared.
        CREATE TABLE address_email (
            entry INTEGER NOT NULL REFERENCES address_entry ON DELETE CASCADE, position INTEGER NOT NULL,
            address TEXT NOT NULL, key TEXT NOT NULL,
            PRIMARY KEY (entry, position)
        ) WITHOUT ROWID, STRICT;
        CREATE INDEX address_email_key ON address_email (key);
        """

    /// The index of words, and beside it the one of bigrams for scripts that are written without spaces
    /// (docs/decisions/0008-search.md, 0077-bigrams.md).
    private static let search = """
        -- The texts stay where they are: the index reads them through this view, also for snippets. The column
        -- `conversation` holds one word, a character of the private use area with the conversation's number. A search
        -- in one conversation is an intersection within the index, and no number in a text equals that word.
        CREATE VIEW search_source AS
            SELECT number, text, names, char(0xE000) || conversation AS conversation
            FROM (
                SELECT m.number, m.text, m.conversation, (
                    SELECT group_concat(name, char(10))
                    FROM (SELECT name FROM transfer WHERE message = m.number ORDER BY number)
                ) AS names
                FROM message AS m WHERE m.deleted = 0
            )
            WHERE text <> '' OR names IS NOT NULL;

        -- It holds nothing but words and their places; `columnsize=0` is possible because results are not ranked. Its
        -- rows go by `message.number`, the order of arrival, so reading it backwards gives the newest first without
        -- sorting.
        CREATE VIRTUAL TABLE search USING fts5(
            text, names, conversation, content='search_source', content_rowid='number', columnsize=0,
            tokenize='unicode61 remove_diacritics 2'
        );
        -- It has the rows and columns of `search`. It is given tokens with spaces between them (BigramTokenizer), so
        -- its own tokenizer only has to leave them as they are. It keeps no texts: to take an entry out, the same
        -- tokens are made from the message again. `prefix='1'` lets a search for a single character read one list, too.
        CREATE VIRTUAL TABLE search_bigrams USING fts5(
            text, names, conversation, content='', columnsize=0, prefix='1', tokenize='ascii'
        );
        -- `…indexed`: the number of the last message that was looked at. `search_deleted`, `search_purging`,
        -- `search_purged`: the number of deletions so far, at the beginning of the running purge, and at that of the
        -- last completed purge.
        INSERT INTO meta (name, value) VALUES
            ('search_indexed', 0), ('search_bigrams_indexed', 0),
            ('search_deleted', 0), ('search_purging', 0), ('search_purged', 0);
        """
}
