import Messaging
import PeerProtocol
import Reactor

extension NetworkServices {
    /// Tells a committer what only the reactor knows of the frames: where a request comes from, and which records of calls are more
    /// than the peer may send now.
    @ReactorActor func judge(
        _ frames: [DurableFrame], from session: PeerSession, for committer: inout IncomingCommitter
    ) {
        let account = session.peer.account
        if frames.contains(where: \.isContactRequest) {
            let host = session.connection.remoteAddress?.host
            committer.origin = contacts.origin(
                of: account, at: host, link: host.flatMap { session.network?.doorway.watch.link(of: $0) },
                isMate: groups.index.isMate(account), now: session.environment.clocks.now)
        }
        committer.callsPutOff = Set(
            frames.lazy.filter { $0.isCall && !calls.takesRecord(of: $0.id, from: account) }.map(\.id))
    }
}
