/// The values that the host's configuration gives settings (docs/decisions/0063-fleet.md), as they were when the daemon read
/// its file last. A default counts while the user has not set anything; a forced value counts before what the user has set.
///
/// `setting_in_force`: the values that count, by name. A setting at the default of the program is in none of the tables.
enum Migration0025HostSettings {
    static let sql = """
        CREATE TABLE host_setting (
            name TEXT PRIMARY KEY, value TEXT NOT NULL, forced INTEGER NOT NULL
        ) WITHOUT ROWID, STRICT;
        CREATE VIEW setting_in_force (name, value) AS
            SELECT name, value FROM host_setting WHERE forced = 1
            UNION ALL
            SELECT s.name, s.value FROM setting AS s
            WHERE NOT EXISTS (SELECT 1 FROM host_setting AS h WHERE h.name = s.name AND h.forced = 1)
            UNION ALL
            SELECT h.name, h.value FROM host_setting AS h
            WHERE h.forced = 0 AND NOT EXISTS (SELECT 1 FROM setting AS s WHERE s.name = h.name);
        """
}
