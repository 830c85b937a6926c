import Basics
import Messaging
import Network
import Reactor

/// Which waiting transfers have a peer that can be reached.
@ReactorActor struct Reachability {
    let service: TransferService

    /// Whether the transfer's peer has a session and can be dialled, and is not a suspended contact. For a group's
    /// file, any member that can be dialled will do; for one that a courier has, the courier.
    func isHere(_ item: TransferQueue.Item) -> Bool {
        guard let group = item.group else {
            return service.canBeDialled(item.peer)
                || service.parcels.couriers(of: item.id).contains(where: service.canBeDialled)
        }
        return service.members.members(of: group).contains { service.sessions.address(of: $0) != nil }
    }
}
