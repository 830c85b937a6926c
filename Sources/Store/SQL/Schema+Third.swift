/// The third step: couriers, who keep sealed messages for somebody who is away (docs/PROTOCOL-COURIERS.md).
extension Schema {
    static let third = """
        -- The friends that this account has named as its couriers.
        CREATE TABLE courier (account INTEGER PRIMARY KEY REFERENCES key, named_at INTEGER NOT NULL) STRICT;

        -- Keys to which friends seal parcels for this device, by the time in the note that told of them. `sealed` is
        -- the secret half under the device's key. `stamp`, here and below, is that of the trusted clock.
        CREATE TABLE mail_key (made INTEGER PRIMARY KEY, stamp INTEGER NOT NULL, sealed BLOB NOT NULL) STRICT;

        -- The last mail note of each device of a friend, as it travels.
        CREATE TABLE mail_note (
            device INTEGER PRIMARY KEY REFERENCES key, account INTEGER NOT NULL REFERENCES key, made INTEGER NOT NULL,
            stamp INTEGER NOT NULL, bytes BLOB NOT NULL
        ) STRICT;
        CREATE INDEX mail_note_account ON mail_note (account);

        -- Parcels of friends for friends that are kept here. The parcel itself is an item of the outbox with the same id.
        CREATE TABLE parcel (
            id BLOB NOT NULL, depositor INTEGER NOT NULL REFERENCES key, recipient INTEGER NOT NULL REFERENCES key,
            stamp INTEGER NOT NULL, came_at INTEGER NOT NULL, days INTEGER NOT NULL, bytes INTEGER NOT NULL,
            PRIMARY KEY (recipient, id)
        ) WITHOUT ROWID, STRICT;
        CREATE INDEX parcel_depositor ON parcel (depositor, id);

        -- Who may answer whom by us, because a parcel was handed over, and when the last one was.
        CREATE TABLE parcel_answer (
            depositor INTEGER NOT NULL REFERENCES key, recipient INTEGER NOT NULL REFERENCES key,
            stamp INTEGER NOT NULL,
            PRIMARY KEY (depositor, recipient)
        ) WITHOUT ROWID, STRICT;

        -- Parcels of ours, by the courier that each was given to. They hold the items of the outbox for `recipient` from
        -- `first_seq` to `last_seq` that belong to no group. `state`: 0 on its way, 1 kept by the courier, 2 handed over, as
        -- the courier says. `until`: when the courier may drop it.
        CREATE TABLE parcel_out (
            number INTEGER PRIMARY KEY, id BLOB NOT NULL, courier INTEGER NOT NULL REFERENCES key, recipient INTEGER NOT NULL REFERENCES key,
            first_seq INTEGER NOT NULL, last_seq INTEGER NOT NULL, state INTEGER NOT NULL DEFAULT 0,
            stamp INTEGER NOT NULL, until INTEGER NOT NULL, days INTEGER NOT NULL,
            UNIQUE (courier, id)
        ) STRICT;
        CREATE INDEX parcel_out_recipient ON parcel_out (recipient, first_seq);

        -- Parcels for us that were opened, so that none is opened twice, and who has made and who has brought each. Anyone
        -- can give a parcel the id of another one, so an id counts with its maker.
        CREATE TABLE parcel_seen (
            id BLOB NOT NULL, maker INTEGER NOT NULL REFERENCES key, stamp INTEGER NOT NULL,
            courier INTEGER NOT NULL REFERENCES key,
            PRIMARY KEY (maker, id)
        ) WITHOUT ROWID, STRICT;
        CREATE INDEX parcel_seen_stamp ON parcel_seen (stamp);
        CREATE INDEX parcel_seen_maker ON parcel_seen (maker, courier);
        """
}
