import Basics
import PeerProtocol
import Testing
import Vocabulary

@Suite("Delivery: waiting outbox items reach their recipients")
struct DeliveryMachineTests {
    private typealias Machine = DeliveryMachine<SeededGenerator>
    private let full = Refusal(.noSpace)

    private func account(_ number: UInt8) throws -> AccountID {
        try #require(AccountID(bytes: [UInt8](repeating: number, count: 32)))
    }

    private func machine(_ seed: UInt64 = 1) -> Machine { Machine(random: SeededGenerator(seed: seed)) }

    // MARK: Without trouble

    @Test("A peer with a session gets what was just committed, in order; for others a peer is sought")
    func handing() throws {
        let (here, away) = (try account(1), try account(2))
        var machine = machine()
        machine.connected(here)
        #expect(machine.appended([item(1), item(2)], for: here) == [.hand(here, [item(1), item(2)])])
        #expect(machine.appended([item(3)], for: away) == [.seek(away)])
        #expect(machine.pending([here, away]) == [.seek(away)])
        #expect(machine.nextDeadline == nil)
        machine.disconnected(here)
        #expect(machine.appended([item(4)], for: here) == [.seek(here)])
    }

    @Test("Stored items leave the outbox, finally refused ones have failed, read ones are noted")
    func answers() throws {
        let peer = try account(1)
        var machine = machine()
        machine.connected(peer)
        #expect(machine.settled([id(1)], by: peer, .stored, now: at(0)) == [.delivered(peer, [id(1)])])
        let refusal = Refusal(.notFriends)
        #expect(machine.settled([id(2)], by: peer, .refused(refusal), now: at(0)) == [.fail(peer, [id(2)], refusal)])
        #expect(machine.settled([id(3)], by: peer, .read, now: at(0)) == [.seen(peer, [id(3)])])
        #expect(machine.nextDeadline == nil)
    }

    @Test(
        "Only a full disk, a busy peer and the peer's internal error pass by themselves; unknown reasons don't")
    func passing() throws {
        let passing: [Reason] = [.busy, .noSpace, .internal]
        for reason in passing { #expect(reason.isPassing) }
        let lasting: [Reason] = [.notFriends, .unsupported, .invalid, .tooLarge, .notAllowed, .cancelled]
        for reason in lasting { #expect(!reason.isPassing) }
        #expect(try #require(Refusal(token: "of_later_times", detail: nil)).isPassing == false)
    }

    // MARK: A peer that can't take it now

    @Test(
        "The wait grows from about five seconds to about ten minutes, and no further",
        arguments: 0..<20 as Range<UInt64>)
    func backoff(seed: UInt64) throws {
        let peer = try account(1)
        var machine = machine(seed)
        machine.connected(peer)
        var now = at(0)
        var expected = PeerLimits.firstRedelivery
        for _ in 0..<40 {
            #expect(machine.settled([id(1)], by: peer, .refused(full), now: now) == [.postpone(peer, [id(1)], full)])
            let due = try #require(machine.nextDeadline)
            #expect(due - now >= expected * 3 / 4 && due - now < expected * 5 / 4)
            #expect(machine.tick(now: due + .nanoseconds(-1)) == [])
            now = due
            #expect(machine.tick(now: now) == [.again(peer, [id(1)])])
            // The item is under way, so it is not tried twice.
            #expect(machine.nextDeadline == nil && machine.tick(now: now + .seconds(10_000)) == [])
            expected = min(expected * 2, PeerLimits.longestRedelivery)
        }
    }

    @Test("Peers that were refused at the same moment are tried at different times")
    func jitter() throws {
        let peer = try account(1)
        let deadlines = (0..<50 as Range<UInt64>).compactMap { seed in
            var machine = machine(seed)
            machine.connected(peer)
            _ = machine.settled([id(1)], by: peer, .refused(full), now: at(0))
            return machine.nextDeadline
        }
        #expect(Set(deadlines).count > 45)
    }

    @Test("A success forgets the waits; the next refusal waits as long as the first one did")
    func recovery() throws {
        let peer = try account(1)
        var machine = machine()
        machine.connected(peer)
        for _ in 0..<8 {
            _ = machine.settled([id(1)], by: peer, .refused(full), now: at(0))
            _ = machine.tick(now: at(100_000))
        }
        #expect(machine.settled([id(1)], by: peer, .stored, now: at(0)) == [.delivered(peer, [id(1)])])
        _ = machine.settled([id(1)], by: peer, .refused(full), now: at(0))
        #expect(try #require(machine.nextDeadline) - at(0) < PeerLimits.firstRedelivery * 5 / 4)
    }

    @Test("Several due items go in the order of their making, peer by peer")
    func order() throws {
        let (one, two) = (try account(1), try account(2))
        var machine = machine()
        machine.connected(two)
        machine.connected(one)
        _ = machine.settled([id(9), id(3)], by: two, .refused(full), now: at(0))
        _ = machine.settled([id(8), id(2), id(5)], by: one, .refused(full), now: at(0))
        #expect(machine.tick(now: at(100)) == [.again(one, [id(2), id(5), id(8)]), .again(two, [id(3), id(9)])])
    }

    @Test("A user's retry tries what waits at once, and only that")
    func retry() throws {
        let peer = try account(1)
        var machine = machine()
        #expect(machine.retry(peer) == [.seek(peer)])
        machine.connected(peer)
        #expect(machine.retry(peer) == [])
        _ = machine.settled([id(1), id(2)], by: peer, .refused(full), now: at(0))
        #expect(machine.retry(peer) == [.again(peer, [id(1), id(2)])])
        #expect(machine.retry(peer) == [])
        #expect(machine.nextDeadline == nil)
    }

    @Test("A new session tries everything by itself: nothing is due, and the next refusal waits longer than the last")
    func reconnect() throws {
        let peer = try account(1)
        var machine = machine()
        machine.connected(peer)
        _ = machine.settled([id(1)], by: peer, .refused(full), now: at(0))
        machine.disconnected(peer)
        #expect(machine.nextDeadline == nil && machine.tick(now: at(10_000)) == [])
        machine.connected(peer)
        #expect(machine.nextDeadline == nil && machine.tick(now: at(10_000)) == [])
        _ = machine.settled([id(1)], by: peer, .refused(full), now: at(20_000))
        #expect(try #require(machine.nextDeadline) - at(20_000) >= PeerLimits.firstRedelivery * 2 * 3 / 4)
    }

    @Test("Items that were refused together are retried together")
    func together() throws {
        let peer = try account(1)
        var machine = machine()
        machine.connected(peer)
        _ = machine.settled([id(1), id(2), id(3)], by: peer, .refused(full), now: at(0))
        let due = try #require(machine.nextDeadline)
        #expect(machine.tick(now: due) == [.again(peer, [id(1), id(2), id(3)])])
    }

    @Test(
        "A peer that refuses everything costs bounded memory; the rest is found by reading the outbox once more"
    )
    func bound() throws {
        let peer = try account(1)
        var machine = machine()
        machine.connected(peer)
        let ids = (1...UInt64(PeerLimits.delayedFrames + 100)).map { id($0) }
        #expect(machine.settled(ids, by: peer, .refused(full), now: at(0)) == [.postpone(peer, ids, full)])
        let known = Array(ids.prefix(PeerLimits.delayedFrames))
        #expect(machine.tick(now: at(7)) == [.again(peer, known), .restart(peer)])
        #expect(machine.nextDeadline == nil)
        // They are refused once more, in several receipts; the wait grows by one step, not by one for each.
        for id in ids { _ = machine.settled([id], by: peer, .refused(full), now: at(8)) }
        #expect(machine.tick(now: at(8 + 12.5)).contains(.restart(peer)))
        // A new session reads everything by itself.
        _ = machine.settled(ids, by: peer, .refused(full), now: at(30))
        machine.disconnected(peer)
        machine.connected(peer)
        #expect(machine.nextDeadline == nil)
        // Once they are taken nothing of it is left.
        _ = machine.settled(ids, by: peer, .stored, now: at(40))
        #expect(machine.nextDeadline == nil && machine.retry(peer) == [])
    }

    // MARK: All at once

    /// An outbox, a session that hands frames to an unpredictable peer, and sessions that come and go.
    @Test(
        "In any order of events everything leaves the outbox exactly once", arguments: 0..<300 as Range<UInt64>)
    func interleavings(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let peer = try account(1)
        var machine = machine(seed)
        var now = at(0)
        var outbox: [UUIDv7] = []
        var under: [UUIDv7] = []
        var (delivered, failed) = (Set<UUIDv7>(), Set<UUIDv7>())
        var isConnected = false
        var next: UInt64 = 1

        func perform(_ effects: [DeliveryEffect]) {
            for effect in effects {
                switch effect {
                case .hand(_, let items):
                    #expect(isConnected)
                    under += items.map(\.id)
                case .again(_, let ids):
                    #expect(isConnected)
                    #expect(Set(ids).isDisjoint(with: under), "something under way is sent again")
                    under += ids.filter(outbox.contains)
                case .seek: #expect(!isConnected)
                case .delivered(_, let ids):
                    for id in ids where outbox.contains(id) { #expect(delivered.insert(id).inserted) }
                    outbox.removeAll { ids.contains($0) }
                case .fail(_, let ids, _):
                    for id in ids where outbox.contains(id) { #expect(failed.insert(id).inserted) }
                    outbox.removeAll { ids.contains($0) }
                case .restart: Issue.record("so many don't wait here")
                case .postpone, .seen: break
                }
            }
        }

        func step(_ choice: Int) {
            switch choice {
            case 0..<25:
                outbox.append(id(next))
                perform(machine.appended([item(next)], for: peer))
                next += 1
            case 25..<60:
                guard !under.isEmpty else { return }
                let answered = under.remove(at: Int.random(in: 0..<under.count, using: &random))
                let status: ReceiptBody.Status =
                    switch choice {
                    case 25..<40: .refused(full)
                    case 40..<43: .refused(Refusal(.invalid))
                    default: .stored
                    }
                perform(machine.settled([answered], by: peer, status, now: now))
            case 60..<70:
                isConnected.toggle()
                if isConnected {
                    machine.connected(peer)
                    // The session reads the outbox from its beginning.
                    under = outbox
                } else {
                    machine.disconnected(peer)
                    under = []
                }
            case 70..<75: perform(machine.retry(peer))
            case 75..<80:
                // The item was deleted meanwhile.
                if let gone = outbox.randomElement(using: &random) { outbox.removeAll { $0 == gone } }
            default:
                now = now + .milliseconds(Int64.random(in: 0...20_000, using: &random))
                perform(machine.tick(now: now))
            }
        }

        for _ in 0..<300 { step(Int.random(in: 0..<100, using: &random)) }
        if !isConnected { step(60) }
        // The peer has space again: what is under way is stored, and what waits is tried.
        for _ in 0..<1000 where !outbox.isEmpty {
            while let first = under.first {
                under.removeFirst()
                perform(machine.settled([first], by: peer, .stored, now: now))
            }
            guard let deadline = machine.nextDeadline else { break }
            now = max(now, deadline)
            perform(machine.tick(now: now))
        }
        #expect(outbox.isEmpty, "an item waits that will never be sent")
        #expect(delivered.isDisjoint(with: failed))
    }
}
