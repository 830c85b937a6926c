import Basics
import Crypto
import PeerProtocol
import Store
import Vocabulary

/// Makes friends of the accounts of a roster.
package struct Enrolment {
    let roster: Roster
    let own: AccountID

    package init(roster: Roster, own: AccountID) {
        self.roster = roster
        self.own = own
    }

    /// Makes friends of those with whom there was nothing yet, or whose request is open. What the user has ended, declined or
    /// blocked stays as it is, so a friend who was removed does not come back with each start.
    /// - Returns: what has changed; nil if nothing has.
    package func carryOut(in changes: ContactChanges) throws -> ContactOutcome? {
        var outcome: ContactOutcome?
        for member in roster.members where member.account != own {
            let known = try changes.transaction.contact(member.account)
            let row =
                known
                ?? ContactRow(
                    account: member.account, displayName: member.name, createdAt: changes.transaction.wallTime)
            guard row.machine.takesEnrolment else { continue }
            let done = try changes.act(.enrol, on: row)
            if outcome == nil { outcome = done } else { outcome?.append(done) }
        }
        return outcome
    }
}
