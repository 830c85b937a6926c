import Basics
import Messaging
import PeerProtocol
import Reactor
import Runtime
import Vocabulary

/// Friends who are not known here, because the disk was lost and the account was made again from its recovery code.
extension PeerNetwork {
    /// Whether the account may be such a friend: what only friends may send then waits on its side.
    package func mayBeFriend(_ peer: AccountID) -> Bool {
        guard services.account.isRecovering else { return false }
        // Somebody known without a relation was declined or removed here.
        guard let relation = services.contacts.index.entry(peer)?.relation else { return true }
        return relation == .incoming || relation == .requested
    }

    /// The account no longer counts as one that was made again from its recovery code: who is not known is a stranger.
    package func recoveryEnded() {
        for session in sessions.all { session.lookWhetherFriend() }
    }

    /// The peer has given its keys, which it does to friends and to accounts that it asks. A request follows at once, or
    /// else it takes us for a friend.
    func keysCame(from session: PeerSession) {
        guard isUnknown(session), !session.isExpectedToAsk else { return }
        session.isExpectedToAsk = true
        _ = Reactor.shared.schedule(at: environment.clocks.now + NetworkLimits.requestBehindKeys) {
            [weak self, weak session] in
            guard let self, let session, sessions.with(session.peer.account) === session else { return }
            showAsAsking(session)
        }
    }

    private func isUnknown(_ session: PeerSession) -> Bool {
        services.account.isRecovering && services.contacts.index.entry(session.peer.account) == nil
    }

    /// The same limits hold as for a request: it shows up as one.
    private func showAsAsking(_ session: PeerSession) {
        session.isExpectedToAsk = false
        guard isUnknown(session) else { return }
        var committer = services.committer(of: [], from: session, at: Destination())
        committer.origin = services.origin(of: session)
        guard committer.origin.mayAsk else { return }
        let log = session.log
        environment.store.commit { [committer] in
            try committer.friendship(in: $0)
        } then: { result in
            // It shows up on the next session.
            if case .failure(let error) = result {
                log.warning("a friend of before can't be stored", [("error", "\(error)")])
            }
        }
    }
}
