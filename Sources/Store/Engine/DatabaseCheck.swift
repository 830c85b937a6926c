import Basics
import CSQLite

/// What a look through the whole database found.
public enum DatabaseHealth: Sendable, Equatable {
    case sound
    /// What SQLite says, a few lines of it.
    case damaged([String])
    /// There was not time enough for all of it; until then nothing was wrong.
    case notFinished
    case failed(String)
}

extension Store {
    private static let quickCheck = SQL("PRAGMA quick_check(5)")

    /// Looks through the database in `directory` for damage (SQLite's quick_check), on a connection of its own: readers and
    /// writers go on. Blocking, up to `limit`; for a thread that may.
    /// - Parameter isAlone: ``isAlone`` of the store that has it open.
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
