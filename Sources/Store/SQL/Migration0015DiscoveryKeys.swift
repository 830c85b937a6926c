/// The keys by which contacts recognise each other where strangers can't (docs/decisions/0026-discovery-modes.md).
///
/// - `discovery_key`: the contact's shared key with its number, the key that the contact made for us alone, and the
///   number of our key that the contact reported to have.
/// - `meta.discovery_key`: the number of our own shared key, 1 if there is none. The key itself is derived from the
///   device key.
enum Migration0015DiscoveryKeys {
    static let sql = """
        CREATE TABLE discovery_key (
            contact INTEGER PRIMARY KEY REFERENCES contact ON DELETE CASCADE,
            number INTEGER NOT NULL, shared BLOB NOT NULL CHECK (length(shared) = 32),
            pair BLOB NOT NULL CHECK (length(pair) = 32), held INTEGER NOT NULL
        ) STRICT;
        """
}
