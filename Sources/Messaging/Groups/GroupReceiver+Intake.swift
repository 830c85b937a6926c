import Basics
import PeerProtocol
import Store
import Vocabulary

/// Who answers for what comes in groups, and whether they may say more today.
extension GroupReceiver {
    /// Returns who answers for an entry. A friend's entries count as that friend's, no matter who hands them on. A
    /// stranger's entries count for the friend who brought the stranger into the group, if that is known, so making up
    /// members doesn't use up another friend's allowance. An entry whose author the graph doesn't know yet counts for
    /// the peer that hands it on. Few of these are kept.
    /// - Returns: nil for our own entries.
    func payer(for entry: LogEntry, _ graph: GroupGraph) throws -> Intake.Payer? {
        guard let author = graph.author(of: entry) else { return Intake.Payer(peer) }
        if author == scope.own { return nil }
        if try isFriend(author) { return Intake.Payer(author) }
        let members = graph.state.members
        var next = author
        for _ in 0..<MessagingLimits.stepsToSponsor {
            guard let by = members[next]?.addedBy, by != next else { break }
            if try by == scope.own || isFriend(by) { return Intake.Payer(by, .brought, author: author) }
            next = by
        }
        // Somebody has brought us into the group beside the author, and answers for it.
        return Intake.Payer(members[scope.own]?.addedBy ?? scope.own, .brought, author: author)
    }

    /// Why an entry is put off; nil if it is taken, or is here already.
    mutating func obstacle(to entry: LogEntry, _ graph: GroupGraph, _ row: GroupRow) throws -> PutOff? {
        // Skip entries that can't be judged now: they are refused anyway.
        guard graph.mayJudge(entry.heads), let payer = try payer(for: entry, graph),
            let why = intake.obstacle(to: payer, in: transaction),
            try SQLiteGroupLog(reading: row, transaction).state(of: entry.hash) == nil
        else { return nil }
        news.putOff[payer.account] = why
        return why
    }

    mutating func obstacle(to payer: Intake.Payer) -> PutOff? {
        guard let why = intake.obstacle(to: payer, in: transaction) else { return nil }
        news.putOff[payer.account] = why
        return why
    }

    mutating func count(_ entries: [LogEntry], _ graph: GroupGraph) throws {
        for entry in entries {
            guard let payer = try payer(for: entry, graph) else { continue }
            count(Intake.cost(ofContent: entry.byteCount), of: payer)
        }
    }

    mutating func count(_ bytes: Int64, of payer: Intake.Payer) {
        Intake.count(bytes, of: payer, in: transaction)
        news.taken.insert(payer.account)
    }

    private func isFriend(_ account: AccountID) throws -> Bool {
        try transaction.contact(account)?.relation == .friend
    }
}
