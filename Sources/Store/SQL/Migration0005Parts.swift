/// Parts of transfers by pages and places (docs/decisions/0013-parts.md), instead of a row for each file.
///
/// - `transfer_page` has a transfer's list in its wire form, page by page; `sources` are 24 bytes for each entry of the
///   page, by which an outgoing transfer recognises its files.
/// - `transfer_run` has the chunks that are on the disk, by their place in the sequence of all chunks.
///
/// Chunks received before are taken over: the place of a file's first chunk is the number of chunks of all files before
/// it. The pages are not: the sender gives them again, and a source is scanned again.
enum Migration0005Parts {
    static let sql = """
        CREATE TABLE transfer_page (
            transfer INTEGER NOT NULL REFERENCES transfer ON DELETE CASCADE, number INTEGER NOT NULL,
            entries BLOB NOT NULL, sources BLOB,
            UNIQUE (transfer, number)
        ) STRICT;
        CREATE TABLE transfer_run (
            transfer INTEGER NOT NULL REFERENCES transfer ON DELETE CASCADE, first INTEGER NOT NULL,
            checksums BLOB NOT NULL,
            UNIQUE (transfer, first)
        ) STRICT;
        INSERT INTO transfer_run (transfer, first, checksums)
        SELECT c.transfer, p.first + c.first, c.checksums
        FROM transfer_chunk AS c JOIN (
            SELECT transfer, position, coalesce(sum(
                CASE WHEN kind = 1 THEN 0 ELSE max(1, (size + 1048575) / 1048576) END
            ) OVER (PARTITION BY transfer ORDER BY position ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 0) AS first
            FROM transfer_entry
        ) AS p ON p.transfer = c.transfer AND p.position = c.file;
        DROP TABLE transfer_chunk;
        DROP TABLE transfer_entry;
        """
}
