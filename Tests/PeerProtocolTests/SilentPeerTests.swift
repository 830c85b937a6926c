import Basics
import Testing

@testable import PeerProtocol

/// Goal: a peer that doesn't answer questions for cards is asked ever more seldom, its session comes to rest, and others are
/// asked instead.
@Suite("Discovery: peers that don't answer") struct SilentPeerTests {
    private let start = DiscoveryFixture.start

    private func device(_ number: UInt64) -> DeviceID { DiscoveryFixture.device(number) }

    private func planner() -> PeerExchangePlanner<SeededGenerator> {
        PeerExchangePlanner(own: device(1), random: SeededGenerator(seed: 5))
    }

    /// Lets time pass with a planner whose peers answer or don't. A session ends 10 s after the last question in it, and is opened
    /// where the planner wants it.
    /// - Parameter hears: what is heard of peers after each step.
    /// - Returns: when each peer was asked.
    private func run(
        _ planner: inout PeerExchangePlanner<SeededGenerator>, for time: Duration, connected: [DeviceID],
        answering: Set<DeviceID> = [],
        hears: (inout PeerExchangePlanner<SeededGenerator>, Instant) -> Void = { _, _ in }
    ) -> [DeviceID: [Instant]] {
        var asked: [DeviceID: [Instant]] = [:]
        var open: [DeviceID: Instant] = [:]
        var now = start
        var steps = 0
        func connect(_ device: DeviceID) {
            open[device] = now
            planner.known(device)
            planner.setConnected(device, true, now: now)
        }
        for device in connected {
            planner.heard(device, differs: false, now: now)
            connect(device)
        }
        while now < start + time {
            steps += 1
            guard steps < 100_000 else {
                Issue.record("the planner doesn't come to rest")
                break
            }
            for effect in planner.tick(now: now) {
                switch effect {
                case .ask(let device, _):
                    asked[device, default: []].append(now)
                    open[device] = now
                    guard answering.contains(device) else { continue }
                    _ = planner.received(
                        PeerExchangeBody(entries: [], hasMore: false), from: device, news: 0, now: now)
                case .connect(let device): connect(device)
                case .look: break
                }
            }
            let idle = open.filter { $0.value + PeerLimits.strangerIdleTime <= now }.keys.sorted()
            for device in idle {
                open[device] = nil
                planner.setConnected(device, false, now: now)
            }
            hears(&planner, now)
            let next = [planner.nextDeadline, open.values.min().map { $0 + PeerLimits.strangerIdleTime }]
                .compactMap(\.self).min()
            now = max(now + .milliseconds(1), min(next ?? now + .seconds(5), now + .seconds(5)))
        }
        return asked
    }

    @Test("A stranger that never answers is asked after growing pauses, and its session ends before the next question")
    func silent() {
        var planner = planner()
        planner.start(now: start)
        let asked = run(&planner, for: .seconds(24 * 3600), connected: [device(2)])[device(2)] ?? []
        #expect(asked.count >= 20 && asked.count <= 45, "\(asked.count)")
        let pauses = zip(asked, asked.dropFirst()).map { $1 - $0 }
        #expect(pauses.allSatisfy { $0 > PeerLimits.strangerIdleTime })
        #expect(pauses.prefix(7).last.map { $0 > .seconds(300) } == true, "\(pauses.prefix(7))")
        #expect(pauses.allSatisfy { $0 < .seconds(2 * 3600) })
    }

    @Test("Where one is silent, another one is asked next; who answers is silent no longer")
    func others() throws {
        var planner = planner()
        planner.start(now: start)
        let asked = run(
            &planner, for: .seconds(600), connected: (2..<10).map { device($0) }, answering: [device(5)])
        let questions = asked.flatMap { entry in entry.value.map { ($0, entry.key) } }.sorted { $0.0 < $1.0 }
        #expect(questions.count <= 16)
        #expect(zip(questions, questions.dropFirst()).allSatisfy { $0.1 != $1.1 }, "never the same one twice in a row")
        #expect(questions.last?.1 == device(5), "and then there is rest")
    }

    @Test("A digest that always differs gets nobody a question who has not answered the last one")
    func digest() {
        var planner = planner()
        let asked = run(&planner, for: .seconds(24 * 3600), connected: [device(2)]) { planner, now in
            planner.heard(self.device(2), differs: true, now: now)
        }
        #expect((15...45).contains(asked[device(2)]?.count ?? 0), "\(asked[device(2)]?.count ?? 0)")
    }

    @Test("Newcomers without end get a silent peer no more questions, and are dialled instead")
    func newcomers() {
        var planner = planner()
        var number: UInt64 = 100
        var last = start
        let asked = run(&planner, for: .seconds(3600), connected: [device(2)]) { planner, now in
            guard now - last >= .seconds(5) else { return }
            last = now
            number += 1
            planner.heard(self.device(number), differs: false, now: now)
            if number > 200 { planner.left(self.device(number - 100)) }
        }
        #expect((asked[device(2)]?.count ?? 0) <= 12, "\(asked[device(2)]?.count ?? 0)")
    }

    @Test("On a new network all are asked again; no more of them are remembered than the limit says")
    func memory() throws {
        var random = SeededGenerator(seed: 1)
        var peers = SilentPeers()
        for number in 2..<UInt64(DiscoveryLimits.silentPeers + 12) {
            peers.failed(device(number), now: start + .milliseconds(Int(number)), using: &random)
        }
        let kept = (2..<UInt64(DiscoveryLimits.silentPeers + 12)).count { peers.pause(of: device($0)) != nil }
        #expect(kept == DiscoveryLimits.silentPeers)
        for _ in 0..<100 { peers.failed(device(5000), now: start, using: &random) }
        let pause = try #require(peers.pause(of: device(5000)))
        #expect(pause - start <= DiscoveryLimits.silentPeerPause.longest * 5 / 4)
        peers.answered(device(5000))
        #expect(peers.mayAsk(device(5000), now: start))
        peers.clear()
        #expect(peers.mayAsk(device(1000), now: start))
    }
}
