/// Indexes with which a stranger's request costs a look at few rows, instead of at all contacts.
///
/// - `contact_namesake`: finds the contacts under whose name an account came.
/// - `contact_relation`: finds and counts the contacts with a relation.
enum Migration0012ContactIndexes {
    static let sql = """
        CREATE INDEX contact_namesake ON contact (namesake) WHERE namesake IS NOT NULL;
        CREATE INDEX contact_relation ON contact (relation);
        """
}
