/// Files of groups (docs/decisions/0024-spread.md): for each such transfer the root of its tree, which the signed
/// message names, and the hashes of its chunks, 32 bytes each, once they are known. A transfer without a row here is
/// between two accounts.
enum Migration0014Trees {
    static let sql = """
        CREATE TABLE transfer_tree (
            transfer INTEGER PRIMARY KEY REFERENCES transfer ON DELETE CASCADE,
            root BLOB NOT NULL CHECK (length(root) = 32), leaves BLOB
        ) STRICT;
        """
}
