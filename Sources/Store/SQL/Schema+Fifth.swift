/// The fifth step: files that go with parcels (docs/PROTOCOL-COURIERS.md).
extension Schema {
    static let fifth = """
        -- Sealed files of friends for friends, each in a file of the name of its id beneath `parcels`, once it is whole:
        -- until then `leaves`, the hashes of its chunks, are NULL. A file may stay here after its parcel. `stamp`: that of
        -- the trusted clock.
        CREATE TABLE sealed_file (
            number INTEGER PRIMARY KEY, id BLOB NOT NULL UNIQUE, parcel BLOB NOT NULL,
            depositor INTEGER NOT NULL REFERENCES key, recipient INTEGER NOT NULL REFERENCES key,
            root BLOB NOT NULL, bytes INTEGER NOT NULL, stamp INTEGER NOT NULL, came_at INTEGER NOT NULL,
            days INTEGER NOT NULL, leaves BLOB
        ) STRICT;
        CREATE INDEX sealed_file_recipient ON sealed_file (recipient, parcel);
        CREATE INDEX sealed_file_depositor ON sealed_file (depositor);

        -- Files of ours in parcels, by the couriers that were given these, and whether the courier has all of one. Each
        -- sealing has a key of its own. It is forgotten when the parcel is lost, and when the transfer is over.
        CREATE TABLE sealed_file_out (
            number INTEGER PRIMARY KEY, id BLOB NOT NULL, courier INTEGER NOT NULL REFERENCES key, parcel BLOB NOT NULL,
            transfer BLOB NOT NULL, root BLOB NOT NULL, key BLOB NOT NULL, leaves BLOB NOT NULL,
            given INTEGER NOT NULL DEFAULT 0, UNIQUE (id, courier)
        ) STRICT;
        CREATE INDEX sealed_file_out_transfer ON sealed_file_out (transfer);
        CREATE INDEX sealed_file_out_courier ON sealed_file_out (courier, parcel);

        -- Files for us that couriers keep, and how to open them.
        CREATE TABLE sealed_file_in (
            id BLOB NOT NULL, courier INTEGER NOT NULL REFERENCES key, transfer BLOB NOT NULL, root BLOB NOT NULL,
            key BLOB NOT NULL, modified INTEGER NOT NULL, mode INTEGER NOT NULL,
            PRIMARY KEY (id, courier)
        ) WITHOUT ROWID, STRICT;
        CREATE INDEX sealed_file_in_transfer ON sealed_file_in (transfer);
        """
}
