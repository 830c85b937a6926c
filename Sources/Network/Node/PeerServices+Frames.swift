import Basics
import Messaging
import PeerProtocol
import Reactor

extension PeerServices: IncomingServices {
    package var graphs: GroupGraphs { groups.account.graphs }
    package var groupCount: Int { groups.index.count }

    package var parcels: ParcelOpening? { account.keys.map { ParcelOpening($0) } }

    package func came(_ frames: [DurableFrame], from account: AccountID) {
        // This is told before the commit: after it the friend may be typing again.
        if frames.contains(where: \.isMessage) { typing.messageCame(from: account) }
        if frames.contains(where: \.isGroupEntry) { typing.entryCame(from: account) }
    }

    package func lookAtDownloads(then: @escaping @ReactorActor (Destination) -> Void) {
        destinations.lookAtDownloads(then: then)
    }

    /// The committer knows what only the reactor knows about the frames: where a request comes from, and which records of
    /// calls are more than the peer may send now.
    package func committer(
        of frames: [DurableFrame], from session: PeerSession, at destination: Destination
    ) -> IncomingCommitter {
        let (environment, peer) = (session.environment, session.peer)
        // When the account is locked the network is gone; what is on its way is still stored.
        let network = session.owner
        var committer = IncomingCommitter(
            peer: peer, name: network?.displayName(of: peer.device), choices: choices,
            destination: destination,
            isHere: { [contacts = contacts.index] in contacts.isOnline($0) },
            space: DataSpace(of: environment.directory), groups: account.voice?.scope)
        if frames.contains(where: \.isContactRequest) { committer.origin = origin(of: session) }
        committer.callsPutOff = Set(
            frames.lazy.filter { $0.isCall && !calls.acceptsRecord(of: $0.id, from: peer.account) }.map(\.id))
        return committer
    }

    /// Where a request on a session comes from; it counts.
    func origin(of session: PeerSession) -> RequestOrigin {
        let (peer, host) = (session.peer.account, session.connection.remoteAddress?.host)
        return contacts.origin(
            of: peer, at: host, link: host.flatMap { session.owner?.link(of: $0) },
            isMate: groups.index.isMate(peer), now: session.environment.clocks.now)
    }

    package func spread(_ effects: GroupEffects, from session: PeerSession) { groups.spread(effects, from: session) }
}
