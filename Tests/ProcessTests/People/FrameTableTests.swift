import Basics
import ControlProtocol
import Crypto
import PeerProtocol
import TestSupport
import Testing
import Vocabulary

/// Goal: a stranger can do nothing but ask. Peers of each relation send every kind of frame to a real daemon: the table
/// says what is answered, and which relation results.
@Suite("Every kind of frame from peers of every relation", .serialized)
struct FrameTableTests {
    private enum Answer: Equatable {
        case pong
        case stored
        case refused(Reason)
        /// There is no answer.
        case nothing
        /// The session ends, because the peer wanted it to.
        case closes
        /// The connection ends before any answer.
        case turnedAway
    }

    /// One row: the kind, and for each relation the answer and the relation that results (if it changes).
    private struct Row {
        let kind: FrameKind
        let none: (Answer, Relation?)
        let requested: (Answer, Relation?)
        let incoming: (Answer, Relation?)
        let friend: (Answer, Relation?)

        init(_ kind: FrameKind, all answer: Answer) {
            self.kind = kind
            (none, requested, incoming, friend) = ((answer, nil), (answer, nil), (answer, nil), (answer, nil))
        }

        init(_ kind: FrameKind, friends answer: Answer) {
            self.kind = kind
            let refused: (Answer, Relation?) = (.refused(.notFriends), nil)
            (none, requested, incoming, friend) = (refused, refused, refused, (answer, nil))
        }

        /// A row about an unknown group. A friend may be mistaken, and another peer may be a member of whom we have not
        /// heard yet.
        init(group kind: FrameKind, friends answer: Answer) {
            self.kind = kind
            let early: (Answer, Relation?) = (.refused(.busy), nil)
            (none, requested, incoming, friend) = (early, early, early, (answer, nil))
        }

        init(
            _ kind: FrameKind, none: (Answer, Relation?), requested: (Answer, Relation?), incoming: (Answer, Relation?),
            friend: (Answer, Relation?)
        ) {
            self.kind = kind
            (self.none, self.requested, self.incoming, self.friend) = (none, requested, incoming, friend)
        }

        func cell(_ relation: Relation) -> (answer: Answer, after: Relation) {
            let cell =
                switch relation {
                case .none: none
                case .requested: requested
                case .incoming: incoming
                case .friend: friend
                case .blocked: (Answer.turnedAway, Relation?.none)
                }
            return (cell.0, cell.1 ?? relation)
        }
    }

    private static let table = [
        Row(.ping, all: .pong), Row(.pong, all: .nothing), Row(.close, all: .closes), Row(.receipt, all: .nothing),
        Row(.card, all: .nothing),
        Row(
            .contactRequest, none: (.stored, .incoming), requested: (.stored, .friend), incoming: (.stored, nil),
            friend: (.stored, nil)),
        // An acceptance without a request makes no friend, and takes back what its sender has asked.
        Row(
            .contactAnswer, none: (.refused(.notFriends), nil), requested: (.stored, .friend),
            incoming: (.stored, Relation.none), friend: (.stored, nil)),
        // Our request crosses the removal and stands.
        Row(
            .contactRemoval, none: (.refused(.notFriends), nil), requested: (.stored, nil),
            incoming: (.stored, Relation.none), friend: (.stored, Relation.none)),
        Row(.typing, all: .nothing), Row(.presence, all: .nothing),
        Row(.avatar, all: .nothing), Row(.avatarRequest, all: .nothing), Row(.discoveryKeys, all: .nothing),
        // These pages are unasked. A question gets a page if there is discovery, which is no receipt.
        Row(.peerExchangeRequest, all: .nothing), Row(.peerExchange, all: .nothing),
        Row(.reachRequest, all: .nothing), Row(.reach, all: .nothing),
        Row(.message, friends: .stored), Row(.edit, friends: .stored), Row(.deletion, friends: .stored),
        Row(.reaction, friends: .stored), Row(.seen, friends: .stored),
        // This is about an unknown transfer.
        Row(.fileStatus, friends: .refused(.notFound)),
        Row(.groupHeads, all: .nothing), Row(.groupTops, all: .nothing), Row(.groupWant, all: .nothing),
        Row(.groupEntries, all: .nothing), Row(.groupTyping, all: .nothing),
        Row(group: .groupChange, friends: .refused(.invalid)),
        Row(group: .groupEntry, friends: .refused(.busy)),
        Row(group: .groupSeen, friends: .refused(.busy)),
        // For an account that hasn't named this one as its courier.
        Row(.parcel, friends: .refused(.notFound)), Row(.parcelNews, friends: .stored), Row(.had, friends: .stored),
        Row(.mailNote, all: .nothing),
        Row(FrameKind(rawValue: 999), all: .refused(.unsupported)),
    ]

    private static let root = EntryHash(hashing: [1, 2, 3])

    /// The first entry of an unknown device.
    private static func entry(_ id: UUIDv7, of root: EntryHash, at now: WallTime) throws -> GroupEntryBody {
        let position = LogEntry.Position(root: root, sequence: 1, previous: nil, heads: [root], dependencies: [])
        return GroupEntryBody(
            try LogEntry.make(
                .message, id: id, content: [1], at: position, key: SigningKey(),
                time: HybridTime(milliseconds: now.milliseconds), at: now))
    }

    /// All kinds of the table.
    static var kinds: [FrameKind] { table.map(\.kind) }

    /// An honest frame of that kind.
    static func frame(_ kind: FrameKind, of peer: TestPeer) throws -> Frame {
        let now = SystemClocks().wallTime
        let (message, time) = (freshID(), HybridTime(milliseconds: now.milliseconds))
        let body: [UInt8] =
            switch kind {
            case .close: CloseBody(reason: .goodbye).encoded()
            case .receipt: try ReceiptBody(status: .stored, ids: [freshID()]).encoded()
            case .card: peer.card.encoded
            case .contactRequest: try ContactRequestBody(note: "hi", time: time).encoded()
            case .contactAnswer: try ContactAnswerBody(accepted: true, time: time).encoded()
            case .contactRemoval: ContactRemovalBody(time: time).encoded()
            case .typing: TypingBody(isTyping: true).encoded()
            case .presence: PresenceBody(.away).encoded()
            case .discoveryKeys:
                DiscoveryKeysBody(
                    number: 1, shared: DiscoveryKeys(peer.deviceKey).shared(1),
                    pair: DiscoveryKeys(peer.deviceKey).pair(with: peer.certificate.account), held: 0
                ).encoded()
            case .avatarRequest: try AvatarRequestBody(digest: [UInt8](repeating: 7, count: 32)).encoded()
            case .peerExchangeRequest: PeerExchangeRequestBody().encoded()
            case .peerExchange: PeerExchangeBody(entries: [], hasMore: true).encoded()
            case .reachRequest: ReachRequestBody(number: 7).encoded()
            case .reach: ReachBody(number: 7, outcome: .reached, time: now, address: nil, detail: nil).encoded()
            case .message: try textBody("from the table")
            case .edit: try EditBody(message: message, text: "x", time: time, editedAt: now).encoded()
            case .deletion: try DeletionBody(message: message, time: time, sentAt: now).encoded()
            case .reaction: try ReactionBody(message: message, emoji: "👍", time: time, removed: false).encoded()
            case .seen: try SeenBody(messages: [message]).encoded()
            case .fileStatus: try FileStatusBody(transfer: freshID(), status: .accepted).encoded()
            case .groupHeads: try GroupHeadsBody(root: root, heads: [root], digest: root).encoded()
            case .groupTops: try GroupTopsBody(root: root, tops: [], isReply: false).encoded()
            case .groupWant: try GroupWantBody(root: root, heads: [root]).encoded()
            case .groupEntries: try GroupEntriesBody(root: root).encoded()
            case .groupChange: try GroupChangeBody(root: root, entries: [[1]]).encoded()
            case .groupEntry: try entry(message, of: root, at: now).encoded()
            case .groupSeen: try GroupSeenBody(root: root, messages: [message]).encoded()
            case .groupTyping: GroupTypingBody(root: root, isTyping: true).encoded()
            case .parcel:
                try ParcelBody(
                    from: peer.certificate.account, to: AccountID(SigningKey().publicKey), days: 1, sealed: [1]
                ).encoded()
            case .parcelNews: try ParcelNewsBody([.init(message, .dropped)]).encoded()
            case .had: try HadBody(stored: [message]).encoded()
            case .mailNote:
                try MailNote.issue(
                    by: peer.deviceKey, certificate: peer.certificate, key: AgreementKey().publicKey, made: now,
                    couriers: [], days: 0
                ).encoded()
            default: []
            }
        let needsReceipt =
            ![
                .ping, .pong, .close, .receipt, .card, .typing, .presence, .avatar, .avatarRequest, .discoveryKeys,
                .peerExchangeRequest, .peerExchange, .reachRequest, .reach, .groupHeads, .groupTops, .groupWant,
                .groupEntries,
                .groupTyping, .mailNote,
            ].contains(kind)
        // The frame of an entry has the entry's id.
        let id = kind == .groupEntry ? message : freshID()
        return Frame(kind: kind, id: needsReceipt ? id : .zero, body: body)
    }

    /// Connects a peer that has this relation with the daemon, from an address of its own: one address makes few requests at once.
    private static func link(
        _ peer: TestPeer, _ relation: Relation, _ anna: DaemonProcess, from source: IPAddress
    ) throws -> PeerLink {
        switch relation {
        case .none: return try peer.openSession(with: anna, from: source)
        case .friend: return try peer.befriend(anna, from: source)
        case .requested:
            let link = try peer.openSession(with: anna, from: source)
            try link.roundTrip()
            try anna.call("contact.request", ["id": .string(peer.id)])
            _ = try link.frame(.contactRequest)
            return link
        case .incoming:
            let link = try peer.openSession(with: anna, from: source)
            let request = Frame(kind: .contactRequest, id: freshID(), body: try ContactRequestBody().encoded())
            link.send(request)
            #expect(try link.receipt(for: request.id).status == .stored)
            return link
        case .blocked:
            try anna.call("contact.block", ["id": .string(peer.id)])
            return try peer.connect(to: anna, from: source)
        }
    }

    @Test(
        "A group's entry needs its own id as the frame's, and a question about an unknown group gets an empty page"
    )
    func groupFrames() throws {
        let anna = try DaemonProcess.launch(name: "Anna", options: .init(logLevel: .info))
        let fred = try TestPeer("Fred")
        let link = try fred.befriend(anna)
        let entry = try Self.frame(.groupEntry, of: fred)
        link.send(entry, Frame(kind: .groupEntry, id: id(after: entry.id), body: entry.body))
        #expect(try link.refusal(of: entry.id) == .busy)
        #expect(try link.refusal(of: id(after: entry.id)) == .invalid)
        link.send(try Self.frame(.groupWant, of: fred))
        let page = try GroupEntriesBody(decoding: try link.frame(.groupEntries).body)
        #expect(page == GroupEntriesBody(root: Self.root))
    }

    private func id(after id: UUIDv7) -> UUIDv7 { UUIDv7(high: id.high, low: id.low &+ 1) }

    private static func answer(to frame: Frame, on link: PeerLink) throws -> Answer {
        link.send(frame)
        do {
            if frame.kind == .ping {
                _ = try link.frame(.pong)
                return .pong
            }
            if frame.needsReceipt { return try link.refusal(of: frame.id).map { .refused($0) } ?? .stored }
            try link.roundTrip()
            return .nothing
        } catch is PeerLink.Ended {
            return .closes
        }
    }

    @Test("Each cell of the table", arguments: Relation.allCases)
    func table(relation: Relation) throws {
        let anna = try DaemonProcess.launch(name: "Anna", options: .init(logLevel: .info))
        for row in Self.table {
            let (expected, after) = row.cell(relation)
            let what = Comment(rawValue: "\(row.kind), \(relation)")
            let peer = try TestPeer("Peer \(row.kind.rawValue)")
            let link = try Self.link(peer, relation, anna, from: .v4(0x7F00_0100 + UInt32(row.kind.rawValue)))
            let frame = try Self.frame(row.kind, of: peer)
            if expected == .turnedAway {
                link.send(frame)
                #expect(throws: PeerLink.Ended.self, what) { try link.frame("a word") { _ in true } }
            } else {
                #expect(try Self.answer(to: frame, on: link) == expected, what)
            }
            #expect(try anna.contact(peer.id)?.relation ?? .none == after, what)
            if relation == .none, after == .none { #expect(try anna.contact(peer.id) == nil, what) }
        }
        let chats = try anna.call("conversation.list", ["limit": 500])["conversations"]?.array ?? []
        // There is one message, and one tombstone of a deleted message that never came.
        #expect(chats.count == (relation == .friend ? 2 : 0), "\(relation): no other peer has written anything")
        let transfers = try anna.call("transfer.list")["transfers"]?.array
        #expect(transfers?.isEmpty == true)
        try #require(anna.isRunning)
    }
}
