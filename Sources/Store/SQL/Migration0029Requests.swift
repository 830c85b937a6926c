/// Where a request to be friends came from, so that one source can't fill the room of all (docs/decisions/0071).
///
/// - `request_source`: an IPv4 address, an IPv6 network or a link; NULL where it is not known, as of requests from before.
/// - `asker`: where the account stood: 0 faraway, 1 nearby, 2 a member of a common group.
enum Migration0029Requests {
    static let sql = """
        ALTER TABLE contact ADD COLUMN request_source TEXT;
        ALTER TABLE contact ADD COLUMN asker INTEGER NOT NULL DEFAULT 0;
        """
}
