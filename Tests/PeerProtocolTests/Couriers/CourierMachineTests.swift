import Basics
import Testing

@testable import PeerProtocol

/// Goal: what waits for somebody who is away goes into parcels soon, in few parcels, and only while that can help.
@Suite("When a parcel is made")
struct CourierMachineTests {
    private let ben: AccountID
    private let eve: AccountID

    init() throws { (ben, eve) = (try account(2), try account(5)) }

    /// The accounts for which a parcel is due, with a courier for everybody.
    private func due(_ machine: inout CourierMachine, _ seconds: Double) -> [AccountID] {
        machine.tick(now: at(seconds)) { _ in true }
    }

    @Test("Who was never here has been away since the network began: ten seconds")
    func patience() {
        var machine = CourierMachine(now: at(0))
        machine.appended(for: ben, now: at(3))
        #expect(machine.nextDeadline(after: at(3)) == at(10))
        #expect(due(&machine, 9.999).isEmpty)
        #expect(due(&machine, 10) == [ben])
    }

    @Test("Ten seconds count from the end of the last session, and later items go at once")
    func away() {
        var machine = CourierMachine(now: at(0))
        machine.connected(ben)
        machine.appended(for: ben, now: at(20))
        #expect(due(&machine, 60).isEmpty && machine.nextDeadline(after: at(60)) == nil)
        machine.disconnected(ben, now: at(100))
        #expect(machine.nextDeadline(after: at(100)) == at(110))
        #expect(due(&machine, 109.999).isEmpty && due(&machine, 110) == [ben])
        machine.made(for: ben, isAll: true, now: at(110))
        machine.appended(for: ben, now: at(500))
        #expect(due(&machine, 500) == [ben])
    }

    @Test("An account that comes back meanwhile gets no parcel, and its ten seconds begin again")
    func comesBack() {
        var machine = CourierMachine(now: at(0))
        machine.appended(for: ben, now: at(0))
        machine.connected(ben)
        #expect(due(&machine, 30).isEmpty && machine.nextDeadline(after: at(30)) == nil)
        machine.disconnected(ben, now: at(40))
        #expect(due(&machine, 49).isEmpty && due(&machine, 50) == [ben])
        // While it is being made, too: nothing is left to do for the maker then.
        machine.connected(ben)
        machine.made(for: ben, isAll: false, now: at(51))
        #expect(due(&machine, 90).isEmpty)
    }

    @Test("The end of a session of somebody who wasn't here is nothing")
    func strayEnd() {
        var machine = CourierMachine(now: at(0))
        machine.disconnected(ben, now: at(5))
        #expect(due(&machine, 100).isEmpty && machine.nextDeadline(after: at(5)) == nil)
    }

    @Test("Two seconds lie between two parcels for an account, so what is written meanwhile goes together")
    func pause() {
        var machine = CourierMachine(now: at(0))
        machine.appended(for: ben, now: at(20))
        #expect(due(&machine, 20) == [ben])
        machine.made(for: ben, isAll: true, now: at(20))
        machine.appended(for: ben, now: at(20.5))
        machine.appended(for: ben, now: at(21))
        #expect(machine.nextDeadline(after: at(21)) == at(22))
        #expect(due(&machine, 21.999).isEmpty && due(&machine, 22) == [ben])
        machine.made(for: ben, isAll: true, now: at(22))
        #expect(due(&machine, 100).isEmpty && machine.nextDeadline(after: at(100)) == nil)
    }

    @Test("What comes while a parcel is being made goes into the next one, and no two are made at once")
    func whileMade() {
        var machine = CourierMachine(now: at(0))
        machine.appended(for: ben, now: at(20))
        #expect(due(&machine, 20) == [ben] && due(&machine, 30).isEmpty)
        machine.appended(for: ben, now: at(21))
        #expect(due(&machine, 40).isEmpty && machine.nextDeadline(after: at(40)) == nil)
        machine.made(for: ben, isAll: true, now: at(50))
        #expect(machine.nextDeadline(after: at(50)) == at(52))
        #expect(due(&machine, 52) == [ben])
        // What doesn't fit goes into another.
        machine.made(for: ben, isAll: false, now: at(53))
        #expect(due(&machine, 54.999).isEmpty && due(&machine, 55) == [ben])
    }

    @Test("Without a courier it waits, and goes when one comes")
    func courier() {
        var machine = CourierMachine(now: at(0))
        machine.appended(for: ben, now: at(0))
        machine.appended(for: eve, now: at(0))
        #expect(machine.tick(now: at(20)) { _ in false }.isEmpty)
        #expect(machine.nextDeadline(after: at(20)) == nil)
        #expect(machine.tick(now: at(100)) { $0 == ben } == [ben])
        #expect(machine.tick(now: at(101)) { $0 == ben }.isEmpty)
        #expect(machine.tick(now: at(102)) { _ in true } == [eve])
    }

    @Test("What was lost is sealed again, until three were lost; then it waits until the account was here")
    func losses() {
        var machine = CourierMachine(now: at(0))
        machine.appended(for: ben, now: at(20))
        for attempt in 0..<3 {
            let start = 20 + Double(attempt) * 160
            #expect(due(&machine, start - 0.001).isEmpty && due(&machine, start) == [ben], "\(attempt)")
            machine.made(for: ben, isAll: true, now: at(start))
            #expect(due(&machine, start + 50).isEmpty && !machine.hasGivenUp(on: ben))
            machine.dropped(for: ben, now: at(start + 100))
        }
        #expect(machine.hasGivenUp(on: ben) && !machine.hasGivenUp(on: eve))
        machine.appended(for: ben, now: at(700))
        #expect(due(&machine, 1000).isEmpty && machine.nextDeadline(after: at(1000)) == nil)
        // Others' parcels have nothing to do with it.
        machine.appended(for: eve, now: at(1000))
        #expect(due(&machine, 1000) == [eve])
        machine.connected(ben)
        #expect(!machine.hasGivenUp(on: ben))
        machine.disconnected(ben, now: at(2000))
        #expect(due(&machine, 2009).isEmpty && due(&machine, 2010) == [ben])
    }

    @Test("What is lost within a minute counts once: a user drops several parcels at a time")
    func lossesAtOnce() {
        var machine = CourierMachine(now: at(0))
        for _ in 0..<5 { machine.dropped(for: ben, now: at(20)) }
        machine.dropped(for: ben, now: at(79.999))
        machine.dropped(for: ben, now: at(80))
        #expect(!machine.hasGivenUp(on: ben))
        machine.dropped(for: ben, now: at(140))
        #expect(machine.hasGivenUp(on: ben))
    }

    @Test("A parcel that is lost while its account is here doesn't count")
    func lostWhileHere() {
        var machine = CourierMachine(now: at(0))
        machine.connected(ben)
        for _ in 0..<5 { machine.dropped(for: ben, now: at(1)) }
        machine.disconnected(ben, now: at(10))
        #expect(due(&machine, 20) == [ben])
    }

    @Test(
        "For a minute after a loss no parcel is made, whatever comes meanwhile: a courier that drops some isn't given more"
    )
    func lossAtOnce() {
        var machine = CourierMachine(now: at(0))
        machine.appended(for: ben, now: at(20))
        #expect(due(&machine, 20) == [ben])
        machine.dropped(for: ben, now: at(20.5))
        machine.made(for: ben, isAll: true, now: at(21))
        machine.appended(for: ben, now: at(30))
        #expect(due(&machine, 80.499).isEmpty && due(&machine, 80.5) == [ben])
        machine.made(for: ben, isAll: true, now: at(81))
        machine.appended(for: ben, now: at(82))
        machine.dropped(for: ben, now: at(82.5))
        #expect(due(&machine, 142.499).isEmpty && due(&machine, 142.5) == [ben])
    }

    @Test("What was said in a group waits for a minute; what comes meanwhile for the account alone doesn't wait for it")
    func groups() {
        var machine = CourierMachine(now: at(0))
        let isFirst = machine.appended(for: ben, now: at(20), delay: CourierMachine.groupPatience)
        #expect(isFirst && machine.nextDeadline(after: at(20)) == at(80))
        let isSooner = machine.appended(for: ben, now: at(25), delay: CourierMachine.groupPatience)
        let isAlone = machine.appended(for: ben, now: at(30))
        #expect(!isSooner && isAlone)
        #expect(due(&machine, 30) == [ben])
        // The rest is said to be ripe at a later time.
        machine.made(for: ben, isAll: true, next: at(80), now: at(31))
        #expect(machine.nextDeadline(after: at(31)) == at(80))
        #expect(due(&machine, 79.999).isEmpty && due(&machine, 80) == [ben])
        machine.made(for: ben, isAll: true, next: at(80.5), now: at(80))
        #expect(machine.nextDeadline(after: at(80)) == at(82))
        // A daemon that stops doesn't wait.
        machine.hurry(now: at(81))
        #expect(due(&machine, 81) == [ben])
    }

    @Test("After a new start all that waits is told again, and goes after ten seconds")
    func restart() {
        var machine = CourierMachine(now: at(1000))
        for account in [ben, eve] { machine.appended(for: account, now: at(1000)) }
        machine.connected(eve)
        #expect(machine.nextDeadline(after: at(1000)) == at(1010))
        #expect(due(&machine, 1009.999).isEmpty && due(&machine, 1010) == [ben])
    }

    @Test("Before a stop what waits goes at once, but for accounts that are here or have no courier")
    func hurry() throws {
        var machine = CourierMachine(now: at(0))
        let carl = try account(3)
        machine.connected(carl)
        for account in [ben, carl, eve] { machine.appended(for: account, now: at(1)) }
        machine.hurry(now: at(2))
        #expect(machine.tick(now: at(2)) { $0 != eve } == [ben])
        // What comes while it is made, and what doesn't fit, goes at once, too, if it is hurried again.
        machine.made(for: ben, isAll: false, now: at(2))
        #expect(due(&machine, 2) == [eve])
        machine.hurry(now: at(2.1))
        #expect(due(&machine, 2.1) == [ben])
    }

    // MARK: Anything

    /// What must hold for one account, kept beside the machine.
    private struct Expected {
        var isHere = false
        var isCarried = false
        /// When it went away, or the network began.
        var left = at(0)
        var lost = 0
        var lostAt: Instant?
        /// Before when no parcel may be made, since it was last here.
        var rest = at(0)
        /// When what waits and is in no parcel may go.
        var ripe: Instant?
        /// When a parcel that is being made will be done, whether it takes all, and when more is ripe.
        var making: (done: Instant, isAll: Bool, next: Instant?)?
        /// When what waits must go without patience: it was hurried, or is the rest of what the last parcel took.
        var without: Instant?

        mutating func waits(_ now: Instant, delay: Duration = .zero) {
            guard !isHere else { return }
            ripe = min(ripe ?? now + delay, now + delay)
            if making == nil, let without { self.without = min(without, first(now + delay)) }
        }

        mutating func isLost(_ now: Instant) {
            guard !isHere else { return }
            if lostAt.map({ now - $0 >= CourierMachine.lossPause }) ?? true { (lost, lostAt) = (lost + 1, now) }
            rest = max(rest, now + CourierMachine.lossPause)
            waits(now)
            if let without { self.without = max(without, now + CourierMachine.lossPause) }
        }

        private func first(_ ripe: Instant) -> Instant { max(ripe, left + CourierMachine.patience, rest) }

        /// When a parcel must be asked for, and may not be before.
        var due: Instant? {
            guard let ripe, !isHere, making == nil, lost < CourierMachine.tries else { return nil }
            return without ?? first(ripe)
        }
    }

    @Test("Whatever happens, a parcel is asked for when it must be, and at no other time", arguments: 0..<200)
    func random(seed: Int) throws {
        var random = SeededGenerator(seed: UInt64(seed))
        var machine = CourierMachine(now: at(0))
        let accounts = try (10..<13).map { try account($0) }
        var expected = Dictionary(uniqueKeysWithValues: accounts.map { ($0, Expected()) })
        var now = at(0)
        for step in 0..<400 {
            now = now + .milliseconds(Int.random(in: 0...3000, using: &random))
            for account in accounts.shuffled(using: &random) {
                guard var state = expected[account] else { continue }
                if let making = state.making, making.done <= now {
                    machine.made(for: account, isAll: making.isAll, next: making.next, now: now)
                    state.making = nil
                    if !state.isHere {
                        state.rest = max(state.rest, now + CourierMachine.pause)
                        if !making.isAll || state.ripe != nil {
                            (state.ripe, state.without) = (now, state.rest)
                        } else if let next = making.next {
                            (state.ripe, state.without) = (next, max(next, state.rest))
                        }
                    }
                }
                switch Int.random(in: 0..<40, using: &random) {
                case 0..<6:
                    let delay = Bool.random(using: &random) ? Duration.zero : CourierMachine.groupPatience
                    machine.appended(for: account, now: now, delay: delay)
                    state.waits(now, delay: delay)
                case 6:
                    machine.connected(account)
                    state = Expected(isHere: true, isCarried: state.isCarried, making: nil)
                case 7...9:
                    if state.isHere {
                        state.isHere = false
                        state.left = now
                        state.waits(now)
                    }
                    machine.disconnected(account, now: now)
                case 10:
                    machine.dropped(for: account, now: now)
                    state.isLost(now)
                case 11...12: state.isCarried.toggle()
                default: break
                }
                expected[account] = state
            }
            if Int.random(in: 0..<60, using: &random) == 0 {
                machine.hurry(now: now)
                for account in accounts where expected[account]?.ripe != nil {
                    if expected[account]?.making == nil { expected[account]?.without = now }
                }
            }
            let asked = machine.tick(now: now) { expected[$0]?.isCarried == true }
            let wanted = accounts.filter { account in
                guard let state = expected[account], let due = state.due else { return false }
                return state.isCarried && due <= now
            }
            #expect(asked == wanted.sorted(), "step \(step)")
            for account in asked {
                expected[account]?.ripe = nil
                expected[account]?.without = nil
                expected[account]?.making = (
                    now + .milliseconds(Int.random(in: 0...5000, using: &random)), Bool.random(using: &random),
                    Bool.random(using: &random) ? nil : now + .seconds(Int.random(in: 0...90, using: &random))
                )
            }
            // It never asks to be looked at in the past, and never too late.
            let deadline = machine.nextDeadline(after: now)
            #expect(deadline.map { $0 > now } ?? true, "step \(step)")
            let next = expected.values.compactMap(\.due).filter { $0 > now }.min()
            if let next { #expect((deadline ?? now) <= next && deadline != nil, "step \(step)") }
            if asked != wanted.sorted() { return }
        }
    }
}
