/// The hashes of a group's file in rows of ``StoreLimits/leafBytes``. A file of 4 TiB has 128 MiB of hashes, more than
/// one value may have. The number of a row is its place among them; an empty list has no rows.
///
/// `transfer_holder`: members that have reported to have all of a file that we have sent to their group.
enum Migration0022GroupFiles {
    static let sql = """
        CREATE TABLE transfer_leaf (
            transfer INTEGER NOT NULL REFERENCES transfer ON DELETE CASCADE, number INTEGER NOT NULL,
            hashes BLOB NOT NULL,
            UNIQUE (transfer, number)
        ) STRICT;
        INSERT INTO transfer_leaf (transfer, number, hashes)
        WITH RECURSIVE piece (transfer, number) AS (
            SELECT transfer, 0 FROM transfer_tree WHERE length(leaves) > 0
            UNION ALL
            SELECT t.transfer, p.number + 1 FROM piece AS p JOIN transfer_tree AS t ON t.transfer = p.transfer
            WHERE (p.number + 1) * 131072 < length(t.leaves)
        )
        SELECT t.transfer, p.number, substr(t.leaves, p.number * 131072 + 1, 131072)
        FROM piece AS p JOIN transfer_tree AS t ON t.transfer = p.transfer;
        ALTER TABLE transfer_tree DROP COLUMN leaves;
        CREATE TABLE transfer_holder (
            transfer INTEGER NOT NULL REFERENCES transfer ON DELETE CASCADE, account INTEGER NOT NULL REFERENCES key,
            PRIMARY KEY (transfer, account)
        ) WITHOUT ROWID, STRICT;
        """
}
