import Basics
import Glibc

extension Store {
    /// Reads from a database that another process may have open. Nothing is made or brought up to date.
    /// - Returns: nil if there is no database, or one of another version of the program.
    /// - Throws: ``StoreError``, such as ``StoreError/busy`` if another process has the database for itself.
    public static func look<Value>(
        directory: String, _ body: (ReadTransaction) throws(StoreError) -> Value
    ) throws(StoreError) -> Value? {
        let path = directory + "/" + fileName
        guard access(path, R_OK | W_OK) == 0 else { return nil }
        let connection = try Connection(path: path, purpose: .reader)
        defer { connection.close() }
        guard try Migrations.isToday(connection) else { return nil }
        return try body(ReadTransaction(connection))
    }
}
