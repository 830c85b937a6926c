/// What a person shows of themselves beyond words.
///
/// - `account.avatar`, `contact.avatar`: BLAKE2b-256 of a picture; the file lies in the data directory under that name. Of
///   a contact it is the picture that is here, not the one that their card names: it may not have come yet.
/// - `account.presence`: what the person said last, 0 online or 1 away.
enum Migration0009Profile {
    static let sql = """
        ALTER TABLE account ADD COLUMN avatar BLOB;
        ALTER TABLE account ADD COLUMN presence INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE contact ADD COLUMN avatar BLOB;
        """
}
