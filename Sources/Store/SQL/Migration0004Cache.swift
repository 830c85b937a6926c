/// Assets: bytes that are shown with an object and can be done without, such as previews.
///
/// - `used` grows with every use: the row with the smallest goes first when there are too many bytes.
/// - The database itself keeps the sum of the bytes in `meta`, so that no code can forget it.
enum Migration0004Cache {
    static let sql = """
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
}
