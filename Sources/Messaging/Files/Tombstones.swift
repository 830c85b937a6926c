import Basics
import Store

/// What happens to the files of a deleted message.
package enum Tombstones {
    /// The name that replaces one that nobody is to know any more.
    private static let name = "(deleted)"

    /// Notes that the part of a transfer is gone. Its name goes too, if its message was deleted for all.
    package static func partRemoved(_ id: UUIDv7, in transaction: WriteTransaction) throws {
        guard var row = try transaction.transfer(id), row.state != .done, let message = row.message,
            try transaction.message(message)?.deleted == true
        else { return }
        row.name = name
        try transaction.update(row)
    }

    /// Ends offers that were not taken, and transfers on their way. Their names were content of the message and go; a
    /// file that has arrived stays where it is, with its name.
    package static func end(_ transfers: [TransferRow], in transaction: WriteTransaction) throws {
        for transfer in transfers {
            guard var row = try transaction.transfer(transfer.id) else { continue }
            if !row.state.isOver {
                row.state = .cancelled
                row.reason = .cancelled
                row.finishedAt = transaction.wallTime
            }
            if row.direction == .outgoing { try transaction.replacePages(of: row.id, with: []) }
            if row.direction == .outgoing || row.state != .done {
                // The part of an incoming transfer is found by its path and name until it is removed.
                if row.direction == .outgoing || !row.life.hasPart { row.name = Self.name }
                if row.direction == .outgoing { row.path = nil }
            }
            try transaction.update(row)
        }
    }
}
