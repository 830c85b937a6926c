import Basics
import Crypto
import Testing

@testable import PeerProtocol

@Suite("Discovery: peer exchange") struct PeerExchangeTests {
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

    @Test("equal sets have equal digests in any order; another version gives another digest")
    func digests() throws {
        var one = PeerExchange()
        var two = PeerExchange()
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

    @Test(
        "no more cards are taken than strangers are remembered, and that is counted; known cards still change")
    func full() throws {
        var peerExchange = PeerExchange()
        let account = DiscoveryFixture.key(1)
        func card(_ number: UInt64, version: UInt64 = 1) throws -> Card {
            let device = DiscoveryFixture.key(number)
            let certificate = try DeviceCertificate.issue(
                by: account, for: DeviceID(device.publicKey), name: "here", created: WallTime(milliseconds: 1))
            return try Card.issue(
                by: device, certificate: certificate, profile: Card.Profile(displayName: "Person"), version: version)
        }
        let limit = UInt64(DiscoveryLimits.strangers)
        for number in 0..<limit { #expect(try peerExchange.insert(card(10 + number))) }
        #expect(peerExchange.leftOut == 0)
        #expect(try !peerExchange.insert(card(10 + limit)) && peerExchange.leftOut == 1)
        #expect(try peerExchange.insert(card(10, version: 2)) && peerExchange.leftOut == 1)
        peerExchange.remove(DiscoveryFixture.device(10))
        #expect(try peerExchange.insert(card(10 + limit)) && peerExchange.count == DiscoveryLimits.strangers)
    }

    @Test("others never take a card back to an older version; a device that comes back has its earlier card")
    func versions() throws {
        var peerExchange = PeerExchange()
        let device = DiscoveryFixture.device(3)
        try peerExchange.insert(card(3, version: 5))
        #expect(try !peerExchange.insert(card(3, version: 4), isFirstHand: false) && peerExchange.mark(of: device) == 5)
        #expect(try peerExchange.insert(card(3, version: 6), isFirstHand: false) && peerExchange.mark(of: device) == 6)
        #expect(try peerExchange.insert(card(3, version: 2)), "the owner's own card counts")
        let digest = peerExchange.digest
        peerExchange.remove(device)
        #expect(peerExchange.digest == .empty && peerExchange.count == 0)
        var other = peerExchange
        #expect(other.restore(device, mark: 3) == nil && other.count == 0, "it shows another card now")
        #expect(other.restore(device, mark: 2) == nil, "the card was forgotten by then")
        #expect(peerExchange.restore(device, mark: 2)?.version == 2 && peerExchange.digest == digest)
        #expect(peerExchange.restore(device, mark: 2) == nil)
        peerExchange.remove(device)
        #expect(peerExchange.restore(device, mark: 0) != nil, "without a mark the earlier card counts")
        for number in 10..<1300 as Range<UInt64> {
            try peerExchange.insert(card(number))
            peerExchange.remove(DiscoveryFixture.device(number))
        }
        let kept = (10..<1300 as Range<UInt64>).count {
            peerExchange.restore(DiscoveryFixture.device($0), mark: 1) != nil
        }
        #expect(kept == DiscoveryLimits.departedCards)
    }

    @Test("what a friend shows only to friends is not passed on")
    func privacy() throws {
        #expect(try PeerExchange.isForAll(card(2, email: "a@example.org"), fromFriend: false))
        #expect(try !PeerExchange.isForAll(card(2, email: "a@example.org"), fromFriend: true))
        #expect(try PeerExchange.isForAll(card(2), fromFriend: true))
    }

    @Test("pages fit into a stranger's frame, hold each device once, end, and are read as they were sent")
    func pages() throws {
        var peerExchange = PeerExchange()
        var devices: Set<DeviceID> = []
        for number in 2..<120 as Range<UInt64> {
            devices.insert(DiscoveryFixture.device(number))
            try peerExchange.insert(card(number))
        }
        let announcement = Announcement(
            bytes: [UInt8](repeating: 7, count: 140), source: DiscoveryFixture.address(5, port: 900))
        var after: DeviceID?
        var seen: [DeviceID] = []
        for _ in 0..<100 {
            let request = try PeerExchangeRequestBody(decoding: PeerExchangeRequestBody(after: after).encoded())
            let page = peerExchange.page(request, except: DiscoveryFixture.device(50)) { _ in announcement }
            let bytes = page.encoded()
            #expect(bytes.count <= PeerLimits.strangerBodyBytes)
            #expect(try PeerExchangeBody(decoding: bytes) == page)
            seen += page.entries.map(\.device)
            after = page.entries.last?.device
            guard page.hasMore else { break }
        }
        #expect(Set(seen) == devices.subtracting([DiscoveryFixture.device(50)]) && seen.count == devices.count - 1)
        let wanted = PeerExchangeRequestBody(devices: [DiscoveryFixture.device(3), DiscoveryFixture.device(900)])
        let some = peerExchange.page(wanted, except: own) { _ in nil }
        #expect(some.entries.map(\.device) == [DiscoveryFixture.device(3)] && !some.hasMore)
        #expect(try Card(decoding: some.entries[0].card ?? []).profile.displayName == "Person 3")
    }

    @Test("damaged and overlong requests and pages are refused")
    func damage() {
        let long = CBOR.map([1: .array((0...256).map { _ in .bytes(own.bytes) })]).encoded()
        #expect(throws: WireError.self) { try PeerExchangeRequestBody(decoding: long) }
        #expect(throws: WireError.self) { try PeerExchangeRequestBody(decoding: CBOR.map([2: .bytes([1])]).encoded()) }
        #expect(throws: WireError.self) { try PeerExchangeBody(decoding: CBOR.map([1: .array([])]).encoded()) }
        // This is a page of the largest size, filled up by a field that this version skips, and one byte more.
        func page(_ count: Int) -> [UInt8] {
            let empty = CBOR.map([1: .array([]), 2: .boolean(false), 3: .bytes([])]).encoded().count
            // Byte strings of that length have a head of three bytes.
            return CBOR.map([
                1: .array([]), 2: .boolean(false), 3: .bytes([UInt8](repeating: 0, count: count - empty - 2)),
            ]).encoded()
        }
        let limit = PeerLimits.strangerBodyBytes
        #expect(page(limit).count == limit)
        #expect(throws: Never.self) { try Hint(Frame(kind: .peerExchange, body: page(limit))) }
        #expect(throws: WireError.self) { try Hint(Frame(kind: .peerExchange, body: page(limit + 1))) }
        let entry = CBOR.map([1: .bytes(own.bytes), 2: .bytes([1]), 3: .bytes([1, 2]), 4: .unsigned(5)])
        #expect(throws: WireError.self) {
            try PeerExchangeBody(decoding: CBOR.map([1: .array([entry]), 2: .boolean(false)]).encoded())
        }
    }

    // MARK: The planner

    private func planner() -> PeerExchangePlanner<SeededGenerator> {
        PeerExchangePlanner(own: own, random: SeededGenerator(seed: 3))
    }

    private func device(_ number: UInt64) -> DeviceID { DiscoveryFixture.device(number) }

    @Test("a newcomer asks the first peer that it meets for all, page by page")
    func newcomer() {
        var planner = planner()
        planner.start(now: start)
        #expect(planner.nextDeadline == nil && planner.tick(now: start + .seconds(5)).isEmpty)
        planner.known(device(2))
        planner.setConnected(device(2), true, now: start)
        let first = planner.tick(now: start + .seconds(1))
        #expect(first == [.ask(device(2), PeerExchangeRequestBody())])
        let sorted = [device(3), device(4)].sorted()
        func page(_ device: DeviceID, more: Bool) -> PeerExchangeBody {
            PeerExchangeBody(entries: [.init(device: device, announcement: nil, card: nil)], hasMore: more)
        }
        let next = planner.received(page(sorted[0], more: true), from: device(2), news: 1, now: start + .seconds(1))
        #expect(next == [.ask(device(2), PeerExchangeRequestBody(after: sorted[0]))])
        // A page from another device doesn't count, and a cursor that goes back ends the exchange.
        #expect(planner.received(page(sorted[1], more: true), from: device(9), news: 1, now: start).isEmpty)
        #expect(planner.received(page(sorted[0], more: true), from: device(2), news: 0, now: start).isEmpty)
        // It brought something, so another peer may know more.
        let again = planner.nextDeadline.map { $0 - (start + .seconds(1)) }
        #expect(again.map { $0 > .seconds(1) && $0 <= .seconds(5) } == true)
    }

    /// Ten known devices with their cards, and no session with any of them.
    private func acquainted() -> PeerExchangePlanner<SeededGenerator> {
        var planner = planner()
        for number in 100..<110 as Range<UInt64> {
            planner.heard(device(number), differs: false, now: start)
            planner.known(device(number))
        }
        return planner
    }

    /// Newcomers for which we are, or are not, a sponsor among those ten.
    private func newcomers(sponsored: Bool, _ count: Int) -> [DeviceID] {
        Array(
            (200..<400 as Range<UInt64>).map { device($0) }.filter { newcomer in
                var planner = acquainted()
                planner.heard(newcomer, differs: false, now: start)
                return planner.tick(now: start + .milliseconds(100)).contains(.look(newcomer)) == sponsored
            }.prefix(count))
    }

    @Test("up to eight others are all dialled at once; among more, the four nearest devices dial a newcomer")
    func sponsors() {
        var few = planner()
        for number in 2..<10 as Range<UInt64> { few.heard(device(number), differs: false, now: start) }
        let looks = few.tick(now: start + DiscoveryLimits.lookDelay)
        #expect(Set(looks) == Set((2..<10 as Range<UInt64>).map { .look(device($0)) }))

        // Each of eleven devices decides by itself; together they make four sponsors.
        let all = (1...11 as ClosedRange<UInt64>).map { device($0) }
        for newcomer in (200..<230 as Range<UInt64>).map({ device($0) }) {
            let sponsors = all.filter { own in
                var planner = PeerExchangePlanner(own: own, random: SeededGenerator(seed: 3))
                for other in all where other != own {
                    planner.heard(other, differs: false, now: start)
                    planner.known(other)
                }
                planner.heard(newcomer, differs: false, now: start)
                return planner.tick(now: start + DiscoveryLimits.lookDelay) == [.look(newcomer)]
            }
            #expect(sponsors.count == DiscoveryLimits.sponsors)
        }
    }

    @Test("missing cards are requested together from a sponsor, then from another one; then the owner is dialled")
    func nameless() throws {
        var planner = acquainted()
        // These two don't sponsor each other, so one device is asked for both.
        let candidates = newcomers(sponsored: false, 12)
        let missing = try #require(
            zip(candidates, candidates.dropFirst()).map { [$0, $1].sorted() }.first { pair in
                var trial = acquainted()
                for device in pair { trial.heard(device, differs: false, now: start) }
                while let next = trial.nextDeadline, next < start + .seconds(2) {
                    for case .connect(let partner) in trial.tick(now: next) { return !pair.contains(partner) }
                }
                return false
            })
        for device in missing { planner.heard(device, differs: false, now: start) }
        var partners: [DeviceID] = []
        var dialled: [DeviceID] = []
        var now = start
        while dialled.isEmpty, let next = planner.nextDeadline, next < start + .seconds(120) {
            now = next
            for effect in planner.tick(now: now) {
                switch effect {
                case .look(let device): dialled.append(device)
                case .ask: Issue.record("there is no session")
                case .connect(let partner):
                    partners.append(partner)
                    if partners.count == 2 {
                        planner.unreachable(partner, now: now)
                        continue
                    }
                    planner.setConnected(partner, true, now: now)
                    let wanted = partners.count == 1 ? missing : [missing[1]]
                    #expect(planner.tick(now: now) == [.ask(partner, PeerExchangeRequestBody(devices: wanted))])
                    if partners.count == 1 {
                        #expect(now - start <= DiscoveryLimits.namelessDelay * 2)
                        planner.known(missing[0])
                    }
                    _ = planner.received(
                        PeerExchangeBody(entries: [], hasMore: false), from: partner, news: 0, now: now)
                    planner.setConnected(partner, false, now: now)
                }
            }
        }
        // It is asked three times for this card, and once for the other one.
        #expect((3...4).contains(partners.count) && dialled == [missing[1]], "\(partners.count)")
        #expect(partners[0] != partners[1])
        #expect(now - start < .seconds(8))
        // It continues, ever more slowly.
        var looks = 0
        while let next = planner.nextDeadline, next < start + .seconds(3600) {
            for case .look in planner.tick(now: next) { looks += 1 }
        }
        #expect(looks > 40 && looks < 80, "\(looks)")
    }

    @Test("a sponsor dials, and asks others only if that fails; a card that comes before saves the dial")
    func sponsoring() throws {
        var planner = acquainted()
        let newcomer = try #require(newcomers(sponsored: true, 1).first)
        planner.heard(newcomer, differs: false, now: start)
        var spared = planner
        spared.known(newcomer)
        #expect(spared.nextDeadline == nil)
        let look = try #require(planner.nextDeadline)
        #expect(look - start <= DiscoveryLimits.lookDelay && planner.tick(now: look) == [.look(newcomer)])
        let ask = try #require(planner.nextDeadline)
        #expect(ask - start >= .seconds(1))
        #expect(planner.tick(now: ask).contains { if case .connect = $0 { true } else { false } })
    }

    @Test("a newer card is requested without hurry; the known one stays until then")
    func stale() throws {
        var planner = acquainted()
        let changed = try #require(newcomers(sponsored: false, 1).first)
        planner.heard(changed, differs: false, now: start)
        planner.known(changed)
        #expect(planner.nextDeadline == nil && !planner.isMissing(changed))
        for _ in 0..<100 { planner.heard(changed, differs: false, isStale: true, now: start) }
        #expect(planner.isMissing(changed) && planner.namelessCount == 1)
        let due = try #require(planner.nextDeadline)
        #expect(due - start >= DiscoveryLimits.staleDelay && due - start <= DiscoveryLimits.staleDelay * 4)
        planner.known(changed)
        #expect(planner.nextDeadline == nil)
    }

    @Test("a thousand missing cards are requested in short questions, one at a time, with pauses")
    func crowd() {
        var planner = acquainted()
        for number in 1000..<2000 as Range<UInt64> { planner.heard(device(number), differs: false, now: start) }
        var questions: [Instant] = []
        var now = start
        while now < start + .seconds(60), let next = planner.nextDeadline {
            now = max(now, next)
            var looks = 0
            for effect in planner.tick(now: now) {
                switch effect {
                case .look: looks += 1
                case .ask: Issue.record("there is no session")
                case .connect(let partner):
                    planner.setConnected(partner, true, now: now)
                    guard case .ask(_, let request)? = planner.tick(now: now).first else {
                        Issue.record("who has opened a session asks")
                        continue
                    }
                    questions.append(now)
                    #expect((request.devices?.count ?? 0) <= PeerLimits.peerExchangeDevices)
                    planner.setConnected(partner, false, now: now)
                    _ = planner.received(
                        PeerExchangeBody(entries: [], hasMore: false), from: partner, news: 0, now: now)
                }
            }
            #expect(looks <= 40)
        }
        #expect(zip(questions, questions.dropFirst()).allSatisfy { $1 - $0 >= DiscoveryLimits.peerExchangeGap })
        #expect(questions.count > 50)
    }

    @Test("a digest that keeps differing costs ever fewer exchanges")
    func liar() {
        var planner = planner()
        planner.heard(device(2), differs: false, now: start)
        planner.known(device(2))
        planner.setConnected(device(2), true, now: start)
        var moments: [Instant] = []
        var now = start
        while now < start + .seconds(24 * 3600) {
            planner.heard(device(2), differs: true, now: now)
            if let next = planner.nextDeadline, next <= now {
                for case .ask(let partner, _) in planner.tick(now: now) {
                    moments.append(now)
                    _ = planner.received(
                        PeerExchangeBody(entries: [], hasMore: false), from: partner, news: 0, now: now)
                }
            }
            now = now + .seconds(5)
        }
        #expect(moments.count >= 24 && moments.count <= 45, "\(moments.count)")
    }

    @Test("a passed-on announcement is believed, but moves no present device and brings none back")
    func introduced() {
        var machine = DiscoveryMachine(
            key: DiscoveryFixture.key(1), incarnation: 1, port: 4000, now: start, random: SeededGenerator(seed: 1))
        func announcement(_ kind: DiscoveryDatagram.Kind, _ sequence: UInt32, forged: Bool = false) -> Announcement {
            Announcement(
                bytes: DiscoveryDatagram(
                    kind: kind, device: device(2), incarnation: 1, sequence: sequence, port: 4000
                ).encoded(signedBy: DiscoveryFixture.key(forged ? 3 : 2)), source: DiscoveryFixture.address(9))
        }
        let teller = DiscoveryFixture.address(8).host
        #expect(machine.introduced(announcement(.hello, 5, forged: true), by: teller, now: start).isEmpty)
        let first = machine.introduced(announcement(.beacon, 5), by: teller, now: start)
        #expect(first == [.heard(device: device(2), address: DiscoveryFixture.address(9), isNew: true)])
        #expect(machine.announcement(of: device(2)) == announcement(.beacon, 5))
        #expect(machine.introduced(announcement(.beacon, 6), by: teller, now: start).isEmpty)
        let bye = DiscoveryDatagram(kind: .bye, device: device(2), incarnation: 1, sequence: 9, port: 4000)
        #expect(machine.introduced(announcement(.bye, 9), by: teller, now: start).isEmpty && machine.presentCount == 1)
        _ = machine.receive(
            bye.encoded(signedBy: DiscoveryFixture.key(2))[...], from: DiscoveryFixture.address(9), now: start)
        #expect(machine.presentCount == 0)
        #expect(
            machine.introduced(announcement(.beacon, 8), by: teller, now: start).isEmpty && machine.presentCount == 0)
    }
}
