/// The keys by which contacts recognise each other where nobody else does (docs/decisions/0026-discovery-modes.md).
///
/// - `discovery_key`: the contact's shared key with its number, the key that they have for us alone, and the number of ours
///   that they said they have.
/// - `meta.discovery_key`: the number of our own shared key, 1 if there is none. The key itself comes from the device key.
enum Migration0015DiscoveryKeys {
    static let sql = """
        CREATE TABLE discovery_key (
            contact INTEGER PRIMARY KEY REFERENCES contact ON DELETE CASCADE,
            number INTEGER NOT NULL, shared BLOB NOT NULL CHECK (length(shared) = 32),
            pair BLOB NOT NULL CHECK (length(pair) = 32), held INTEGER NOT NULL
        ) STRICT;
        """
}
