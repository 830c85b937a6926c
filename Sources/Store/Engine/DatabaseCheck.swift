import Basics
import CSQLite

/// The result of a check of the whole database.
public enum DatabaseHealth: Sendable, Equatable {
    case sound
    /// The first lines of SQLite's report.
    case damaged([String])
    /// There was not enough time for the whole database; no damage was found until then.
    case notFinished
    case failed(String)
}

extension Store {
    private static let quickCheck = SQL("PRAGMA quick_check(5)")

    /// Checks the database in `directory` for damage (SQLite's quick_check), on a connection of its own: readers and
    /// writers go on. This blocks for up to `limit`, so call it on a thread that may block.
    /// - Parameter isAlone: ``isAlone`` of the store that has the database open.
    public static func examine(
        directory: String, within limit: Duration, clocks: any Clocks, isAlone: Bool = false
    ) -> DatabaseHealth {
        do {
            let connection = try Connection(path: directory + "/" + fileName, purpose: .checkpointer, isAlone: isAlone)
            defer { connection.close() }
            let deadline = Deadline(limit, clocks: clocks)
            connection.obey(deadline)
            let lines = try connection.rows(quickCheck) { $0.text(0) }
            return lines == ["ok"]
                ? .sound : .damaged(lines.flatMap { $0.split(separator: "\n").prefix(5).map(String.init) })
        } catch .corrupt(let detail) {
            return .damaged([detail])
        } catch .tooLong {
            return .notFinished
        } catch {
            return .failed("\(error)")
        }
    }
}
