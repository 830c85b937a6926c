/// What a profile shows beyond text.
///
/// - `account.avatar`, `contact.avatar`: the BLAKE2b-256 digest of an avatar; the file lies in the data directory under
///   that name. A contact's digest is that of the avatar that is here; the one that the card names may not have come
///   yet.
/// - `account.presence`: the user's last statement, 0 online or 1 away.
enum Migration0009Profile {
    static let sql = """
        ALTER TABLE account ADD COLUMN avatar BLOB;
        ALTER TABLE account ADD COLUMN presence INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE contact ADD COLUMN avatar BLOB;
        """
}
