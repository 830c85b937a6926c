/// So that a stranger who asks costs a look at few rows, not one at all contacts.
///
/// - `contact_namesake`: whose name an account came under.
/// - `contact_relation`: how many there are of a relation, and who.
enum Migration0012ContactIndexes {
    static let sql = """
        CREATE INDEX contact_namesake ON contact (namesake) WHERE namesake IS NOT NULL;
        CREATE INDEX contact_relation ON contact (relation);
        """
}
