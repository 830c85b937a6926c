/// The life of transfers: pauses of either side, the order of acceptance, what is left on the disk.
///
/// - `paused_by`: 1 us, 2 the peer.
/// - `partial`: a part may lie on the disk. In an older database, every transfer that was not over or ended badly may
///   have one.
/// - `final_mtime` with `final_dev` and `final_ino`: the data by which a finished file is recognised; without them it
///   is never removed.
enum Migration0007TransferLife {
    static let sql = """
        ALTER TABLE transfer ADD COLUMN paused_by INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE transfer ADD COLUMN accepted_at INTEGER;
        ALTER TABLE transfer ADD COLUMN last_progress_at INTEGER;
        ALTER TABLE transfer ADD COLUMN removed_at INTEGER;
        ALTER TABLE transfer ADD COLUMN final_mtime INTEGER;
        ALTER TABLE transfer ADD COLUMN partial INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE transfer ADD COLUMN failure TEXT;
        UPDATE transfer SET partial = 1 WHERE direction = 0 AND path IS NOT NULL AND state IN (1, 2, 3, 6, 7);
        UPDATE transfer SET accepted_at = created_at WHERE state IN (1, 2, 3);
        CREATE INDEX transfer_partial ON transfer (number) WHERE partial = 1;
        CREATE INDEX transfer_kept ON transfer (finished_at, id)
            WHERE direction = 0 AND state = 4 AND removed_at IS NULL AND final_mtime IS NOT NULL;
        """
}
