/// Which event log a number belongs to, and how old the clients' places in it are.
///
/// - `event_epoch`: one row for each run of the daemon, in order; `first` is the number of the first event that the run
///   could have written. A client's place in an epoch is valid in this log if the epoch is here and came that far. In
///   an old copy of the database that was restored, it did not, or it is missing.
/// - `consumer.used`: the stamp (`trusted_clock`) at which a consumer last reported its place.
enum Migration0018Epochs {
    static let sql = """
        CREATE TABLE event_epoch (
            number INTEGER PRIMARY KEY, epoch BLOB NOT NULL UNIQUE CHECK (length(epoch) = 16), first INTEGER NOT NULL
        ) STRICT;
        ALTER TABLE consumer ADD COLUMN used INTEGER NOT NULL DEFAULT 0;
        """
}
