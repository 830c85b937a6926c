import Basics
import Vocabulary

/// The most frequent questions about a group's membership. ``GroupGraph`` answers them, and so does a database, which
/// can mostly do so without making a graph; that takes milliseconds.
public protocol MembershipView {
    /// The entries that none follows, ascending.
    var heads: [EntryHash] { get }
    /// Whether an entry is here.
    func contains(_ hash: EntryHash) throws -> Bool
    /// The place from which on a member sees each chain; a device that isn't here: from 1. There is none for their own
    /// chain: a member that has lost a part of it, or joined the group again, goes on after all that they ever wrote in it.
    func floors(of account: AccountID) throws -> [DeviceID: UInt64]
}

extension GroupGraph: MembershipView {
    public func floors(of account: AccountID) -> [DeviceID: UInt64] {
        guard let member = state.members[account] else { return [:] }
        var floors = member.floors
        for certificate in member.certificates { floors[certificate.device] = nil }
        return floors
    }
}
