import Basics
import PeerProtocol
import Store
import Vocabulary

/// The membership of a group in the database. It answers questions about heads, single entries and floors without the
/// graph, which it makes only when asked for it.
package struct StoredMembership: MembershipView {
    package let row: GroupRow
    private let scope: GroupScope
    private let transaction: ReadTransaction

    package init(_ row: GroupRow, scope: GroupScope, in transaction: ReadTransaction) {
        self.row = row
        self.scope = scope
        self.transaction = transaction
    }

    package var heads: [EntryHash] { row.heads.compactMap { EntryHash($0) } }

    package func contains(_ hash: EntryHash) throws -> Bool {
        try transaction.hasMembershipEntry(hash.bytes, of: row.id)
    }

    package func floors(of account: AccountID) throws -> [DeviceID: UInt64] {
        try scope.graphs.floors(of: account, by: row, in: transaction)
    }

    /// - Throws: ``GroupDamage``.
    package func graph() throws -> GroupGraph {
        var graph = try scope.graphs.graph(of: row, in: transaction)
        graph.meter = GroupMeter()
        return graph
    }

    /// Whether the account is a member.
    package func has(_ account: AccountID) throws -> Bool {
        try transaction.member(account, of: row.id)?.isPresent == true
    }

    /// The entry that took us out; nil while we are a member.
    package func ownDeparture() throws -> EntryHash? {
        guard row.state != .member else { return nil }
        // How we left many groups long ago is not stored.
        return try transaction.departureEntry(from: row.root).flatMap { EntryHash($0) }
            ?? graph().lastDeparture(of: scope.own)?.hash
    }
}
