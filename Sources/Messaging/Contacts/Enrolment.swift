import Basics
import Crypto
import PeerProtocol
import Store
import Vocabulary

/// Turns the accounts of a roster into friends, in portions: ``begin(in:)``, then ``carryOn(_:from:in:)`` as long as
/// there is more.
///
/// The first portion's commit remembers the roster as the one that counts, so an older one is refused from then on.
/// Each portion does what is not done yet, and each start begins again, so a crash between two portions loses nobody.
package struct Enrolment: Sendable {
    /// How a roster compares with the last one that was acted upon.
    package enum Standing: Hashable, Sendable {
        /// It is newer, or the first one. From now on it counts.
        case newer
        case same
        /// It is refused: the remembered roster has a greater version.
        case older(than: WallTime)
        /// It is refused: the remembered roster has the same version and says something else.
        case different
        /// It is refused: it comes from the future. If it counted, all that its signer signs until then would be refused.
        case ahead
    }

    /// What one portion did.
    package struct Portion: Sendable {
        /// How many became friends.
        package var friends = 0
        /// The friends under whose name the roster brings another account.
        package var changed: [AccountID] = []
        /// The first member of the next portion; nil if this was the last one.
        package var next: Int?
    }

    private let roster: Roster
    private let own: AccountID
    /// Makes the text by which the roster is remembered.
    private let text: @Sendable () -> [UInt8]
    private let read: @Sendable ([UInt8]) throws -> Roster

    /// - Parameters:
    ///   - text: makes the text by which the roster is remembered.
    ///   - read: reads a text that was remembered.
    package init(
        roster: Roster, own: AccountID, text: @escaping @Sendable () -> [UInt8],
        read: @escaping @Sendable ([UInt8]) throws -> Roster
    ) {
        self.roster = roster
        self.own = own
        self.text = text
        self.read = read
    }

    /// Compares a roster with the last one that was acted upon.
    /// - Parameters:
    ///   - known: the remembered roster of the same signer; nil if there is none.
    ///   - now: the time by which the signer's clock is judged.
    ///   - read: reads the text of `known`.
    package static func standing(
        of roster: Roster, to known: RosterRow?, now: WallTime, read: ([UInt8]) throws -> Roster
    ) -> Standing {
        if let known {
            if roster.version < known.version { return .older(than: WallTime(milliseconds: known.version)) }
            if roster.version == known.version {
                guard let other = try? read(known.text) else { return .same }
                return other == roster ? .same : .different
            }
        }
        return WallTime(milliseconds: roster.version) > now + MessagingLimits.rosterAhead ? .ahead : .newer
    }

    /// Decides which roster counts, and does the first portion of it.
    /// - Returns: how the roster stands, the roster that counts (nil if there is none), and what was done.
    package func begin(in changes: ContactChanges) throws -> (standing: Standing, counts: Roster?, portion: Portion) {
        let transaction = changes.transaction
        let stored = try transaction.roster(of: roster.signer)
        let standing = Self.standing(of: roster, to: stored, now: transaction.judgingTime, read: read)
        // A remembered roster that can't be read any more doesn't matter.
        let before = standing == .same ? nil : stored.flatMap { try? read($0.text) }
        guard let counts = standing == .newer || standing == .same ? roster : before else {
            return (standing, nil, Portion())
        }
        var portion = Portion()
        if standing == .newer {
            try transaction.save(
                RosterRow(signer: roster.signer, version: roster.version, text: text(), cameAt: transaction.wallTime))
            try look(at: counts, before: before, in: changes, &portion)
        }
        try enrol(counts, from: 0, in: changes, &portion)
        return (standing, counts, portion)
    }

    /// Does the next portion of the roster that counts; nothing if another one has come to count meanwhile.
    package func carryOn(_ counts: Roster, from index: Int, in changes: ContactChanges) throws -> Portion {
        var portion = Portion()
        guard try changes.transaction.roster(of: counts.signer)?.version == counts.version else { return portion }
        try enrol(counts, from: index, in: changes, &portion)
        return portion
    }

    /// Turns accounts without a relation, or with an open request, into friends. What the user has ended, declined or
    /// blocked stays as it is, so a friend who was removed does not come back with each start.
    private func enrol(
        _ counts: Roster, from index: Int, in changes: ContactChanges, _ portion: inout Portion
    ) throws {
        let members = counts.members.dropFirst(index)
        for member in members.prefix(MessagingLimits.rosterPortion) {
            if let row = try newcomer(member, in: changes.transaction) {
                _ = try changes.act(.enrol, on: row)
                portion.friends += 1
            }
        }
        portion.next = members.count > MessagingLimits.rosterPortion ? index + MessagingLimits.rosterPortion : nil
    }

    /// The row of a member who is to become a friend; nil for others.
    private func newcomer(_ member: Roster.Member, in transaction: WriteTransaction) throws -> ContactRow? {
        guard member.account != own else { return nil }
        let row =
            try transaction.contact(member.account)
            ?? ContactRow(account: member.account, displayName: member.name, createdAt: transaction.wallTime)
        return row.machine.takesEnrolment ? row : nil
    }

    /// Looks for friends under whose name the roster brings another account. That is what a friend with a new key looks
    /// like, but also somebody who takes a name: so nothing goes to those friends until the user has looked. The other
    /// account becomes a friend like any.
    /// - Parameter before: the roster that counted until now, which has the names of friends too.
    private func look(
        at counts: Roster, before: Roster?, in changes: ContactChanges, _ portion: inout Portion
    ) throws {
        let transaction = changes.transaction
        let newcomers = try counts.members.compactMap { member in
            try newcomer(member, in: transaction).map { (member: member, row: $0) }
        }
        let friends = newcomers.isEmpty ? [] : try transaction.contacts(.friend)
        guard !friends.isEmpty else { return }
        var names = Dictionary(
            (before?.members ?? []).map { ($0.account, $0.name) }, uniquingKeysWith: { first, _ in first })
        let letters = NameOrder.letters()
        var friendsByName: [[UInt8]: [AccountID]] = [:]
        for friend in friends {
            for key in Set(
                [friend.displayName, names.removeValue(forKey: friend.account)].compactMap { $0 }.map(letters.key))
            {
                friendsByName[key, default: []].append(friend.account)
            }
        }
        for (member, row) in newcomers {
            let keys = Set([member.name, row.displayName].map(letters.key))
            let namesakes = try Set(keys.flatMap { friendsByName[$0] ?? [] }).compactMap { try transaction.contact($0) }
            let marked = try ContactTrust.mark(namesakes, as: member.account, in: transaction)
            guard !marked.isEmpty else { continue }
            portion.changed += marked.map(\.account)
            // The marked friend names this account, so it is there from the same commit on.
            _ = try changes.act(.enrol, on: row)
            portion.friends += 1
        }
    }
}
