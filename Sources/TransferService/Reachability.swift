import Basics
import Messaging
import Network
import Reactor

/// Which waiting transfers have a peer that can be reached.
@ReactorActor struct Reachability {
    let sessions: Sessions
    let contacts: ContactIndex
    let members: any GroupMembership
    let parcels: ParcelFiles

    /// Whether the transfer's peer has a session and can be dialled, and is not a suspended contact. For a group's
    /// file, any member that can be dialled will do; for one that a courier has, the courier.
    func isHere(_ item: TransferQueue.Item) -> Bool {
        guard let group = item.group else {
            return canBeDialled(item.peer) || parcels.couriers(of: item.id).contains(where: canBeDialled)
        }
        return members.members(of: group).contains { sessions.address(of: $0) != nil }
    }

    private func canBeDialled(_ account: AccountID) -> Bool {
        sessions.address(of: account) != nil && !contacts.isSuspended(account)
    }
}
