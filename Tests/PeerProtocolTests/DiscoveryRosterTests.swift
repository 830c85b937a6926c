import Basics
import Crypto
import Testing

@testable import PeerProtocol

@Suite("Discovery: rosters") struct DiscoveryRosterTests {
    private let start = DiscoveryFixture.start
    private let own = DiscoveryFixture.device(1)

    private func card(_ number: UInt64, version: UInt64 = 1, email: String? = nil) throws -> Card {
        let account = DiscoveryFixture.key(1000 + number)
        let device = DiscoveryFixture.key(number)
        let certificate = try DeviceCertificate.issue(
            by: account, for: DeviceID(device.publicKey), name: "here", created: WallTime(milliseconds: 1))
        return try Card.issue(
            by: device, certificate: certificate,
            profile: Card.Profile(displayName: "Person \(number)", email: email), version: version)
    }

    @Test("equal sets have equal digests, whatever their order; another version is another digest")
    func digests() throws {
        var one = Roster()
        var two = Roster()
        for number in [2, 3, 4] as [UInt64] { #expect(try one.insert(card(number))) }
        for number in [4, 2, 3] as [UInt64] { try two.insert(card(number)) }
        #expect(one.digest == two.digest && one.digest != .empty)
        #expect(try !one.insert(card(3)))
        #expect(try one.insert(card(3, version: 2)))
        #expect(one.digest != two.digest && one.count == 3)
        try two.insert(card(3, version: 2))
        #expect(one.digest == two.digest)
        for number in [2, 3, 4] as [UInt64] { one.remove(DiscoveryFixture.device(number)) }
        #expect(one.digest == .empty)
    }

    @Test("what a friend shows to friends is handed on to nobody")
    func privacy() throws {
        #expect(try Roster.isForAll(card(2, email: "a@example.org"), fromFriend: false))
        #expect(try !Roster.isForAll(card(2, email: "a@example.org"), fromFriend: true))
        #expect(try Roster.isForAll(card(2), fromFriend: true))
    }

    @Test("pages fit into a stranger's frame, hold each device once, and end; what is read is what was sent")
    func pages() throws {
        var roster = Roster()
        var devices: Set<DeviceID> = []
        for number in 2..<120 as Range<UInt64> {
            devices.insert(DiscoveryFixture.device(number))
            try roster.insert(card(number))
        }
        let announcement = Announcement(
            bytes: [UInt8](repeating: 7, count: 140), source: DiscoveryFixture.address(5, port: 900))
        var after: DeviceID?
        var seen: [DeviceID] = []
        for _ in 0..<100 {
            let request = try RosterRequestBody(decoding: RosterRequestBody(after: after).encoded())
            let page = roster.page(request, except: DiscoveryFixture.device(50)) { _ in announcement }
            let bytes = page.encoded()
            #expect(bytes.count <= PeerLimits.strangerBodyBytes)
            #expect(try RosterBody(decoding: bytes) == page)
            seen += page.entries.map(\.device)
            after = page.entries.last?.device
            guard page.hasMore else { break }
        }
        #expect(Set(seen) == devices.subtracting([DiscoveryFixture.device(50)]) && seen.count == devices.count - 1)
        let wanted = RosterRequestBody(devices: [DiscoveryFixture.device(3), DiscoveryFixture.device(900)])
        let some = roster.page(wanted, except: own) { _ in nil }
        #expect(some.entries.map(\.device) == [DiscoveryFixture.device(3)] && !some.hasMore)
        #expect(try Card(decoding: some.entries[0].card ?? []).profile.displayName == "Person 3")
    }

    @Test("a request and a page that are damaged or too long are refused")
    func damage() {
        let long = CBOR.map([1: .array((0...256).map { _ in .bytes(own.bytes) })]).encoded()
        #expect(throws: WireError.self) { try RosterRequestBody(decoding: long) }
        #expect(throws: WireError.self) { try RosterRequestBody(decoding: CBOR.map([2: .bytes([1])]).encoded()) }
        #expect(throws: WireError.self) { try RosterBody(decoding: CBOR.map([1: .array([])]).encoded()) }
        // A page of the largest size, filled up by a field that this version skips, and one byte more.
        func page(_ count: Int) -> [UInt8] {
            let empty = CBOR.map([1: .array([]), 2: .boolean(false), 3: .bytes([])]).encoded().count
            // Bytes of that many have a head of three.
            return CBOR.map([
                1: .array([]), 2: .boolean(false), 3: .bytes([UInt8](repeating: 0, count: count - empty - 2)),
            ]).encoded()
        }
        let limit = PeerLimits.strangerBodyBytes
        #expect(page(limit).count == limit)
        #expect(throws: Never.self) { try RosterBody(decoding: page(limit)) }
        #expect(throws: WireError.self) { try RosterBody(decoding: page(limit + 1)) }
        let entry = CBOR.map([1: .bytes(own.bytes), 2: .bytes([1]), 3: .bytes([1, 2]), 4: .unsigned(5)])
        #expect(throws: WireError.self) {
            try RosterBody(decoding: CBOR.map([1: .array([entry]), 2: .boolean(false)]).encoded())
        }
    }

    // MARK: The planner

    private func planner() -> RosterPlanner<SeededGenerator> {
        RosterPlanner(own: own, random: SeededGenerator(seed: 3))
    }

    private func device(_ number: UInt64) -> DeviceID { DiscoveryFixture.device(number) }

    @Test("a newcomer asks the first that it meets for all, page by page")
    func newcomer() {
        var planner = planner()
        planner.start(now: start)
        #expect(planner.nextDeadline == nil && planner.tick(now: start + .seconds(5)).isEmpty)
        planner.known(device(2))
        planner.setConnected(device(2), true, now: start)
        let first = planner.tick(now: start + .seconds(1))
        #expect(first == [.ask(device(2), RosterRequestBody())])
        let sorted = [device(3), device(4)].sorted()
        func page(_ device: DeviceID, more: Bool) -> RosterBody {
            RosterBody(entries: [.init(device: device, announcement: nil, card: nil)], hasMore: more)
        }
        let next = planner.received(page(sorted[0], more: true), from: device(2), news: 1, now: start + .seconds(1))
        #expect(next == [.ask(device(2), RosterRequestBody(after: sorted[0]))])
        // Not from somebody else; and a cursor that goes back ends it.
        #expect(planner.received(page(sorted[1], more: true), from: device(9), news: 1, now: start).isEmpty)
        #expect(planner.received(page(sorted[0], more: true), from: device(2), news: 0, now: start).isEmpty)
        // It brought something: somebody else may know more.
        let again = planner.nextDeadline.map { $0 - (start + .seconds(1)) }
        #expect(again.map { $0 > .seconds(1) && $0 <= .seconds(5) } == true)
    }

    @Test("missing cards are asked for together; whom nobody knows is dialled after three exchanges")
    func nameless() {
        var planner = planner()
        planner.known(device(2))
        planner.setConnected(device(2), true, now: start)
        for number in [3, 4] as [UInt64] { planner.heard(device(number), differs: false, now: start) }
        var asked = 0
        var dialled: [DeviceID] = []
        var now = start
        while dialled.isEmpty, let next = planner.nextDeadline, next < start + .seconds(120) {
            now = next
            for effect in planner.tick(now: now) {
                switch effect {
                case .connect(let device): dialled.append(device)
                case .ask(let partner, let request):
                    asked += 1
                    #expect(partner == device(2))
                    #expect(request.devices == (asked == 1 ? [device(3), device(4)].sorted() : [device(4)]))
                    if asked == 1 { planner.known(device(3)) }
                    _ = planner.received(RosterBody(entries: [], hasMore: false), from: partner, news: 0, now: now)
                }
            }
        }
        #expect(asked == 3 && dialled == [device(4)])
        #expect(now - start < .seconds(40))
    }

    @Test("a digest that goes on differing costs ever fewer exchanges")
    func liar() {
        var planner = planner()
        planner.known(device(2))
        planner.setConnected(device(2), true, now: start)
        var moments: [Instant] = []
        var now = start
        while now < start + .seconds(24 * 3600) {
            planner.heard(device(2), differs: true, now: now)
            if let next = planner.nextDeadline, next <= now {
                for case .ask(let partner, _) in planner.tick(now: now) {
                    moments.append(now)
                    _ = planner.received(RosterBody(entries: [], hasMore: false), from: partner, news: 0, now: now)
                }
            }
            now = now + .seconds(5)
        }
        #expect(moments.count >= 24 && moments.count <= 45, "\(moments.count)")
    }

    @Test("what was handed on is believed like an announcement, but moves nobody who is about and brings nobody back")
    func introduced() {
        var machine = DiscoveryMachine(
            key: DiscoveryFixture.key(1), incarnation: 1, port: 4000, now: start, random: SeededGenerator(seed: 1))
        func announcement(_ kind: DiscoveryDatagram.Kind, _ sequence: UInt32, forged: Bool = false) -> Announcement {
            Announcement(
                bytes: DiscoveryDatagram(
                    kind: kind, device: device(2), incarnation: 1, sequence: sequence, port: 4000
                ).encoded(signedBy: DiscoveryFixture.key(forged ? 3 : 2)), source: DiscoveryFixture.address(9))
        }
        #expect(machine.introduced(announcement(.hello, 5, forged: true), now: start).isEmpty)
        let first = machine.introduced(announcement(.beacon, 5), now: start)
        #expect(first == [.heard(device: device(2), address: DiscoveryFixture.address(9), isNew: true)])
        #expect(machine.announcement(of: device(2)) == announcement(.beacon, 5))
        #expect(machine.introduced(announcement(.beacon, 6), now: start).isEmpty)
        let bye = DiscoveryDatagram(kind: .bye, device: device(2), incarnation: 1, sequence: 9, port: 4000)
        #expect(machine.introduced(announcement(.bye, 9), now: start).isEmpty && machine.presentCount == 1)
        _ = machine.receive(
            bye.encoded(signedBy: DiscoveryFixture.key(2))[...], from: DiscoveryFixture.address(9), now: start)
        #expect(machine.presentCount == 0)
        #expect(machine.introduced(announcement(.beacon, 8), now: start).isEmpty && machine.presentCount == 0)
    }
}
