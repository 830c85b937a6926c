/// The user's choices about files.
///
/// - `contact.auto_download`: 0 as the settings say, 1 never, 2 always.
/// - `transfer.duration`: the duration of audio in milliseconds, as the sender claims.
enum Migration0006FilePolicy {
    static let sql = """
        ALTER TABLE contact ADD COLUMN auto_download INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE transfer ADD COLUMN duration INTEGER;
        """
}
