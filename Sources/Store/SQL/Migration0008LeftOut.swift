/// Files that are left out of a transfer one by one.
///
/// - `transfer_problem.position`: the file's number in the list of the transfer, which a receiver must not request
///   again; negative for a file that the sender's scan left out, which has no number.
/// - `path` and `detail` are kept for the first problems only; they are null for the others, where only the number
///   counts.
/// - `transfer.problems` counts all of them.
enum Migration0008LeftOut {
    static let sql = """
        ALTER TABLE transfer ADD COLUMN problems INTEGER NOT NULL DEFAULT 0;
        CREATE TABLE transfer_problem (
            transfer INTEGER NOT NULL REFERENCES transfer ON DELETE CASCADE, position INTEGER NOT NULL,
            path TEXT, size INTEGER NOT NULL, reason TEXT NOT NULL, detail TEXT,
            PRIMARY KEY (transfer, position)
        ) WITHOUT ROWID, STRICT;
        """
}
