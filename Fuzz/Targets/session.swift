import Basics
import Crypto
import PeerProtocol
import Vocabulary

/// A session after decryption with an authenticated, hostile peer. The first byte sets the relation and the pieces.
enum FuzzTarget {
    private static let id = UUIDv7(high: 0x0190_0000_0000_7000, low: 0x8000_0000_0000_0001)
    private static let ourCard = Identities.card(1)

    static let seeds: [[UInt8]] = {
        let card = Frame(kind: .card, body: Identities.card(2).encoded).encoded()
        let message = MessageBody(
            kind: .text, text: "hello", time: HybridTime(rawValue: 77), sentAt: Identities.wallTime)
        let text = Frame(kind: .message, id: id, body: (try? message.encoded()) ?? []).encoded()
        let request = Frame(
            kind: .contactRequest, id: id, body: (try? ContactRequestBody(note: "hi").encoded()) ?? []
        ).encoded()
        let receipt = Frame(
            kind: .receipt, body: (try? ReceiptBody(status: .stored, ids: [id]).encoded()) ?? []
        ).encoded()
        let edit = Frame(
            kind: .edit, id: id,
            body: (try? EditBody(message: id, text: "hi", time: message.time, editedAt: message.sentAt).encoded()) ?? []
        ).encoded()
        let seen = Frame(kind: .seen, id: id, body: (try? SeenBody(messages: [id]).encoded()) ?? []).encoded()
        let typing = Frame(kind: .typing, body: TypingBody(isTyping: true).encoded()).encoded()
        let digest = [UInt8](repeating: 7, count: 32)
        let presence = Frame(kind: .presence, body: PresenceBody(.away).encoded()).encoded()
        let avatars =
            Frame(kind: .avatarRequest, body: (try? AvatarRequestBody(digest: digest).encoded()) ?? []).encoded()
            + Frame(kind: .avatar, body: (try? AvatarBody(digest: digest, file: [1]).encoded()) ?? []).encoded()
        let root = EntryHash(hashing: [1])
        let heads = GroupHeadsBody(root: root, heads: [root], digest: root)
        let groups =
            Frame(kind: .groupHeads, body: (try? heads.encoded()) ?? []).encoded()
            + Frame(kind: .groupWant, body: (try? GroupWantBody(root: root, hashes: [root]).encoded()) ?? []).encoded()
            + Frame(kind: .groupTyping, body: GroupTypingBody(root: root, isTyping: true).encoded()).encoded()
            + Frame(kind: .groupSeen, id: id, body: (try? GroupSeenBody(root: root, messages: [id]).encoded()) ?? [])
            .encoded()
        let device = Identities.card(2).device
        let peerExchange =
            Frame(kind: .peerExchangeRequest, body: PeerExchangeRequestBody(devices: [device], after: device).encoded())
            .encoded()
            + Frame(kind: .peerExchange, body: PeerExchangeBody(entries: [], hasMore: true).encoded()).encoded()
        let discovery = DiscoveryKeys(Identities.key(102))
        let keys = Frame(
            kind: .discoveryKeys,
            body: DiscoveryKeysBody(
                number: 1, shared: discovery.shared(1), pair: discovery.pair(with: Identities.certificate(1).account),
                held: 0
            ).encoded()
        ).encoded()
        let reach =
            Frame(kind: .reachRequest, body: ReachRequestBody(number: 7).encoded()).encoded()
            + Frame(
                kind: .reach,
                body: ReachBody(number: 7, outcome: .failed, time: message.sentAt, address: nil, detail: "no").encoded()
            ).encoded()
        let ping = Frame(kind: .ping).encoded()
        let unknown = Frame(kind: FrameKind(rawValue: 999), id: id, body: [1, 2, 3]).encoded()
        let close = Frame(kind: .close, body: CloseBody(reason: .goodbye).encoded()).encoded()
        return [
            [3] + card + text + receipt + ping, [0] + card + request, [13] + ping + unknown + close,
            [3] + card + text + text, [3] + card + edit + text + seen,
            [3] + card + typing + text + typing, [3] + card + presence + avatars + presence,
            [0] + card + presence + avatars, [3] + card + groups, [2] + card + groups, [2] + card + avatars + presence,
            [3] + card + peerExchange + keys + reach, [2] + card + reach, [0] + card + keys + peerExchange,
        ]
    }()

    static func run(_ bytes: [UInt8]) {
        guard let first = bytes.first else { return }
        let relations = Relation.allCases
        let relation = relations[Int(first) % relations.count]
        let isGroupMate = first & 2 != 0
        var session = SessionMachine(
            peer: Identities.peer, relation: relation, isGroupMate: isGroupMate, isDialler: first & 8 != 0,
            now: Identities.now)
        var now = Identities.now
        var pending: [SessionInput] = [
            .opened(card: ourCard),
            .outbox([], hasMore: false), .hint(.presence(PresenceBody(.away))), .cardChanged(ourCard),
        ]
        var rest = bytes.dropFirst()
        let piece = first & 16 == 0 ? max(rest.count, 1) : Int(first >> 5) + 1
        while !pending.isEmpty || !rest.isEmpty {
            let input: SessionInput
            if pending.isEmpty {
                input = .received(Array(rest.prefix(piece)))
                rest = rest.dropFirst(piece)
            } else {
                input = pending.removeFirst()
            }
            let wasClosed = session.isClosed
            for effect in session.receive(input, now: now) {
                require(!wasClosed, "nothing comes after the close")
                switch effect {
                case .hint(.presence), .hint(.typing), .hint(.reachRequest), .hint(.reach):
                    require(session.relation == .friend, "presence, typing and dials are for friends")
                case .hint(.group), .hint(.avatarRequest), .hint(.avatar):
                    require(
                        session.relation == .friend || (isGroupMate && session.relation != .blocked),
                        "words about groups and avatars, which groups have too, are for friends and group mates")
                    if case .hint(.avatarRequest(let request)) = effect {
                        pending.append(.hint(.avatar(AvatarBody(digest: request.digest, file: [1, 2, 3]))))
                    }
                case .hint(.discoveryKeys):
                    require(session.relation != .blocked, "nothing of a blocked peer is looked at")
                case .hint(.peerExchangeRequest):
                    require(session.relation != .blocked, "nothing of a blocked peer is looked at")
                    pending.append(.hint(.peerExchange(PeerExchangeBody(entries: [], hasMore: false))))
                default: break
                }
                if case .commit(let frames) = effect {
                    require(session.relation != .blocked, "nothing of a blocked peer is stored")
                    // Some frames of a group may be put off while the others are stored.
                    let split = first & 4 == 0 ? frames.count : frames.count / 2
                    pending.append(.committed(frames[..<split].map(\.id), .stored))
                    pending.append(.committed(frames[split...].map(\.id), .putOff(Refusal(.busy))))
                }
            }
            now = now + .milliseconds(50)
            if let due = session.nextDeadline, due <= now { pending.append(.tick) }
        }
    }
}
