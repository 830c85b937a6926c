import Basics
import Crypto
import PeerProtocol
import Store
import Vocabulary

/// Puts the groups of a repaired database in order, inside a store transaction. It notes what is missing of a log, so
/// that other members are asked for it, and forgets a group that can't be judged any more until a friend gives it
/// again.
package struct RepairedGroups {
    private let transaction: WriteTransaction
    private let scope: GroupScope
    private let choices: TransactionSettings

    /// Entries of a log that are read at once.
    private static let page = 500

    package init(own: AccountID, choices: TransactionSettings, _ transaction: WriteTransaction) {
        self.transaction = transaction
        self.choices = choices
        scope = GroupScope(own: own, graphs: GroupGraphs())
    }

    package func mend(_ report: inout RepairReport) throws {
        let hasAllMembers = report["group_member"].isWhole && report["group_device"].isWhole
        let hasAllEntries = ["log_entry", "log_absent", "log_wait"].allSatisfy { report[$0].isWhole }
        for row in try transaction.groups() {
            guard let graph = try? scope.graphs.graph(of: row, in: transaction), graph.group == row.id else {
                report.groups.append(row.name)
                try transaction.forget(group: row.id)
                continue
            }
            if !hasAllMembers, row.state == .member {
                let projection = GroupProjection(scope: scope, transaction: transaction)
                _ = try projection.settle(graph, [], before: graph)
            }
            if !hasAllEntries { try relink(row) }
            if !report["message"].isWhole { try showAgain(row, graph, &report) }
        }
    }

    /// Shows messages again that are lost but still in the log, with their edits, deletions and reactions.
    private func showAgain(_ row: GroupRow, _ graph: GroupGraph, _ report: inout RepairReport) throws {
        var delivery = LogDelivery(
            scope: scope, transaction: transaction, choices: choices, destination: Destination(),
            random: SodiumGenerator())
        var number: Int64 = 0
        // An id belongs to its author, so a reaction is shown with every message that it may mean.
        var shown: [UUIDv7: Set<AccountID>] = [:]
        while true {
            let slots = try transaction.log.deliveredLogEntries(of: row.id, from: number, limit: Self.page)
            for slot in slots {
                guard let stored = try transaction.log.logEntry(slot.reference.hash, of: row.id), stored.content != nil,
                    let about = stored.about
                else { continue }
                guard
                    let entry = try? LogEntry(
                        trusting: stored.header, signature: stored.signature, content: stored.content),
                    let author = graph.author(of: entry)
                else { continue }
                if stored.id == about, try !transaction.isKnown(about, by: author) {
                    shown[about, default: []].insert(author)
                }
                guard let authors = shown[about], entry.kind == .reaction || authors.contains(author) else { continue }
                _ = try delivery.deliver([entry], graph, row)
            }
            guard slots.count == Self.page, let last = slots.last else { break }
            number = last.number + 1
        }
        let count = shown.values.reduce(0) { $0 + $1.count }
        report["message"].rebuilt += count
        report["message"].lost = max(0, report["message"].lost - count)
    }

    /// Computes the ends of chains and the notes of missing entries again from what the entries refer to.
    private func relink(_ row: GroupRow) throws {
        var entries: [LogEntry] = []
        var number: Int64 = 0
        while true {
            let slots = try transaction.log.deliveredLogEntries(of: row.id, from: number, limit: Self.page)
            for slot in slots {
                guard let stored = try transaction.log.logEntry(slot.reference.hash, of: row.id) else { continue }
                let entry = try? LogEntry(trusting: stored.header, signature: stored.signature, content: nil)
                // The bytes of a damaged page may look like an entry.
                if let entry, entry.hash == stored.hash {
                    entries.append(entry)
                } else {
                    try transaction.logChanges.dropDamagedLogEntry(stored.hash, in: row.id)
                }
            }
            guard slots.count == Self.page, let last = slots.last else { break }
            number = last.number + 1
        }
        let present = Set(entries.map(\.hash))
        var (followed, referred): (Set<EntryHash>, Set<EntryHash>) = ([], [])
        for entry in entries {
            for reference in entry.references {
                let inChain = reference.device == entry.device
                referred.insert(reference.hash)
                if inChain { followed.insert(reference.hash) }
                if present.contains(reference.hash) { continue }
                try transaction.logChanges.addAbsentLogEntry(reference, inChain: inChain, in: row.id)
            }
        }
        for entry in entries {
            try transaction.logChanges.markLogEntry(
                entry.hash, isEnd: !followed.contains(entry.hash), isEdge: !referred.contains(entry.hash), in: row.id)
        }
    }
}
