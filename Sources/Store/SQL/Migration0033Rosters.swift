/// The roster of each signer that was acted upon last (docs/decisions/0063-fleet.md). Only a newer one takes its place.
///
/// - `version`: milliseconds since 1970, as the signer has signed them.
/// - `text`: the file as text, with its signature. It counts where the host's file is an older one.
enum Migration0033Rosters {
    static let sql = """
        CREATE TABLE roster (
            signer BLOB PRIMARY KEY NOT NULL, version INTEGER NOT NULL, text BLOB NOT NULL, came_at INTEGER NOT NULL
        ) STRICT;
        """
}
