import Basics
import Crypto
import TestSupport
import Testing

@testable import PeerProtocol

/// Goal: what strangers ask for and report costs little and makes us do little.
@Suite("Peer exchange: its cost and its effects") struct PeerExchangeCostTests {
    private let start = DiscoveryFixture.start

    /// A peer exchange with so many cards: one real card, under made-up keys.
    private func peerExchange(_ count: Int) throws -> PeerExchange {
        let (account, device) = (DiscoveryFixture.key(1000), DiscoveryFixture.key(2))
        let certificate = try DeviceCertificate.issue(
            by: account, for: DeviceID(device.publicKey), name: "here", created: WallTime(milliseconds: 1))
        let card = try Card.issue(
            by: device, certificate: certificate, profile: Card.Profile(displayName: "Person"), version: 1)
        var peerExchange = PeerExchange()
        for number in 0..<count { peerExchange.insert(card.encoded, of: FloodScene.madeUp(UInt64(number)), version: 1) }
        return peerExchange
    }

    @Test("a page of four thousand cards costs as much as one of a hundred")
    func pages() throws {
        func cost(of peerExchange: PeerExchange) -> Duration {
            var best = Duration.seconds(1000)
            let (after, asker) = (DeviceID(bytes: [UInt8](repeating: 16, count: 32)), DiscoveryFixture.device(1))
            for _ in 0..<5 {
                let begin = ThreadTime.now
                for _ in 0..<20 {
                    let page = peerExchange.page(PeerExchangeRequestBody(after: after), except: asker) { _ in nil }
                    #expect(page.hasMore && page.entries.count > 10)
                }
                best = min(best, ThreadTime.now - begin)
            }
            return best
        }
        let (few, many) = (cost(of: try peerExchange(120)), cost(of: try peerExchange(4096)))
        #expect(many < few * 4, "\(few) and \(many) for twenty pages")
    }

    @Test("strangers get only so many pages, however many sessions they open; a friend gets its pages meanwhile")
    func meter() {
        var meter = PeerExchangeMeter(salt: 5)
        var given = 0
        for _ in 0..<10_000 where meter.pass(.stranger(DiscoveryFixture.address(1).host), now: start) { given += 1 }
        #expect(given == 300)
        // The requests come from eighty addresses at once.
        for number in 0..<80 as Range<UInt32> {
            let host = DiscoveryFixture.address(100 + number).host
            for _ in 0..<300 where meter.pass(.stranger(host), now: start) { given += 1 }
        }
        #expect(given == Int(DiscoveryLimits.peerExchangePagesOfStrangers.burst))
        let friend = AccountID(DiscoveryFixture.key(1000).publicKey)
        let pages = (0..<1000).count { _ in meter.pass(.friend(friend), now: start) }
        #expect(pages == 300)
        let later = (0..<1000).count { _ in
            meter.pass(.stranger(DiscoveryFixture.address(7).host), now: start + .seconds(1))
        }
        #expect(later == Int(DiscoveryLimits.peerExchangePagesOfStrangers.perSecond))
    }

    /// A machine, and a peer that reports made-up devices at a neighbour's ports.
    private func told(_ count: Int, tellers: Int = 1) -> (machine: HeldMachine, devices: [DeviceID]) {
        let machine = HeldMachine(
            DiscoveryMachine(
                own: DiscoveryFixture.device(1), signer: FloodScene.signer, incarnation: 3, port: 4000, now: start,
                random: SeededGenerator(seed: 5)))
        _ = machine.start(now: start)
        var devices: [DeviceID] = []
        for number in 0..<count {
            let device = FloodScene.madeUp(UInt64(number))
            let bytes = DiscoveryDatagram(
                kind: .hello, device: device, incarnation: 1, sequence: 1, port: UInt16(1 + number % 65_000)
            ).encoded(by: FloodScene.signer)
            let announcement = Announcement(
                bytes: bytes, source: DiscoveryFixture.address(9, port: UInt16(1 + number % 65_000)))
            let teller = DiscoveryFixture.address(UInt32(1000 + number % tellers)).host
            for case .heard(let heard, _, _) in machine.introduced(announcement, by: teller, now: start) {
                devices.append(heard)
            }
        }
        return (machine, devices)
    }

    @Test(
        "a liar's thousands of devices at a neighbour's ports cause few dials, and displace none that was heard"
    )
    func dials() {
        let (machine, devices) = told(6000)
        #expect(devices.count <= DiscoveryLimits.strangers)
        let followed = devices.count { machine.mayFollow($0, now: start) }
        #expect(followed == Int(DiscoveryLimits.hearsayOfSource.burst))
        #expect(devices.count { machine.mayFollow($0, now: start + .seconds(10)) } == 10)
        // There are several badSources.
        let (other, more) = told(4000, tellers: 50)
        #expect(more.count { other.mayFollow($0, now: start) } == Int(DiscoveryLimits.hearsay.burst))
        // A device that was heard itself is dialled like any other, and stays.
        for number in 2...200 as ClosedRange<UInt64> {
            let hello = FloodScene.datagram(.hello, of: number, sequence: 1)
            _ = other.receive(hello[...], from: FloodScene.source(number), now: start)
        }
        #expect(
            (2...200 as ClosedRange<UInt64>).allSatisfy { other.mayFollow(DiscoveryFixture.device($0), now: start) })
        let (third, _) = told(0)
        var heard = 0
        for number in 0..<4096 {
            let device = FloodScene.madeUp(UInt64(100_000 + number))
            let hello = DiscoveryDatagram(kind: .hello, device: device, incarnation: 1, sequence: 1, port: 9)
                .encoded(by: FloodScene.signer)
            let now = start + .milliseconds(number * 5)
            heard += third.receive(hello[...], from: DiscoveryFixture.address(UInt32(number)), now: now).count
        }
        #expect(heard == 4096)
        let lie = DiscoveryDatagram(
            kind: .hello, device: FloodScene.madeUp(1), incarnation: 1, sequence: 1, port: 9
        ).encoded(by: FloodScene.signer)
        let announcement = Announcement(bytes: lie, source: DiscoveryFixture.address(9))
        let later = start + .seconds(25)
        #expect(third.introduced(announcement, by: DiscoveryFixture.address(8).host, now: later).isEmpty)
        #expect(third.presentCount == 4096)
    }

    @Test("indirect probes and suspicions about devices that are known from others only share one budget")
    func probes() {
        let (machine, devices) = told(500)
        for number in 2...60 as ClosedRange<UInt64> {
            let hello = FloodScene.datagram(.hello, of: number, sequence: 1)
            _ = machine.receive(hello[...], from: FloodScene.source(number), now: start)
        }
        let before = machine.metrics
        for (index, device) in devices.prefix(400).enumerated() {
            let number = UInt64(2 + index % 59)
            let kind: DiscoveryDatagram.Kind = index % 2 == 0 ? .suspect : .probeRequest
            let bytes = DiscoveryDatagram(
                kind: kind, device: DiscoveryFixture.device(number), incarnation: 1, sequence: UInt32(2 + index),
                port: 4000, subject: ProbeSubject(device: device, incarnation: 1, nonce: 5)
            ).encoded(by: FloodScene.signer)
            _ = machine.receive(bytes[...], from: FloodScene.source(number), now: start)
        }
        let after = machine.metrics
        let made = after.suspicionsOfOthers - before.suspicionsOfOthers + after.probes - before.probes
        #expect(made == UInt64(DiscoveryLimits.hearsayOfSource.burst), "\(made)")
    }

    @Test("an exchange for a few cards ends with as many pages, and unrequested entries are ignored")
    func exchange() {
        let own = DiscoveryFixture.device(1)
        var planner = PeerExchangePlanner(own: own, random: SeededGenerator(seed: 3))
        for number in 100..<110 as Range<UInt64> {
            planner.heard(DiscoveryFixture.device(number), differs: false, now: start)
            planner.known(DiscoveryFixture.device(number))
        }
        for number in 200..<203 as Range<UInt64> {
            planner.heard(DiscoveryFixture.device(number), differs: false, now: start)
        }
        var (now, asked) = (start, [PeerExchangeEffect]())
        while asked.isEmpty, let due = planner.nextDeadline {
            now = due
            for case .connect(let partner) in planner.tick(now: now) {
                planner.setConnected(partner, true, now: now)
                asked = planner.tick(now: now)
            }
        }
        guard case .ask(let partner, let request)? = asked.last, let devices = request.devices else {
            Issue.record("\(asked)")
            return
        }
        #expect(devices.allSatisfy { planner.awaits($0, from: partner) } && !planner.awaits(devices[0], from: own))
        #expect(!planner.awaits(DiscoveryFixture.device(300), from: partner))
        var pages = 0
        while !asked.isEmpty, pages < 400 {
            pages += 1
            var key = [UInt8](repeating: 0, count: 31)
            key.append(UInt8(pages))
            let device = DeviceID(bytes: key) ?? own
            let page = PeerExchangeBody(entries: [.init(device: device, announcement: nil, card: nil)], hasMore: true)
            asked = planner.received(page, from: partner, news: 0, now: now).filter {
                if case .ask = $0 { true } else { false }
            }
        }
        #expect(pages == devices.count, "\(pages) pages for \(devices.count)")
    }
}
