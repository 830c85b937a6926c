import Basics
import PeerProtocol
import Store
import Vocabulary

/// How much one friend may make us store for groups.
package struct GroupBounds {
    private let transaction: ReadTransaction

    package init(_ transaction: ReadTransaction) { self.transaction = transaction }

    /// Why a peer's words about the membership of a group aren't looked at.
    package func refusal(of root: EntryHash, from peer: AccountID) throws -> Refusal? {
        let row = try transaction.group(root: root.bytes)
        let isFriend = try transaction.contact(peer)?.relation == .friend
        if let row, row.state == .member {
            // A member that was just added may speak before we have heard of it: its frame then waits at its end. A
            // member that was just removed still has to say what it knows.
            guard try isFriend || transaction.member(peer, of: row.id) != nil else {
                return Refusal(.busy, detail: Self.unknown)
            }
            return nil
        }
        guard isFriend else { return Refusal(.notFriends) }
        return try row != nil || mayBegin(peer) ? nil : Refusal(.busy, detail: Self.unconfirmed)
    }

    package static let unknown = "not known to be a member of this group"
    /// The words for the friend, whose daemon keeps what it wanted to tell us.
    package static let unconfirmed = "too many groups that nobody has taken part in yet"

    /// Whether a friend may tell us of one more group: few groups that nobody else has confirmed are kept.
    package func mayBegin(_ friend: AccountID) throws -> Bool {
        let load = try transaction.unconfirmedLoad(of: friend, but: nil)
        return load.groups < MessagingLimits.unconfirmedGroups && load.members < MessagingLimits.unconfirmedMembers
    }

    /// Confirms a group if the user, or another friend than the one who introduced it, speaks in it. Nobody else's
    /// words confirm it: keys cost nothing, so a friend can speak as a thousand members.
    /// - Parameter accounts: the accounts that speak.
    package static func confirm(
        _ group: UUIDv7, by accounts: some Sequence<AccountID>, own: AccountID, in transaction: WriteTransaction
    ) throws {
        guard let giver = try transaction.unconfirmedGiver(of: group) else { return }
        for account in accounts where account != giver {
            guard try account == own || transaction.contact(account)?.relation == .friend else { continue }
            return try transaction.confirm(group: group)
        }
    }

    /// How much a group may have besides all others that the same friend has told us of.
    /// - Parameters:
    ///   - row: the group; nil for one that is not here.
    ///   - peer: the friend who tells us of a group that is not here.
    package func room(for group: UUIDv7, _ row: GroupRow?, from peer: AccountID) throws -> GroupRoom {
        let least = MessagingLimits.groupBytesAtLeast
        guard let giver = try row.map({ try transaction.giver(of: $0.id) }) ?? peer else {
            return GroupRoom(bytes: .max, members: .max)
        }
        let load = try transaction.groupLoad(of: giver, but: group, countingAtLeast: least)
        guard load + least <= MessagingLimits.groupBytesOfFriend else { return GroupRoom(bytes: 0, members: 0) }
        var room = GroupRoom(bytes: MessagingLimits.groupBytesOfFriend - load, members: .max)
        if row?.state ?? .arriving == .arriving {
            let arriving = try transaction.groupLoad(of: nil, but: group, countingAtLeast: 0)
            room.bytes = min(room.bytes, max(0, MessagingLimits.arrivingBytes - arriving))
        }
        if let row, try transaction.unconfirmedGiver(of: row.id) == nil { return room }
        let others = try transaction.unconfirmedLoad(of: giver, but: group)
        let bytes = max(0, MessagingLimits.unconfirmedBytes - others.bytes)
        if bytes < room.bytes { (room.bytes, room.isPassing) = (bytes, true) }
        // The first group may have any size, because an old, large group must be able to come.
        if others.groups > 0 { room.members = max(0, MessagingLimits.unconfirmedMembers - others.members) }
        return room
    }
}

/// How much a group may have.
package struct GroupRoom {
    /// Bytes of its membership.
    package var bytes: Int
    /// Present and former members.
    package var members: Int
    /// Whether the limit is so low only until the group is confirmed.
    package var isPassing = false
}
