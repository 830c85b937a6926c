import Basics
import Crypto
import Testing

@testable import PeerProtocol

/// Goal: two copies of one data directory are distinguished from a restart, and don't push each other out.
@Suite("Copies of a data directory") struct CopyWatchTests {
    private let start = DiscoveryFixture.start
    private let device = DiscoveryFixture.device(2)

    private func run(_ number: UInt8) throws -> Key32 {
        try #require(Key32([UInt8](repeating: number, count: 32)))
    }
    private func place(_ number: UInt32) -> SocketAddress { DiscoveryFixture.address(number) }

    @Test("any number of restarts are no copies, whatever session is still open")
    func restarts() throws {
        var watch = CopyWatch()
        for number in 1...20 as ClosedRange<UInt8> {
            let open = number > 1 ? try run(number - 1) : nil
            let key = try run(number)
            #expect(watch.met(device, run: key, at: place(1), open: open, now: start) == .only)
            // The next dial comes with fresh keys.
            #expect(watch.met(device, run: key, at: place(1), open: key, now: start) == .only)
        }
        #expect(watch.copies(now: start).isEmpty)
    }

    @Test("a run that comes back is a copy: the open session stays, and both places are known for a while")
    func copies() throws {
        var watch = CopyWatch()
        let (one, two) = (try run(1), try run(2))
        #expect(watch.met(device, run: one, at: place(1), open: nil, now: start) == .only)
        #expect(watch.met(device, run: two, at: place(2), open: one, now: start) == .only)
        #expect(watch.met(device, run: one, at: place(1), open: two, now: start) == .copy(isNews: true, stays: true))
        for _ in 0..<9 {
            let verdict = watch.met(device, run: one, at: place(1), open: two, now: start)
            #expect(verdict == .copy(isNews: false, stays: true))
        }
        #expect(watch.copies(now: start) == [device: [place(1), place(2)]])
        // The run with the session renews its keys, and is not the copy.
        #expect(watch.met(device, run: two, at: place(2), open: two, now: start) == .only)
        // That run goes and the other takes its place; then the other is the one that stays.
        #expect(watch.met(device, run: one, at: place(1), open: nil, now: start) == .copy(isNews: false, stays: false))
        #expect(watch.met(device, run: two, at: place(2), open: one, now: start) == .copy(isNews: false, stays: true))
        // A restart of either run is let in.
        #expect(watch.met(device, run: try run(3), at: place(2), open: one, now: start) == .only)
        #expect(watch.copies(now: start + .seconds(599)).count == 1)
        #expect(watch.copies(now: start + .seconds(600)).isEmpty)
    }

    @Test(
        "a device whose copy is connected is dialled rarely, whatever is heard, and at once on request"
    )
    func calm() {
        var planner = DialPlanner(own: DiscoveryFixture.devices[30], random: SeededGenerator(seed: 1))
        let friend = DiscoveryFixture.devices[40]
        planner.setFriends([friend], now: start)
        planner.heard(friend, at: place(1), isNew: true, now: start)
        var now = start
        var dials = 0
        while now < start + .seconds(600) {
            planner.heard(friend, at: place(1), isNew: false, now: now)
            planner.setPending(true, for: friend, now: now)
            for dial in planner.tick(now: now) {
                dials += 1
                planner.sessionOpened(friend, by: dial.target, now: now)
                planner.sessionClosed(friend, isClean: true, now: now)
                planner.putOff(friend, now: now)
            }
            now = now + .milliseconds(500)
        }
        #expect((5...10).contains(dials), "\(dials)")
        planner.request(.device(friend), now: now)
        #expect(planner.tick(now: now).count == 1)
    }

    @Test("an announcement of this device from elsewhere is reported; our own that comes back is not")
    func ourselves() {
        var machine = DiscoveryMachine(
            own: DiscoveryFixture.device(1), signer: FloodScene.signer, incarnation: 3, port: 4000, now: start,
            random: SeededGenerator(seed: 1))
        _ = machine.start(now: start)
        var own: [[UInt8]] = []
        for case .broadcast(let bytes) in machine.tick(now: start + .seconds(10)) { own.append(bytes) }
        for bytes in own { _ = machine.receive(bytes[...], from: place(1), now: start) }
        #expect(!own.isEmpty && machine.drainOwnElsewhere() == nil)
        func hear(_ incarnation: UInt32, _ sequence: UInt32, port: UInt16) -> SocketAddress? {
            let bytes = DiscoveryDatagram(
                kind: .beacon, device: DiscoveryFixture.device(1), incarnation: incarnation, sequence: sequence,
                port: port
            ).encoded(by: FloodScene.signer)
            _ = machine.receive(bytes[...], from: DiscoveryFixture.address(9, port: 999), now: start)
            return machine.drainOwnElsewhere()
        }
        #expect(hear(3, 1, port: 4000) == nil)
        #expect(hear(3, 1, port: 4001) == DiscoveryFixture.address(9, port: 4001))
        #expect(hear(3, 99, port: 4000) == DiscoveryFixture.address(9, port: 4000))
        #expect(hear(2, 1, port: 4000) != nil && hear(4, 1, port: 4000) != nil)
    }
}
