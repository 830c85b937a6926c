import PeerProtocol
import Store

/// A page whose signatures were checked, with what can be said about it without the graph.
package struct CheckedGroupPage: Sendable {
    package let body: GroupEntriesBody
    package let membership: CheckedEntries
    package let log: LogPage

    /// - Parameter transaction: shows which entries are here already; nil to check all.
    package init(_ body: GroupEntriesBody, asked question: GroupQuestion, in transaction: ReadTransaction?) throws {
        self.body = body
        membership = try CheckedEntries(body.membership, of: body.root, in: transaction)
        log = LogPage(checking: body, asked: question)
    }
}
