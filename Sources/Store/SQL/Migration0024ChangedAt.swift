/// Since when another account answers by a contact's name. For contacts that were marked before, it stays unknown.
enum Migration0024ChangedAt {
    static let sql = "ALTER TABLE contact ADD COLUMN changed_at INTEGER;"
}
