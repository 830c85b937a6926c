/// Which event log a number is of, and how old the clients' places in it are.
///
/// - `event_epoch`: one row for each run of the daemon, in their order; `first` is the number of the first event that it could
///   have written. A place that a client had in an epoch is one in this log if the epoch is here and came so far: in an old
///   copy of the database that was put back it did not, or it is not there.
/// - `consumer.used`: the stamp (`trusted_clock`) of the last time that a consumer told its place.
enum Migration0018Epochs {
    static let sql = """
        CREATE TABLE event_epoch (
            number INTEGER PRIMARY KEY, epoch BLOB NOT NULL UNIQUE CHECK (length(epoch) = 16), first INTEGER NOT NULL
        ) STRICT;
        ALTER TABLE consumer ADD COLUMN used INTEGER NOT NULL DEFAULT 0;
        """
}
