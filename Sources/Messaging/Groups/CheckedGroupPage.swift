import PeerProtocol
import Store

/// A page whose signatures were checked, with what can be said of it without the graph.
package struct CheckedGroupPage: Sendable {
    package let body: GroupEntriesBody
    package let membership: CheckedEntries
    package let log: LogPage

    /// - Parameter transaction: where entries lie that are here; nil: all are checked.
    package init(_ body: GroupEntriesBody, asked question: GroupQuestion, in transaction: ReadTransaction?) throws {
        self.body = body
        membership = try CheckedEntries(body.membership, of: body.root, in: transaction)
        log = LogPage(checking: body, asked: question)
    }
}
