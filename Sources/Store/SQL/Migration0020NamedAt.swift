/// Since when each contact has its name (docs/decisions/0034-names.md), which tells which of two contacts took the
/// other's name. For existing contacts it is unknown; they count as named from the beginning.
enum Migration0020NamedAt {
    static let sql = """
        ALTER TABLE contact ADD COLUMN named_at INTEGER NOT NULL DEFAULT 0;
        UPDATE contact SET named_at = created_at;
        """
}
