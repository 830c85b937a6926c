import Basics
import ControlProtocol
import Crypto
import Messaging
import PeerProtocol
import Store
import Testing
import Vocabulary

@testable import Control
@testable import Daemon

/// Goal: `message.why` says who keeps a message for a friend who is away, or why nobody does, as far as this side knows.
@Suite("The story of a message that waits with couriers")
struct CourierStoryTests {
    private let own: Penman
    private let friend: Penman
    private let courier: Penman

    init() throws { (own, friend, courier) = (try Penman(1), try Penman(2), try Penman(3)) }

    /// What stands below "it waits", and when couriers got it.
    private func story(
        _ message: UUIDv7, in scene: Scene, here: [AccountID] = [], isWithoutCouriers: Bool = false
    ) throws -> (now: [Remark<StoryState>], steps: [Remark<StoryStep>]) {
        let story = try scene.read { try MessageStory.load(message, in: $0) }
        var outlooks = Dictionary(
            uniqueKeysWithValues: here.map { ($0, DeliveryOutlook(isConnected: true, dial: nil)) })
        if isWithoutCouriers {
            outlooks[friend.account] = DeliveryOutlook(isConnected: false, dial: nil, isWithoutCouriers: true)
        }
        let json = story.json(prospects: outlooks)
        let steps = Remark<StoryStep>.list(json["steps"]).filter { $0.code == .deposited }
        let now = Remark<StoryState>.list(json["now"]).filter { $0.code != .waits && $0.code != .goesWhenHeard }
        return (now, steps)
    }

    private func tell(_ penman: Penman, couriers: [AccountID], days: Int, in scene: Scene) throws {
        let note = try MailNote.issue(
            by: penman.deviceKey, certificate: penman.certificate, key: AgreementKey().publicKey,
            made: WallTime(milliseconds: 1_720_000_000_000), couriers: couriers, days: days)
        try scene.write {
            _ = try MailNotes.save(
                note.encoded(), of: note.device, note.account, made: note.made, isSaidNow: true, devices: 16, in: $0)
        }
    }

    /// A scene in which the friend has named the courier, and a message waits for the friend.
    private func scene(courierDays: Int = 14) throws -> (scene: Scene, message: UUIDv7) {
        let scene = try Scene()
        try tell(friend, couriers: [courier.account], days: 14, in: scene)
        try tell(courier, couriers: [], days: courierDays, in: scene)
        return (scene, try scene.send("are you there?"))
    }

    /// Gives what waits for the friend to the courier.
    private func give(_ scene: Scene) throws -> UUIDv7 {
        let key = AgreementKey()
        let note = try MailNote.issue(
            by: own.deviceKey, certificate: own.certificate, key: key.publicKey,
            made: WallTime(milliseconds: 1_720_000_000_000), couriers: [], days: 0)
        let making = ParcelMaking(note: note, key: key)
        let account = friend.account
        let at = WallTime(milliseconds: 1_720_000_000_000)
        let search = try scene.read {
            try making.search(for: account, onlyAnswers: false, fileBytes: 0, in: $0, at: at)
        }
        let plan = try #require(search.plan)
        let made = try #require(try making.seal(plan, with: [], at: at))
        let to = [(account: courier.account, days: 14)]
        try scene.write { try ParcelRecords(transaction: $0).give(made, to: to) }
        return made.envelope.id
    }

    private static let both: JSONObject = ["name": "Peer 1", "courier": "Peer 2"]

    @Test("A friend of whom nothing is known, or who has named nobody suitable")
    func nobody() throws {
        let scene = try Scene()
        let message = try scene.send("are you there?")
        #expect(try story(message, in: scene).now == [])
        let none = [Remark(StoryState.noCourier, ["name": "Peer 1"])]
        try tell(friend, couriers: [], days: 14, in: scene)
        #expect(try story(message, in: scene).now == none)
        // Somebody whom we don't know.
        try tell(friend, couriers: [try Penman(9).account], days: 14, in: scene)
        #expect(try story(message, in: scene).now == none)
        // A friend who hasn't said whether they keep anything, and then that they keep nothing for others.
        try tell(friend, couriers: [try Penman(9).account, courier.account], days: 14, in: scene)
        let named: JSONObject = ["name": "Peer 1", "couriers": ["Peer 2"]]
        #expect(try story(message, in: scene).now == [Remark(.couriersUnknown, named)])
        try tell(courier, couriers: [], days: 0, in: scene)
        #expect(try story(message, in: scene).now == [Remark(.couriersRefuse, named)])
        try scene.write { try $0.setSetting(SettingsCatalogue.courierSend.spec.key, to: "false") }
        #expect(try story(message, in: scene).now == [])
    }

    @Test("The couriers are away; one is here and gets it; to a friend who is here it goes directly")
    func waiting() throws {
        let (scene, message) = try scene()
        #expect(
            try story(message, in: scene).now == [Remark(.couriersAway, ["name": "Peer 1", "couriers": ["Peer 2"]])])
        #expect(try story(message, in: scene, here: [courier.account]).now == [Remark(.goesToCourier, Self.both)])
        #expect(
            try scene.read { try MessageStory.load(message, in: $0).concerned } == [friend.account, courier.account])
        let here = try story(message, in: scene, here: [friend.account, courier.account]).now
        #expect(here == [Remark(.handingOver, ["name": "Peer 1"])])
        let lost = try story(message, in: scene, here: [courier.account], isWithoutCouriers: true).now
        #expect(lost == [Remark(.couriersGivenUp, ["name": "Peer 1"])])
    }

    @Test("A parcel is on its way, is refused because the courier is full, is kept, and was handed over")
    func given() throws {
        let (scene, message) = try scene()
        let (parcel, courier) = (try give(scene), courier.account)
        #expect(try story(message, in: scene).now == [Remark(.goesToCourier, Self.both)])
        try scene.write { try $0.postpone([parcel], by: courier, reason: .noSpace, detail: nil) }
        let full = try story(message, in: scene)
        #expect(full.now == [Remark(.courierFull, Self.both)] && full.steps.isEmpty)
        try scene.write { transaction in
            try ParcelRecords(transaction: transaction).stored(
                try transaction.acknowledge([parcel], by: courier), by: courier)
        }
        let row = try #require(try scene.read { try SentParcels.parcel(parcel, at: courier, $0) })
        var held = Self.both
        held["until"] = .integer(row.until.milliseconds)
        let kept = try story(message, in: scene)
        #expect(kept.now == [Remark(.held, held)] && kept.steps == [Remark(.deposited, Self.both)])
        var over = row
        over.state = .handedOver
        let handed = over
        try scene.write { try SentParcels.advance(handed, in: $0) }
        #expect(try story(message, in: scene).now == [Remark(.broughtOver, Self.both)])
        // What is written now is in no parcel.
        let later = try story(try scene.send("and now?"), in: scene)
        #expect(later.now.map(\.code) == [.couriersAway] && later.steps.isEmpty)
    }

    @Test("What the friend has by a courier was brought, and went over no connection, also once it was read")
    func brought() throws {
        func steps(_ message: UUIDv7, in scene: Scene) throws -> [StoryStep?] {
            let story = try scene.read { try MessageStory.load(message, in: $0) }
            return Remark<StoryStep>.list(story.json(prospects: [:])["steps"]).map(\.code)
        }
        for isByCourier in [true, false] {
            let (scene, message) = try scene()
            let parcel = try give(scene)
            try scene.write { transaction in
                try ParcelRecords(transaction: transaction).stored(
                    try transaction.acknowledge([parcel], by: courier.account), by: courier.account)
            }
            if isByCourier {
                let answer = Frame(
                    kind: .had, id: UUIDv7(high: 9, low: 9), body: try HadBody(stored: [message]).encoded())
                #expect(try scene.hear(DurableFrame(answer)) == [.stored])
            } else {
                try scene.write { _ = try $0.acknowledge([message], by: friend.account) }
            }
            let way = isByCourier ? StoryStep.brought : .handedOver
            #expect(try steps(message, in: scene).contains(way) == true)
            try scene.write { try $0.advance([message], at: friend.account, to: .read) }
            let said = try steps(message, in: scene).filter { $0 != .deposited }
            #expect(said == [.writtenHere, way, .stored, .read])
            let bringer = try scene.read { try $0.recipients(of: message).first?.courier }
            #expect(bringer == (isByCourier ? courier.account : nil))
        }
    }
}
