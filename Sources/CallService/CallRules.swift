import Basics
import ControlProtocol
import Messaging
import PeerProtocol
import Reactor
import Runtime
import Vocabulary

/// Decides by the contacts, the groups and the settings whose word about calls counts, and which calls may ring.
@ReactorActor struct CallRules {
    let environment: Environment
    let contacts: ContactIndex
    let groups: GroupIndex

    /// Whether the account may call, and be called: it is a friend, and its key has not changed.
    func mayCall(_ account: AccountID) -> Bool {
        contacts.relation(account) == .friend && !contacts.isSuspended(account)
    }

    /// Whether the account's word about calls counts: that of friends does, and that of members in their groups.
    func mayHear(_ account: AccountID) -> Bool {
        contacts.relation(account) != .blocked && !contacts.isSuspended(account)
            && (contacts.relation(account) == .friend || groups.isMate(account))
    }

    /// Returns a group as calls see it: without the members whose word doesn't count. Nil if this account is no member.
    func group(_ root: EntryHash) -> CallGroup? {
        guard let entry = groups.entry(root), entry.isMember else { return nil }
        return CallGroup(root: root, members: entry.others.filter { mayHear($0.key) })
    }

    /// Returns the group that a state names, if its sender is a member.
    func group(_ root: EntryHash?, of account: AccountID) -> CallGroup? {
        guard let root, let group = group(root), group.members[account] != nil else { return nil }
        return group
    }

    func isVerified(_ account: AccountID) -> Bool { contacts.entry(account)?.trust == .verified }

    /// Returns what the settings and the host say about a call of the account.
    /// - Parameters:
    ///   - root: the group of the call, if it is one.
    ///   - canRing: whether anything here can ring.
    func policy(for account: AccountID, in root: EntryHash?, canRing: Bool) -> CallPolicy {
        let isAllowed =
            switch environment.settings[SettingsCatalogue.callsAllow] {
            case .friends: true
            case .verified: isVerified(account)
            case .nobody: false
            }
        return CallPolicy(
            isAllowed: isAllowed, canRing: canRing,
            ringsWhileBusy: environment.settings[SettingsCatalogue.callsWhileBusy] == .ring,
            ringsGroups: environment.settings[SettingsCatalogue.callsRingGroups], payer: payer(for: account, in: root))
    }

    private func payer(for account: AccountID, in root: EntryHash?) -> CallPayer {
        guard let root, contacts.relation(account) != .friend else { return .friend(account) }
        return groups.entry(root)?.unconfirmed.map { .giver($0) } ?? .group(root)
    }
}
