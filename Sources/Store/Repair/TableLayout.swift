/// What has to be known of a table to read its rows in order.
struct TableLayout {
    let name: String
    let columns: [String]
    /// The columns of the primary key; a table with row numbers has only those.
    let key: [String]
    /// The indexes over all rows, by which rows can be counted that can't be read.
    let indexes: [String]

    private static let tables = SQL(
        """
        SELECT name, wr FROM pragma_table_list
        WHERE schema = 'main' AND type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY name
        """)
    private static let columnsOf = SQL("SELECT name, pk FROM pragma_table_info(?) ORDER BY cid")
    private static let indexesOf = SQL("SELECT name FROM pragma_index_list(?) WHERE partial = 0 AND origin <> 'pk'")

    /// All tables of a sound database.
    static func all(of connection: Connection) throws(StoreError) -> [TableLayout] {
        var layouts: [TableLayout] = []
        for (name, hasNoRowNumbers) in try connection.rows(tables, read: { ($0.text(0), $0.flag(1)) }) {
            let columns = try connection.rows(columnsOf, name) { ($0.text(0), $0.integer(1)) }
            let key = columns.filter { $0.1 > 0 }.sorted { $0.1 < $1.1 }.map(\.0)
            layouts.append(
                TableLayout(
                    name: name, columns: columns.map(\.0), key: hasNoRowNumbers ? key : ["rowid"],
                    indexes: try connection.rows(indexesOf, name) { $0.text(0) }))
        }
        return layouts
    }

    /// Reads the key, then all columns, in the order of the key.
    func selection(_ condition: String?, descending: Bool = false) -> String {
        let order = key.map { descending ? "\($0) DESC" : $0 }.joined(separator: ", ")
        let rows = condition.map { " WHERE \($0)" } ?? ""
        return "SELECT \((key + columns).joined(separator: ", ")) FROM \(name)\(rows) ORDER BY \(order)"
    }

    var tuple: String { "(\(key.joined(separator: ", ")))" }
    var placeholders: String { "(\(key.map { _ in "?" }.joined(separator: ", ")))" }
}
