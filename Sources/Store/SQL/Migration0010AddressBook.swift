/// The address book, as it was imported.
///
/// - `address_entry.uid`: the identifier that the program which wrote the card uses; null if it gave none.
/// - `address_entry.search`: everything that a search looks at, folded, in lines.
/// - `address_phone`: `given` is the number as it was written; `e164` is its international form, of which
///   `calling_code` is the country's prefix; `key` is the form by which a profile is found, null for a number that
///   isn't one person's.
/// - `address_email.key`: the address in the form in which it is compared.
enum Migration0010AddressBook {
    static let sql = """
        CREATE TABLE address_entry (
            number INTEGER PRIMARY KEY, id BLOB NOT NULL UNIQUE, uid TEXT, name TEXT NOT NULL, search TEXT NOT NULL,
            invited_at INTEGER, created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL
        ) STRICT;

        CREATE TABLE address_phone (
            entry INTEGER NOT NULL REFERENCES address_entry ON DELETE CASCADE, position INTEGER NOT NULL,
            given TEXT NOT NULL, e164 TEXT, calling_code INTEGER NOT NULL, region TEXT, extension TEXT NOT NULL,
            label TEXT NOT NULL, takes_text INTEGER NOT NULL, key TEXT,
            PRIMARY KEY (entry, position)
        ) WITHOUT ROWID, STRICT;
        CREATE INDEX address_phone_key ON address_phone (key) WHERE key IS NOT NULL;

        CREATE TABLE address_email (
            entry INTEGER NOT NULL REFERENCES address_entry ON DELETE CASCADE, position INTEGER NOT NULL,
            address TEXT NOT NULL, key TEXT NOT NULL,
            PRIMARY KEY (entry, position)
        ) WITHOUT ROWID, STRICT;
        CREATE INDEX address_email_key ON address_email (key);
        """
}
