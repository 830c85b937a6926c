import Messaging
import Network
import Reactor

/// Which waiting transfers have a peer that can be reached.
@ReactorActor struct Reachability {
    let sessions: Sessions
    let contacts: ContactIndex
    let members: any GroupMembership

    /// Whether the transfer's peer has a session and can be dialled, and is not a suspended contact. For a group's
    /// file, any member that can be dialled will do.
    func isHere(_ item: TransferQueue.Item) -> Bool {
        guard let group = item.group else {
            return sessions.address(of: item.peer) != nil && !contacts.isSuspended(item.peer)
        }
        return members.members(of: group).contains { sessions.address(of: $0) != nil }
    }
}
