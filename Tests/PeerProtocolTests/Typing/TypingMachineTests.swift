import Basics
import PeerProtocol
import Testing

@Suite("Typing: the states shown, and the pace of our own")
struct TypingMachineTests {
    private let anna: AccountID
    private let bert: AccountID

    init() throws {
        anna = try Person(1).account
        bert = try Person(2).account
    }

    private func on(_ account: AccountID) -> TypingState { TypingState(account, isTyping: true) }
    private func off(_ account: AccountID) -> TypingState { TypingState(account, isTyping: false) }

    // MARK: They

    @Test("A state is shown once, lasts 10 s after its last frame, and is forgotten")
    func expiry() {
        var machine = TypingMachine()
        #expect(machine.nextDeadline == nil)
        #expect(machine.heard(anna, isTyping: true, now: at(0)) == [on(anna)])
        #expect(machine.heard(anna, isTyping: true, now: at(5)) == [], "the state is shown already")
        #expect(machine.heard(bert, isTyping: true, now: at(6)) == [on(bert)])
        #expect(machine.nextDeadline == at(15))
        #expect(machine.tick(now: at(14.9)) == [])
        #expect(machine.tick(now: at(15)) == [off(anna)])
        #expect(machine.nextDeadline == at(16))
        #expect(machine.tick(now: at(16)) == [off(bert)])
        #expect(machine.nextDeadline == nil && machine.count == 0)
    }

    @Test("A frame, a message or the session's end stops it at once; what was not shown is not taken back")
    func ends() {
        var machine = TypingMachine()
        #expect(machine.heard(anna, isTyping: false, now: at(0)) == [])
        #expect(machine.ended(anna) == [])
        #expect(machine.count == 0)
        _ = machine.heard(anna, isTyping: true, now: at(0))
        #expect(machine.heard(anna, isTyping: false, now: at(2)) == [off(anna)])
        #expect(machine.heard(anna, isTyping: true, now: at(3)) == [on(anna)])
        #expect(machine.ended(anna) == [off(anna)])
        #expect(machine.ended(anna) == [])
        _ = machine.heard(bert, isTyping: true, now: at(3))
        #expect(machine.endAll() == [off(bert)])
        #expect(machine.count == 0 && machine.nextDeadline == nil)
    }

    @Test("A friend that starts typing over and over is shown once a second, and finally as it is")
    func flood() {
        var machine = TypingMachine()
        var shown = 0
        for step in 0..<10_000 {
            let time = at(Double(step) / 1_000)
            shown += machine.heard(anna, isTyping: step % 2 == 0, now: time).count
            if let deadline = machine.nextDeadline, deadline <= time { shown += machine.tick(now: time).count }
        }
        #expect((10...22).contains(shown), "\(shown) in ten seconds")
        // The last frame said no and the one before it had to wait, so nothing is left.
        #expect(machine.heard(anna, isTyping: true, now: at(10.0005)).count <= 1)
        #expect(machine.heard(anna, isTyping: false, now: at(10.0006)).count <= 1)
        #expect(machine.tick(now: at(12)) == [] && machine.count == 0)
    }

    @Test("A state that has to wait is shown when its time has come")
    func waiting() {
        var machine = TypingMachine()
        _ = machine.heard(anna, isTyping: true, now: at(0))
        _ = machine.ended(anna)
        #expect(machine.heard(anna, isTyping: true, now: at(0.2)) == [])
        #expect(machine.nextDeadline == at(1))
        #expect(machine.tick(now: at(1)) == [on(anna)])
        #expect(machine.tick(now: at(10.2)) == [off(anna)])
    }

    @Test("In any order of frames, states alternate for each friend, and silence ends all of them")
    func property() throws {
        let people = try (UInt8(1)...5).map { try Person($0).account }
        for seed in UInt64(0)..<50 {
            var random = SeededGenerator(seed: seed)
            var machine = TypingMachine()
            var seen: [AccountID: Bool] = [:]
            func check(_ states: [TypingState]) {
                for state in states {
                    #expect(seen[state.account, default: false] != state.isTyping)
                    seen[state.account] = state.isTyping
                }
            }
            var time = 0.0
            for _ in 0..<500 {
                time += Double.random(in: 0...3, using: &random)
                if let deadline = machine.nextDeadline, deadline <= at(time) { check(machine.tick(now: at(time))) }
                if let deadline = machine.nextDeadline { #expect(deadline > at(time), "the deadline never moves on") }
                let account = try #require(people.randomElement(using: &random))
                switch Int.random(in: 0..<20, using: &random) {
                case 0: check(machine.endAll())
                case 1..<4: check(machine.ended(account))
                default: check(machine.heard(account, isTyping: Bool.random(using: &random), now: at(time)))
                }
            }
            check(machine.tick(now: at(time + 10)))
            #expect(!seen.values.contains(true))
            _ = machine.tick(now: at(time + 20))
            #expect(machine.count == 0)
        }
    }

    // MARK: We

    @Test("What a client reports with every key is sent once a second, the last state in any case")
    func pace() {
        var pace = TypingPace()
        #expect(pace.set(anna, isTyping: false, now: at(0)) == [], "the friend doesn't believe otherwise")
        #expect(pace.set(anna, isTyping: true, now: at(0)) == [on(anna)])
        #expect(pace.set(anna, isTyping: true, now: at(0.2)) == [])
        #expect(pace.set(anna, isTyping: false, now: at(0.4)) == [])
        #expect(pace.set(bert, isTyping: true, now: at(0.5)) == [on(bert)], "each friend has a pace of its own")
        #expect(pace.nextDeadline == at(1))
        #expect(pace.tick(now: at(0.9)) == [])
        #expect(pace.tick(now: at(1)) == [off(anna)])
        #expect(pace.set(bert, isTyping: true, now: at(5.5)) == [on(bert)], "sent again before it expires")
        #expect(pace.tick(now: at(15.5)) == [], "the friend has forgotten by itself")
        #expect(pace.count == 0 && pace.nextDeadline == nil)
    }

    @Test("A message or the session's end makes the last state unnecessary, and drops what waits")
    func paceEnds() {
        var pace = TypingPace()
        _ = pace.set(anna, isTyping: true, now: at(0))
        _ = pace.set(anna, isTyping: true, now: at(0.5))
        pace.ended(anna)
        #expect(pace.tick(now: at(1)) == [] && pace.count == 0)
        _ = pace.set(anna, isTyping: true, now: at(2))
        pace.ended(anna)
        #expect(pace.set(anna, isTyping: false, now: at(2.5)) == [])
        #expect(pace.set(anna, isTyping: true, now: at(2.6)) == [])
        #expect(pace.tick(now: at(3)) == [on(anna)], "the next message is being written")
    }

    @Test("Switching it off takes back at once everything that was sent")
    func paceOff() {
        var pace = TypingPace()
        _ = pace.set(anna, isTyping: true, now: at(0))
        _ = pace.set(bert, isTyping: true, now: at(0))
        pace.ended(bert)
        #expect(pace.endAll() == [off(anna)])
        #expect(pace.count == 0)
    }
}
