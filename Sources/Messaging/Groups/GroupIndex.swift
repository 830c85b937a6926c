import Basics
import PeerProtocol
import Store
import Threads
import Vocabulary

/// The groups of this account in memory, for decisions that can't wait for the disk: which accounts share one with us,
/// and where they can be found.
///
/// It is written on the reactor after each commit that changes a group, and read also on the store's threads. The
/// database is the truth; this is its shadow.
package final class GroupIndex: Sendable {
    /// One group, as committed.
    package struct Entry: Sendable, Equatable {
        package let id: UUIDv7
        package let root: EntryHash
        package var conversation: UUIDv7?
        /// Whether we are a member. A former member neither says nor gets anything.
        package var isMember: Bool
        package var name: String
        /// All members but ourselves, with their devices.
        package var others: [AccountID: Set<DeviceID>]
        /// Former members. They may still have something to say from that time; nothing is said to them.
        package var former: Set<AccountID> = []
        /// The digest of the group's avatar, and of the one that is here.
        package var avatar: [UInt8]?
        package var shownAvatar: [UInt8]?
        /// The friend who alone has told us of the group, as long as nobody else has confirmed it.
        package var unconfirmed: AccountID?
    }

    private struct State {
        var groups: [EntryHash: Entry] = [:]
        var roots: [UUIDv7: EntryHash] = [:]
        var mates: [AccountID: Set<EntryHash>] = [:]
        /// Members whose device is on the network.
        var here: Set<AccountID> = []
    }

    private let state = Lock(State())

    package init() {}

    package func entry(_ root: EntryHash) -> Entry? { state.withLock { $0.groups[root] } }
    package func entry(_ id: UUIDv7) -> Entry? {
        state.withLock { state in state.roots[id].flatMap { state.groups[$0] } }
    }
    /// How many groups are known.
    package var count: Int { state.withLock { $0.groups.count } }
    /// Groups that we are members of.
    package var all: [Entry] { state.withLock { $0.groups.values.filter(\.isMember) } }

    /// Whether the account is a member of a group of ours.
    package func isMate(_ account: AccountID) -> Bool { state.withLock { $0.mates[account] != nil } }
    /// Whether the account is or was a member of a group of ours, so that its frames are looked at.
    package func knows(_ account: AccountID) -> Bool {
        state.withLock { state in
            state.mates[account] != nil
                || state.groups.values.contains { $0.isMember && $0.former.contains(account) }
        }
    }

    /// The groups that the account and we are members of, in an order that stays.
    package func shared(with account: AccountID) -> [EntryHash] {
        state.withLock { ($0.mates[account] ?? []).sorted() }
    }

    /// Whether a device of a member is on the network.
    package func isHere(_ account: AccountID) -> Bool { state.withLock { $0.here.contains(account) } }
    package func setHere(_ accounts: Set<AccountID>) { state.withLock { $0.here = accounts } }

    /// The devices that an account's groups know of, where the account may be.
    package func devices(of account: AccountID) -> Set<DeviceID> {
        state.withLock { state in
            (state.mates[account] ?? []).reduce(into: []) { $0.formUnion(state.groups[$1]?.others[account] ?? []) }
        }
    }

    /// Takes over a group that a commit has changed.
    /// - Returns: the accounts that were no mates before, and those that are none any more.
    @discardableResult
    package func update(_ entry: Entry) -> (came: Set<AccountID>, went: Set<AccountID>) {
        state.withLock { state in
            let old = state.groups[entry.root].map { $0.isMember ? Set($0.others.keys) : [] } ?? []
            let new: Set<AccountID> = entry.isMember ? Set(entry.others.keys) : []
            state.groups[entry.root] = entry
            state.roots[entry.id] = entry.root
            var came: Set<AccountID> = []
            var went: Set<AccountID> = []
            for account in new.subtracting(old) {
                if state.mates[account] == nil { came.insert(account) }
                state.mates[account, default: []].insert(entry.root)
            }
            for account in old.subtracting(new) {
                state.mates[account]?.remove(entry.root)
                guard state.mates[account]?.isEmpty == true else { continue }
                state.mates[account] = nil
                went.insert(account)
            }
            return (came, went)
        }
    }
}

extension GroupIndex: GroupMembership {
    package func members(of conversation: UUIDv7) -> Set<AccountID> {
        all.first { $0.conversation == conversation }.map { Set($0.others.keys) } ?? []
    }
}

extension GroupIndex {
    /// The groups as the database has them.
    package static func entries(in transaction: ReadTransaction) throws -> [Entry] {
        guard let own = try transaction.ownAccount()?.account else { return [] }
        return try transaction.groups().compactMap { entry(of: try transaction.whole($0), own: own) }
    }

    /// A group as the database has it; nil for a row that is damaged.
    package static func entry(of group: WholeGroup, own: AccountID) -> Entry? {
        let row = group.row
        guard let root = EntryHash(row.root) else { return nil }
        var others: [AccountID: Set<DeviceID>] = [:]
        var former: Set<AccountID> = []
        for member in group.members where member.account != own {
            if member.isPresent { others[member.account] = [] } else { former.insert(member.account) }
        }
        for device in group.devices { others[device.account]?.insert(device.device) }
        return Entry(
            id: row.id, root: root, conversation: row.conversation, isMember: row.state == .member, name: row.name,
            others: others, former: former, avatar: row.avatar, shownAvatar: row.shownAvatar,
            unconfirmed: group.unconfirmedGiver)
    }
}
