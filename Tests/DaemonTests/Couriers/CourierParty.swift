import Basics
import Crypto
import Messaging
import PeerProtocol
import Store
import Testing
import Vocabulary

@testable import Daemon

/// Somebody with the real store and committer and no network: a test carries the frames from one party to the other, in a
/// session's order and with a session's answers.
final class CourierParty {
    let penman: Penman
    let name: String
    let database: SimulatedDatabase
    private let clocks: SkewedClocks
    var making: ParcelMaking?
    /// What the committer has told the service of couriers.
    var news: [CourierNews] = []
    var space = DataSpace()
    /// Bytes of the longest file that goes with a parcel.
    var fileBytes: Int64 = 16 << 20

    var account: AccountID { penman.account }
    var local: LocalAccount { voice.account }
    /// Its graphs and chains live as long as the party.
    let voice: GroupVoice
    /// Up to where nothing has to be looked at again, as the service of couriers remembers it, and after how many losses.
    private var passed: [AccountID: [UUIDv7?: Int64]] = [:]
    private var passedAt = 0
    /// What groups lack, as the committer has told it.
    var missing: [EntryHash] = []

    init(_ number: UInt8, _ name: String) throws {
        penman = try Penman(number)
        voice = penman.voice
        self.name = name
        clocks = SkewedClocks(Timeline(), skew: .zero)
        database = try SimulatedDatabase(clocks: clocks)
        try database.start()
        let (account, device) = (penman.account, penman.person.peer.device)
        try write {
            try $0.saveOwnAccount(
                AccountRow(
                    account: account, device: device, deviceName: "host", displayName: name,
                    createdAt: $0.wallTime))
        }
    }

    @discardableResult
    func write<Value>(_ body: @escaping (WriteTransaction) throws -> Value) throws -> Value {
        var result: Result<Value, any Error> = .failure(StoreError.closed)
        database.submit(body) { result = $0 }
        database.runGroup(100)
        return try result.get()
    }

    func read<Value>(_ body: (ReadTransaction) throws -> Value) rethrows -> Value { try database.read(body) }

    func later(by time: Duration) { clocks.skew += time }

    /// Sets how this party stands with another one.
    func know(_ other: CourierParty, as relation: Relation = .friend) throws { try know([other], as: relation) }

    func know(_ others: [CourierParty], as relation: Relation = .friend) throws {
        try write { transaction in
            for other in others {
                var row =
                    try transaction.contact(other.account)
                    ?? ContactRow(
                        account: other.account, device: other.penman.person.peer.device, displayName: other.name,
                        createdAt: transaction.wallTime)
                (row.relation, row.card) = (relation, other.penman.person.card.encoded)
                try transaction.save(row)
            }
        }
    }

    // MARK: Notes

    /// Makes a mail key and the note that tells of it.
    func name(_ couriers: [CourierParty], days: Int = 14) throws {
        let local = local
        let named = couriers.map(\.account)
        making = try write { transaction in
            for courier in named { _ = try MailNotes.name(courier, in: transaction) }
            let (made, key) = (try MailNotes.nextTime(transaction), AgreementKey())
            try MailNotes.save(
                MailKeyRow(made: made, sealed: MailKeySeal.seal(key, made: made, by: local.deviceKey)),
                forgettingAfter: PeerLimits.mailKeyLife, in: transaction)
            let note = try MailNote.issue(
                by: local.deviceKey, certificate: local.certificate, key: key.publicKey, made: made, couriers: named,
                days: days)
            return ParcelMaking(note: note, key: key)
        }
    }

    /// Tells another party the note.
    func tell(_ other: CourierParty) throws { try tell([other]) }

    func tell(_ others: [CourierParty]) throws {
        let note = try #require(making).note
        for other in others {
            try other.write {
                _ = try MailNotes.save(
                    note.encoded(), of: note.device, note.account, made: note.made, isSaidNow: true,
                    devices: PeerLimits.parcelDevices, in: $0)
            }
        }
    }

    // MARK: Messages

    @discardableResult
    func say(_ text: String, to other: CourierParty, with files: [PreparedSource] = []) throws -> UUIDv7 {
        let (account, device) = (account, penman.person.peer.device)
        return try write { transaction in
            var draft = Draft(
                own: account, device: device, text: text, replyTo: nil, key: nil, now: transaction.wallTime)
            draft.target = .contact(other.account)
            draft.sources = files
            return try draft.commit(in: transaction).id
        }
    }

    /// The texts of the conversation with another party, sorted.
    func texts(with other: CourierParty) throws -> [String] {
        try read { transaction in
            guard let conversation = try transaction.conversation(with: other.account) else { return [] }
            return try transaction.messages(in: conversation.id, limit: 500).messages.map(\.text).sorted()
        }
    }

    func state(of message: UUIDv7) throws -> MessageState? { try read { try $0.message(message)?.state } }

    func holder(of message: UUIDv7) throws -> Holder? {
        try read { try $0.recipients(of: message).first?.holder }
    }

    func waiting(for other: CourierParty) throws -> [OutboxRow] {
        try read { try $0.outbox(for: other.account, limit: 500, maximumBytes: 16 << 20) }
    }

    // MARK: Groups

    /// Makes a group with other parties.
    func found(_ name: String, with others: [CourierParty]) throws -> UUIDv7 {
        let (voice, members) = (voice, others.map(\.account))
        return try write { try GroupCommands(voice, $0).create(GroupFounding(name: name), members: members).id }
    }

    @discardableResult
    func say(_ text: String, in group: UUIDv7) throws -> UUIDv7 {
        let (voice, account, device) = (voice, account, penman.person.peer.device)
        return try write { transaction in
            var draft = Draft(
                own: account, device: device, text: text, replyTo: nil, key: nil, now: transaction.wallTime)
            (draft.target, draft.voice) = (.group(group), voice)
            return try draft.commit(in: transaction).id
        }
    }

    /// The texts of a group's conversation, sorted, without what Kibo says there.
    func texts(in group: UUIDv7) throws -> [String] {
        try read { transaction in
            guard let conversation = try transaction.group(group)?.conversation else { return [] }
            return try transaction.messages(in: conversation, limit: 500).messages.filter { $0.kind != .system }
                .map(\.text).sorted()
        }
    }

    // MARK: Parcels

    /// Looks for something to seal for a party, and says what there is.
    func search(
        for other: CourierParty, onlyAnswers: Bool = false, isHurried: Bool = false,
        isHere: (AccountID) -> Bool = { _ in true }
    ) throws -> ParcelSearch {
        let making = try #require(making)
        let losses = news.count { if case .lost = $0 { true } else { false } }
        if losses != passedAt { passed = [:] }
        passedAt = losses
        let search = try read {
            try making.search(
                for: other.account, onlyAnswers: onlyAnswers, isHurried: isHurried, fileBytes: fileBytes,
                after: passed[other.account] ?? [:], isHere: isHere, in: $0, at: clocks.wallTime)
        }
        passed[other.account] = search.passed
        return search
    }

    /// Seals what waits for a party, and gives it to couriers.
    /// - Returns: the parcel; nil if there was nothing.
    @discardableResult
    func give(
        for other: CourierParty, to couriers: [CourierParty], onlyAnswers: Bool = false, isHurried: Bool = false
    ) throws -> (parcel: MadeParcel, isAll: Bool)? {
        let search = try search(for: other, onlyAnswers: onlyAnswers, isHurried: isHurried)
        let time = clocks.wallTime
        let sealed = try search.plan.flatMap { try making?.seal($0, with: $0.sealedFiles(at: time), at: time) }
        guard let parcel = sealed else { return nil }
        let given = couriers.map { (account: $0.account, days: 14) }
        _ = try write { try ParcelRecords(transaction: $0).give(parcel, to: given) }
        return (parcel, search.isAll)
    }

    /// Takes a frame of another party.
    func hear(_ frame: Frame, from other: CourierParty) throws -> CommitOutcome {
        let (local, peer, space, scope) = (local, other.penman.person.peer, space, voice.scope)
        return try write { [weak self] transaction in
            var committer = IncomingCommitter(
                peer: peer, name: other.name, choices: .stored, space: space, groups: scope)
            let durable: DurableFrame
            do { durable = try DurableFrame(frame) } catch let error as WireError { return .refused(error.refusal) }
            if case .parcel(let body) = durable.content, ParcelOpening(local).isOurs(body) {
                committer.opened[frame.id] = try ParcelOpening(local).open(body, id: frame.id, in: transaction)
            }
            let result = try committer.commit([durable], in: transaction)
            self?.news += result.couriers
            self?.missing += result.groups.missing.keys
            return result.outcomes[0].outcome
        }
    }

    /// What a session does: all that waits for the other party goes there in order, and its answers are taken.
    /// - Returns: the refusals, also those that pass.
    @discardableResult
    func carry(to other: CourierParty) throws -> [Refusal] {
        var refusals: [Refusal] = []
        for row in try waiting(for: other) {
            let frame = Frame(kind: FrameKind(rawValue: row.kind), id: row.id, body: row.body)
            switch try other.hear(frame, from: self) {
            case .stored:
                try write {
                    let left = try $0.acknowledge([row.id], by: other.account)
                    try ParcelRecords(transaction: $0).stored(left, by: other.account)
                }
            case .refused(let refusal) where !refusal.isPassing:
                refusals.append(refusal)
                let lost = try write { transaction in
                    let left = try transaction.refuse([row.id], by: other.account, reason: refusal.reason)
                    return try ParcelRecords(transaction: transaction).refused(left, by: other.account)
                }
                news += lost.map { .lost($0) }
            case .refused(let refusal), .putOff(let refusal): refusals.append(refusal)
            }
        }
        return refusals
    }

    /// Forgets a parcel for a party, says of it that it was handed over, or brings it without having been asked.
    /// - Parameter makers: those whose parcels this party may have.
    func lie(to other: CourierParty, of makers: [CourierParty], _ step: Int, _ random: SharedRandom) throws {
        let parcels = try waiting(for: other).filter { $0.kind == FrameKind.parcel.rawValue }
        guard let row = parcels.first else { return }
        let body = try ParcelBody(decoding: row.body)
        switch random.int(0...2) {
        case 0: try write { try Parcels.drop(row.id, for: other.account, in: $0) }
        case 1:
            let news = Frame(
                kind: .parcelNews, id: UUIDv7(high: UInt64(step) + 1, low: 1),
                body: try ParcelNewsBody([.init(row.id, .handedOver)]).encoded())
            _ = try makers.first { $0.account == body.from }?.hear(news, from: self)
        default: _ = try other.hear(Frame(kind: .parcel, id: row.id, body: row.body), from: self)
        }
    }

    /// What the hour does.
    func tidyUp() throws {
        let lost = try write { try ParcelRecords(transaction: $0).tidyUp() }
        news += lost.map { .lost($0) }
    }

    /// The parcels that are kept here.
    func kept() throws -> [ParcelRow] { try read { try Parcels.kept(limit: 1000, $0) } }
}

/// Anna, Ben and Carl, who are friends; Ben has named Carl.
func courierTrio() throws -> (anna: CourierParty, ben: CourierParty, carl: CourierParty) {
    let parties = try [CourierParty(1, "Anna"), CourierParty(2, "Ben"), CourierParty(3, "Carl")]
    for one in parties { for other in parties where one !== other { try one.know(other) } }
    try parties[0].name([])
    try parties[1].name([parties[2]])
    try parties[2].name([])
    for one in parties { for other in parties where one !== other { try one.tell(other) } }
    return (parties[0], parties[1], parties[2])
}

/// Anna, Ben, Carl and Dora, who are friends; Ben has named Carl and Dora.
func courierQuartet() throws -> (anna: CourierParty, ben: CourierParty, carl: CourierParty, dora: CourierParty) {
    let (anna, ben, carl) = try courierTrio()
    let dora = try CourierParty(4, "Dora")
    for other in [anna, ben, carl] {
        try dora.know(other)
        try other.know(dora)
    }
    try dora.name([])
    try ben.name([carl, dora])
    for party in [anna, ben, carl] { try party.tell(dora) }
    try dora.tell([anna, ben, carl])
    try ben.tell([anna, carl])
    return (anna, ben, carl, dora)
}
