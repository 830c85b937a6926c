import Basics
import Crypto
import Glibc
import Messaging
import PeerProtocol
import Testing
import Vocabulary

@testable import Daemon
@testable import Store

/// Goal: what Anna writes to Ben, who is away, comes to him by Carl, once and unread by Carl, and Anna believes only Ben that it
/// has; nobody uses Carl's disk but those whom he and Ben let.
@Suite("Parcels in the database")
struct CourierTests {
    private static func reason(_ outcome: CommitOutcome) -> Reason? {
        if case .refused(let refusal) = outcome { refusal.reason } else { nil }
    }

    @Test("A text goes by the courier, and the answer comes back by it; what is written twice is there once")
    func story() throws {
        let (anna, ben, carl) = try courierTrio()
        let id = try anna.say("hello Ben", to: ben)
        let parcel = try #require(try anna.give(for: ben, to: [carl]))
        #expect(try parcel.isAll && anna.holder(of: id) == nil)
        // A parcel and what is in it wait for the same.
        #expect(try anna.read { try $0.outboxCount() } == 2 && anna.read { try $0.ownOutboxCount() } == 1)
        #expect(try anna.carry(to: carl) == [])
        #expect(try anna.holder(of: id)?.courier == carl.account)
        #expect(try anna.state(of: id) == .queued)
        #expect(try carl.kept().map(\.recipient) == [ben.account])
        #expect(try anna.give(for: ben, to: [carl]) == nil, "nothing is in no parcel")
        // What Carl keeps for others is nothing that he has to deliver of his own.
        #expect(try carl.read { try $0.outboxCount() } == 1 && carl.read { try $0.ownOutboxCount() } == 0)
        let own = try carl.say("hello from Carl", to: ben)
        #expect(try carl.read { try $0.ownOutboxCount() } == 1 && anna.read { try $0.ownOutboxCount() } == 1)
        try carl.write { _ = try $0.acknowledge([own], by: ben.account) }

        #expect(try carl.carry(to: ben) == [])
        #expect(try ben.texts(with: anna) == ["hello Ben"] && carl.kept() == [])
        #expect(ben.news == [.brought(maker: anna.account, courier: carl.account)])
        // The courier's word is no delivery.
        try carl.carry(to: anna)
        #expect(try anna.state(of: id) == .queued && anna.holder(of: id) == nil)

        #expect(try ben.give(for: anna, to: [carl], onlyAnswers: true) != nil)
        #expect(try ben.carry(to: carl) == [] && carl.carry(to: anna) == [])
        #expect(try anna.state(of: id) == .delivered && anna.waiting(for: ben) == [])
        try carl.carry(to: ben)
        #expect(try ben.waiting(for: anna) == [], "an answer is not answered")
        // Anna needs the parcel no more, and Carl has nothing of it.
        try anna.carry(to: carl)
        #expect(try carl.kept() == [] && carl.waiting(for: ben) == [])
    }

    @Test("A second answer by the same courier is taken, although nothing that it was given waits any more")
    func secondAnswer() throws {
        let (anna, ben, carl) = try courierTrio()
        /// Anna's text goes by Carl, and Ben's answer is ready to come back.
        func leave(_ text: String) throws -> UUIDv7 {
            let id = try anna.say(text, to: ben)
            try anna.give(for: ben, to: [carl])
            #expect(try anna.carry(to: carl) == [] && carl.carry(to: ben) == [] && carl.carry(to: anna) == [])
            return id
        }
        let first = try leave("first")
        try ben.give(for: anna, to: [carl], onlyAnswers: true)
        #expect(try ben.carry(to: carl) == [] && carl.carry(to: anna) == [])
        let second = try leave("second")
        try anna.carry(to: ben)
        #expect(try anna.state(of: first) == .delivered && anna.state(of: second) == .delivered)
        #expect(try anna.read { try !SentParcels.goes(to: ben.account, by: carl.account, $0) })
        #expect(try ben.give(for: anna, to: [carl], onlyAnswers: true) != nil)
        #expect(try ben.carry(to: carl) == [] && carl.carry(to: anna) == [])
        try carl.carry(to: ben)
        #expect(try ben.waiting(for: anna) == [])
        // Anna has not named Carl: he brings no more than answers, and answers of nobody else.
        try ben.say("hello Anna", to: anna)
        let row = try #require(try ben.give(for: anna, to: [carl])).parcel
        func reason(_ from: AccountID) throws -> Reason? {
            let body = ParcelBody(from: from, to: anna.account, days: 1, sealed: row.sealed)
            return Self.reason(
                try anna.hear(Frame(kind: .parcel, id: row.envelope.id, body: body.encoded()), from: carl))
        }
        #expect(try reason(ben.account) == .notAllowed && reason(carl.account) == .notAllowed)
        // It is remembered as long as what was opened.
        try anna.write { try $0.connection.execute("UPDATE parcel_seen SET stamp = stamp - 36 * 86400000") }
        try anna.tidyUp()
        _ = try leave("third")
        try anna.carry(to: ben)
        #expect(try ben.give(for: anna, to: [carl], onlyAnswers: true) != nil)
        try ben.carry(to: carl)
        #expect(try carl.carry(to: anna).map(\.reason) == [.notAllowed, .notAllowed], "the greeting and the answer")
    }

    @Test(
        "Who has brought a text is remembered: the courier that says so, or the only one; of two that say nothing neither"
    )
    func bringer() throws {
        for (says, isAlone) in [(true, false), (false, true), (false, false)] {
            let (anna, ben, carl, dora) = try courierQuartet()
            let id = try anna.say("hello Ben", to: ben)
            try anna.give(for: ben, to: isAlone ? [dora] : [carl, dora])
            for courier in [carl, dora] { try anna.carry(to: courier) }
            try dora.carry(to: ben)
            if says { try dora.carry(to: anna) }
            try ben.carry(to: anna)
            let row = try #require(try anna.read { try $0.recipients(of: id).first })
            #expect(row.state == .delivered && row.courier == (says || isAlone ? dora.account : nil))
        }
    }

    @Test("If they meet before the courier comes, the parcel is released; one that comes all the same changes nothing")
    func released() throws {
        let (anna, ben, carl) = try courierTrio()
        let id = try anna.say("hello Ben", to: ben)
        try anna.give(for: ben, to: [carl])
        try anna.carry(to: carl)
        let copy = try #require(try carl.waiting(for: ben).first)
        try anna.carry(to: ben)
        #expect(try anna.state(of: id) == .delivered)
        try anna.carry(to: carl)
        #expect(try carl.kept() == [] && carl.waiting(for: ben) == [])
        let frame = Frame(kind: .parcel, id: copy.id, body: copy.body)
        for _ in 0..<2 { #expect(try ben.hear(frame, from: carl) == .stored) }
        #expect(try ben.texts(with: anna) == ["hello Ben"])
        #expect(try ben.waiting(for: anna).map(\.kind) == [FrameKind.had.rawValue])
        try ben.carry(to: anna)
        #expect(try anna.state(of: id) == .delivered)
    }

    @Test("A courier can't change, mix or make up parcels, nor bring them under another id")
    func forged() throws {
        let (anna, ben, carl) = try courierTrio()
        try anna.say("hello Ben", to: ben)
        try anna.give(for: ben, to: [carl])
        try anna.carry(to: carl)
        let row = try #require(try carl.waiting(for: ben).first)
        let body = try ParcelBody(decoding: row.body)
        func hear(_ id: UUIDv7, _ from: AccountID, _ sealed: [UInt8]) throws -> Reason? {
            let changed = ParcelBody(from: from, to: body.to, days: body.days, sealed: sealed)
            return Self.reason(
                try ben.hear(Frame(kind: .parcel, id: id, body: changed.encoded()), from: carl))
        }
        for place in stride(from: 0, to: body.sealed.count, by: 41) {
            var sealed = body.sealed
            sealed[place] ^= 0x10
            let reason = try hear(row.id, body.from, sealed)
            #expect(reason == .invalid || reason == .notFound || reason == .unsupported, "\(place)")
        }
        #expect(try hear(UUIDv7(high: row.id.high, low: row.id.low ^ 1), body.from, body.sealed) == .invalid)
        #expect(try hear(row.id, carl.account, body.sealed) == .invalid)
        // Carl's own words under Anna's name: his note has another account.
        try carl.say("I am Anna", to: ben)
        let own = try #require(try carl.give(for: ben, to: [anna])).parcel
        #expect(try hear(own.envelope.id, anna.account, own.sealed) == .invalid)
        #expect(try ben.texts(with: anna) == [] && ben.waiting(for: anna) == [])
        // Untouched, it opens still.
        #expect(try hear(row.id, body.from, body.sealed) == nil)
        #expect(try ben.texts(with: anna) == ["hello Ben"])
    }

    @Test("A friend who wasn't named brings nothing, and keeps nothing for those who haven't named them")
    func unnamed() throws {
        let (anna, ben, carl) = try courierTrio()
        let dora = try CourierParty(4, "Dora")
        for party in [anna, ben, carl] {
            try dora.know(party)
            try party.know(dora)
            try party.tell(dora)
        }
        try dora.name([])
        try anna.say("hello Ben", to: ben)
        try anna.give(for: ben, to: [carl, dora])
        #expect(try anna.carry(to: dora).map(\.reason) == [.notFound])
        #expect(try anna.news == [.lost(ben.account)] && dora.kept() == [])
        try anna.carry(to: carl)
        let row = try #require(try carl.waiting(for: ben).first)
        let frame = Frame(kind: .parcel, id: row.id, body: row.body)
        #expect(Self.reason(try ben.hear(frame, from: dora)) == .notAllowed)
        // Nobody leaves parcels in another's name.
        #expect(Self.reason(try carl.hear(frame, from: dora)) == .notAllowed)
        // Under an id that is taken, another's parcel stays.
        let mine = ParcelBody(from: dora.account, to: ben.account, days: 1, sealed: [1, 2, 3])
        #expect(
            Self.reason(try carl.hear(Frame(kind: .parcel, id: row.id, body: mine.encoded()), from: dora)) == .invalid)
        let waits = try carl.say("mine", to: ben)
        let taken = Frame(kind: .parcel, id: waits, body: try mine.encoded())
        #expect(Self.reason(try carl.hear(taken, from: dora)) == .invalid)
        // News about another's parcel change nothing.
        let news = try ParcelNewsBody([.init(row.id, .notNeeded)]).encoded()
        #expect(try carl.hear(Frame(kind: .parcelNews, id: UUIDv7(high: 9, low: 9), body: news), from: dora) == .stored)
        #expect(try carl.kept().count == 1)
        try carl.carry(to: ben)
        #expect(try ben.texts(with: anna) == ["hello Ben"])
    }

    @Test("Whoever is no friend is told nothing: a former friend's parcel vanishes, one of a blocked account too")
    func formerFriends() throws {
        for relation in [Relation.none, .blocked, .incoming] {
            let (anna, ben, carl) = try courierTrio()
            let id = try anna.say("hello Ben", to: ben)
            try anna.give(for: ben, to: [carl])
            try anna.carry(to: carl)
            try ben.know(anna, as: relation)
            #expect(try carl.carry(to: ben) == [])
            #expect(try ben.texts(with: anna) == [] && ben.waiting(for: anna) == [])
            #expect(try anna.state(of: id) == .queued)
        }
    }

    @Test("While a friend's key is in doubt, their parcels wait with the courier")
    func doubt() throws {
        let (anna, ben, carl) = try courierTrio()
        try anna.say("hello Ben", to: ben)
        try anna.give(for: ben, to: [carl])
        try anna.carry(to: carl)
        func trust(_ trust: Trust) throws {
            try ben.write { transaction in
                var row = try #require(try transaction.contact(anna.account))
                row.trust = trust
                try transaction.save(row)
            }
        }
        try trust(.changed)
        #expect(try carl.carry(to: ben).map(\.reason) == [.busy])
        try trust(.verified)
        #expect(try carl.carry(to: ben) == [] && ben.texts(with: anna) == ["hello Ben"])
    }

    @Test("A courier keeps no more than its share of a pair, a depositor and a recipient, and nothing on a full disk")
    func full() throws {
        let (anna, ben, carl) = try courierTrio()
        try carl.write { try $0.setSetting("courier.quotaBytes", to: "20000") }
        // An eighth of the quota takes one parcel of a kilobyte with its head, and no second.
        try anna.say("one", to: ben)
        try anna.give(for: ben, to: [carl])
        #expect(try anna.carry(to: carl) == [])
        try anna.say("two", to: ben)
        try anna.give(for: ben, to: [carl])
        #expect(try anna.carry(to: carl).map(\.reason) == [.noSpace])
        // It passes: once there is room, it goes.
        try carl.carry(to: ben)
        #expect(try anna.carry(to: carl) == [])
        carl.space = DataSpace(free: { 1 << 20 })
        try anna.say("three", to: ben)
        try anna.give(for: ben, to: [carl])
        #expect(try anna.carry(to: carl).map(\.reason) == [.noSpace])
        try carl.write { try $0.setSetting("courier.carry", to: "\"off\"") }
        carl.space = DataSpace()
        #expect(try anna.carry(to: carl).map(\.reason) == [.notAllowed])
        #expect(anna.news == [.lost(ben.account)])
    }

    @Test("After its days a parcel is gone, and its maker seals again; clocks that are set don't hurry them")
    func days() throws {
        let (anna, ben, carl) = try courierTrio()
        let id = try anna.say("hello Ben", to: ben)
        try anna.give(for: ben, to: [carl])
        try anna.carry(to: carl)
        // A clock that jumps by a year counts as an absence of which little is believed.
        carl.later(by: .seconds(365 * 86_400))
        try carl.tidyUp()
        #expect(try carl.kept().count == 1)
        #expect(try anna.holder(of: id) != nil)
        try carl.write { try $0.connection.execute("UPDATE parcel SET stamp = stamp - 15 * 86400000") }
        try carl.tidyUp()
        #expect(try carl.kept() == [])
        try carl.carry(to: anna)
        #expect(try anna.news == [.lost(ben.account)] && anna.holder(of: id) == nil)
        #expect(try anna.give(for: ben, to: [carl]) != nil)
    }

    @Test("When a friendship with the courier ends, on either side, parcels go and the direct way stays")
    func ended() throws {
        for endsAtCarl in [false, true] {
            let (anna, ben, carl) = try courierTrio()
            let id = try anna.say("hello Ben", to: ben)
            try anna.give(for: ben, to: [carl])
            try anna.carry(to: carl)
            if endsAtCarl { try carl.know(anna, as: .none) } else { try anna.know(carl, as: .none) }
            for party in [anna, carl] { try party.tidyUp() }
            if endsAtCarl {
                #expect(try carl.kept() == [] && carl.waiting(for: ben) == [])
            } else {
                #expect(try anna.holder(of: id) == nil && anna.news == [.lost(ben.account)])
            }
            try anna.carry(to: ben)
            #expect(try anna.state(of: id) == .delivered)
        }
    }

    @Test("A user who drops parcels tells those who left them")
    func dropped() throws {
        let (anna, ben, carl) = try courierTrio()
        let id = try anna.say("hello Ben", to: ben)
        try anna.give(for: ben, to: [carl])
        try anna.carry(to: carl)
        #expect(try carl.write { try ParcelRecords(transaction: $0).dropAll(ofOrFor: ben.account) } == 1)
        try carl.carry(to: anna)
        #expect(try anna.holder(of: id) == nil && anna.news == [.lost(ben.account)])
    }

    @Test("Edits, reactions and deletions follow in later parcels; a message that is too long waits between two")
    func runs() throws {
        let (anna, ben, carl) = try courierTrio()
        let first = try anna.say("first", to: ben)
        try anna.give(for: ben, to: [carl])
        let own = anna.account
        try anna.write { _ = try Amendments(own: own, transaction: $0).edit(first, text: "changed") }
        try anna.write {
            // It stands for a message with the previews of many files.
            try $0.appendOutbox(
                for: ben.account, id: UUIDv7(high: 5, low: 5), kind: FrameKind.message.rawValue,
                body: [UInt8](repeating: 0, count: 600 << 10))
        }
        try anna.say("last", to: ben)
        #expect(try anna.give(for: ben, to: [carl])?.isAll == false, "the edit alone")
        #expect(try anna.give(for: ben, to: [carl])?.isAll == true)
        #expect(try anna.give(for: ben, to: [carl]) == nil)
        try anna.carry(to: carl)
        try carl.carry(to: ben)
        #expect(try ben.texts(with: anna) == ["changed", "last"])
    }

    @Test("A parcel of answers holds nothing else: what was written between them is not held, and goes in another one")
    func onlyAnswers() throws {
        let (anna, ben, carl) = try courierTrio()
        try anna.say("hello Ben", to: ben)
        try anna.give(for: ben, to: [carl])
        try anna.carry(to: carl)
        try carl.carry(to: ben)
        let reply = try ben.say("hello Anna", to: anna)
        #expect(try ben.give(for: anna, to: [carl], onlyAnswers: true)?.isAll == false)
        #expect(try ben.carry(to: carl) == [])
        #expect(try ben.holder(of: reply) == nil)
        #expect(try ben.give(for: anna, to: [carl], onlyAnswers: true) == nil)
        #expect(try ben.give(for: anna, to: [carl]) != nil, "the reply, for a courier that Anna has named")
    }

    @Test("The answer to a full parcel fits through the courier that brought it")
    func longAnswer() throws {
        let (anna, ben, carl) = try courierTrio()
        for number in 0..<PeerLimits.parcelFrames { try anna.say("number \(number)", to: ben) }
        try anna.give(for: ben, to: [carl])
        #expect(try anna.carry(to: carl) == [] && carl.carry(to: ben) == [])
        #expect(try ben.give(for: anna, to: [carl], onlyAnswers: true) != nil)
        #expect(try ben.carry(to: carl) == [] && carl.carry(to: anna) == [])
        #expect(try anna.waiting(for: ben) == [])
    }

    @Test("A place in the outbox that a parcel names is not given to another item after a restart")
    func places() throws {
        let (anna, ben, carl) = try courierTrio()
        try anna.say("one", to: ben)
        let second = try anna.say("two", to: ben)
        try anna.give(for: ben, to: [carl])
        try anna.carry(to: carl)
        try anna.write { _ = try $0.acknowledge([second], by: ben.account) }
        anna.database.stop()
        try anna.database.start()
        let third = try anna.say("three", to: ben)
        #expect(try anna.holder(of: third) == nil)
        #expect(try anna.give(for: ben, to: [carl]) != nil)
    }

    @Test("What a courier who went away hasn't got goes to another one")
    func absentCourier() throws {
        let (anna, ben, carl) = try courierTrio()
        try anna.say("hello Ben", to: ben)
        try anna.give(for: ben, to: [carl])
        func makes(whileCarlIsHere isHere: Bool) throws -> Bool {
            try anna.search(for: ben, isHere: { _ in isHere }).plan != nil
        }
        #expect(try !makes(whileCarlIsHere: true))
        #expect(try makes(whileCarlIsHere: false))
        try anna.carry(to: carl)
        #expect(try !makes(whileCarlIsHere: false), "Carl has it")
    }

    @Test("A parcel holds at most 256 frames; all that wait come in some")
    func many() throws {
        let (anna, ben, carl) = try courierTrio()
        for number in 0..<600 { try anna.say("number \(number)", to: ben) }
        var parcels = 0
        while let parcel = try anna.give(for: ben, to: [carl]) {
            parcels += 1
            #expect(parcel.isAll == (parcels == 3))
        }
        #expect(parcels == 3)
        try anna.carry(to: carl)
        try carl.carry(to: ben)
        #expect(try ben.texts(with: anna).count == 500, "a page")
        try ben.carry(to: anna)
        #expect(try anna.waiting(for: ben) == [])
    }

    @Test(
        "Five friends carry parcels for each other, and one of them lies: in the end each text is there once",
        arguments: 0..<(getenv("KIBO_THOROUGH") == nil ? 40 : 10_000))
    func chance(seed: Int) throws {
        let random = SharedRandom(seed: UInt64(seed))
        let parties = try Self.people(5)
        for one in parties {
            try one.name(Array(parties.filter { $0 !== one && random.chance(50) }.prefix(PeerLimits.couriers)))
        }
        var crowd = CourierCrowd(parties, liar: parties[4], random: random)
        for step in 0..<220 { try crowd.live(step) }
        try crowd.expectAll("seed \(seed)")
    }

    @Test(
        "Thirty who come and go, with three couriers, one of whom lies: what they read is what the direct path would have brought",
        arguments: 0..<(getenv("KIBO_THOROUGH") == nil ? 3 : 10_000))
    func crowd(seed: Int) throws {
        let random = SharedRandom(seed: UInt64(seed))
        let parties = try Self.people(30)
        let couriers = Array(parties.suffix(3))
        for one in parties { try one.name(couriers.filter { $0 !== one && random.chance(70) }) }
        var crowd = CourierCrowd(parties, liar: parties[29], random: random)
        crowd.comeAndGo(always: couriers)
        for step in 0..<1_500 { try crowd.live(step) }
        try crowd.expectAll("seed \(seed)")
    }

    /// People who are friends of each other.
    private static func people(_ count: Int) throws -> [CourierParty] {
        let parties = try (1...count).map { try CourierParty(UInt8($0), "P\($0)") }
        for one in parties { try one.know(parties.filter { $0 !== one }) }
        return parties
    }
}

/// People who write to each other, meet, and leave parcels by chance.
private struct CourierCrowd {
    private let parties: [CourierParty]
    private let liar: CourierParty
    private let random: SharedRandom
    private var said: [(from: CourierParty, to: CourierParty, id: UUIDv7, text: String)] = []
    /// Those who are there just now.
    private var present: [CourierParty]
    /// Those who come and go.
    private var guests: [CourierParty] = []

    init(_ parties: [CourierParty], liar: CourierParty, random: SharedRandom) {
        (self.parties, self.liar, self.random, present) = (parties, liar, random, parties)
    }

    /// From now on only some are there at a time; everybody has met before.
    mutating func comeAndGo(always hosts: [CourierParty]) {
        guests = parties.filter { party in !hosts.contains { $0 === party } }
        present = hosts
    }

    mutating func live(_ step: Int) throws {
        if step == 0 {
            for one in parties { try one.tell(parties.filter { $0 !== one }) }
        }
        if let guest = random.pick(guests), random.chance(20) {
            if let place = present.firstIndex(where: { $0 === guest }) {
                present.remove(at: place)
            } else {
                present.append(guest)
            }
        }
        guard let one = random.pick(present), let other = random.pick(parties), one !== other else { return }
        let isHere = present.contains { $0 === other }
        switch random.int(0...9) {
        case 0...2:
            let text = "\(step)"
            said.append((one, other, try one.say(text, to: other), text))
        case 3...5:
            let couriers = present.filter { $0 !== one && $0 !== other && random.chance(50) }
            guard !couriers.isEmpty else { break }
            try one.give(for: other, to: Array(couriers.prefix(2)), onlyAnswers: random.chance(20))
        case 6:
            try liar.lie(to: other, of: parties, step, random)
        case 7: for party in present { try party.tidyUp() }
        default: if isHere { try one.carry(to: other) }
        }
    }

    /// All meet; then each has what was said to them, once, and the authors know it.
    func expectAll(_ comment: Comment) throws {
        for _ in 0..<6 {
            for one in parties { for other in parties where one !== other { try one.carry(to: other) } }
            for party in parties { try party.tidyUp() }
        }
        for message in said { #expect(try message.from.state(of: message.id) == .delivered, comment) }
        for one in parties {
            for other in parties where one !== other {
                let expected = said.filter {
                    ($0.from === one && $0.to === other) || ($0.from === other && $0.to === one)
                }
                #expect(try one.texts(with: other) == expected.map(\.text).sorted(), comment)
                #expect(try one.waiting(for: other) == [], comment)
            }
            #expect(try one.kept() == [], comment)
        }
    }
}
