import PeerProtocol
import Reactor

extension PeerServices {
    /// Hands on a hint to the service that it is for.
    @ReactorActor func obey(_ hint: Hint, from session: PeerSession) {
        switch hint {
        case .presence(let body):
            session.peerPresence = body.presence
            session.network?.updatePresence(of: session.peer.account)
        case .discoveryKeys(let keys): session.network?.keys.came(keys, from: session)
        case .typing(let body): typing.heard(session.peer.account, isTyping: body.isTyping)
        case .avatarRequest(let request):
            let digest = request.digest
            if !avatars.wanted(digest, by: session) { groups.avatars.wanted(digest, by: session) }
        case .avatar(let avatar):
            if !groups.avatars.came(avatar, from: session.peer.account) {
                avatars.came(avatar, from: session.peer.account)
            }
        case .peerExchangeRequest(let request): session.network?.discovery?.peerExchange.wanted(request, by: session)
        case .peerExchange(let page): session.network?.discovery?.peerExchange.came(page, from: session)
        case .reachRequest(let request): reach.dialBack(session, request.number)
        case .reach(let answer): reach.came(answer, from: session)
        case .group(let frame): groups.heard(frame, from: session)
        case .callState(let body): calls.heard(body, from: session)
        case .callSignal(let body): calls.heard(body, from: session)
        }
    }
}
