import PeerProtocol
import Reactor

extension PeerNetwork {
    /// Hands on a hint to the service that it is for.
    package func session(_ session: PeerSession, told hint: Hint) {
        let account = session.peer.account
        switch hint {
        case .presence(let body):
            session.peerPresence = body.presence
            updatePresence(of: account)
        case .discoveryKeys(let body):
            keys.came(body, from: session)
            keysCame(from: session)
        case .typing(let body): services.typing.heard(account, isTyping: body.isTyping)
        case .avatarRequest(let request):
            let digest = request.digest
            if !services.avatars.wanted(digest, by: session) { services.groups.avatars.wanted(digest, by: session) }
        case .avatar(let avatar):
            if !services.groups.avatars.came(avatar, from: account) { services.avatars.came(avatar, from: account) }
        case .peerExchangeRequest(let request): discovery?.peerExchange.wanted(request, by: session)
        case .peerExchange(let page): discovery?.peerExchange.came(page, from: session)
        case .reachRequest(let request): services.reach.dialBack(session, request.number)
        case .reach(let answer): services.reach.came(answer, from: session)
        case .group(let frame): services.groups.heard(frame, from: session)
        case .callState(let body): services.calls.heard(body, from: session)
        case .callSignal(let body): services.calls.heard(body, from: session)
        case .mailNote(let note): couriers.came(note, from: session)
        }
    }
}
