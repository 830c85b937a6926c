/// A message of our own that was removed here, but went to others, keeps its conversation and times, so that it can
/// still be deleted for all. Its text is gone.
enum Migration0026RemovedMessages {
    static let sql = """
        ALTER TABLE removed_message ADD COLUMN conversation BLOB;
        ALTER TABLE removed_message ADD COLUMN hlc INTEGER;
        ALTER TABLE removed_message ADD COLUMN sent_at INTEGER;
        """
}
