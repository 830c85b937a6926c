/// Since when each contact bears their name (docs/decisions/0034-names.md): who takes a name that another one has is known by it. Of
/// those that are here already it is not known, and they are taken to have been called so from the beginning.
enum Migration0020NamedAt {
    static let sql = """
        ALTER TABLE contact ADD COLUMN named_at INTEGER NOT NULL DEFAULT 0;
        UPDATE contact SET named_at = created_at;
        """
}
