/// How a friendship came about, so that frames that are lost, repeated or late do no harm.
///
/// - `said`, `said_at`, `heard_at`, `heard_frame`, `own_request`, `their_request`: the last statements of both sides
///   and their times (see PeerProtocol's ContactMachine).
/// - `asks`, `asks_since`: how often the contact has asked recently.
/// - `refusal`, `refusal_detail`: why our last request failed.
/// - `namesake`: an account that came under this contact's name; `trust_before`: the trust to restore if it is another
///   person.
enum Migration0011Contacts {
    static let sql = """
        ALTER TABLE contact ADD COLUMN said INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE contact ADD COLUMN said_at INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE contact ADD COLUMN heard_at INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE contact ADD COLUMN heard_frame BLOB;
        ALTER TABLE contact ADD COLUMN own_request BLOB;
        ALTER TABLE contact ADD COLUMN their_request BLOB;
        ALTER TABLE contact ADD COLUMN asks INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE contact ADD COLUMN asks_since INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE contact ADD COLUMN refusal TEXT;
        ALTER TABLE contact ADD COLUMN refusal_detail TEXT;
        ALTER TABLE contact ADD COLUMN namesake INTEGER REFERENCES key;
        ALTER TABLE contact ADD COLUMN trust_before INTEGER NOT NULL DEFAULT 0;
        -- Friends and those asked have heard something of us.
        UPDATE contact SET said = CASE relation WHEN 1 THEN 1 WHEN 3 THEN 2 ELSE 0 END;
        """
}
