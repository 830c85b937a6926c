/// What came unasked from each account.
///
/// - `unasked`: bytes of one kind (`UnaskedTally.Kind`) that came from an account, or on its responsibility, since the stamp of the
///   trusted clock with which its day began. It is written in coarse steps, so it may be a little behind.
enum Migration0032Unasked {
    static let sql = """
        CREATE TABLE unasked (
            account BLOB NOT NULL, kind INTEGER NOT NULL, since INTEGER NOT NULL, bytes INTEGER NOT NULL,
            PRIMARY KEY (account, kind)
        ) WITHOUT ROWID, STRICT;
        """
}
