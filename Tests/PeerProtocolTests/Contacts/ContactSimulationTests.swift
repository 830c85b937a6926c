import Basics
import PeerProtocol
import TestSupport
import Testing
import Vocabulary

/// Two to four people that ask, accept, decline, remove, block and unblock each other. The network loses, repeats and
/// delays frames, and daemons crash.
///
/// As with real daemons, each keeps its frames in an outbox until they are acknowledged. Frames of one connection come
/// in order, frames lost with a connection come again on the next one, and a frame that was taken once may come again
/// much later.
/// in their order; what was lost with a connection comes again on the next; and what was taken once may come again much later.
private final class ContactWorld {
    private struct Item {
        let id: UUIDv7
        let kind: FrameKind
        let body: [UInt8]
        /// The time until which it need not be tried, after a refusal that passes.
        var due: Int64 = 0
    }

    /// One person's relation to another, as on disk.
    private struct Side {
        var machine = ContactMachine()
        /// Whether there is a row at all.
        var isKnown = false
        var outbox: [Item] = []
        /// The last answer of the user, or of the policy in the user's name.
        var saidYes = false
        var everSaidYes = false
        var hasBlocked = false
    }

    private struct Late {
        let item: Item
        let due: Int64
    }

    let count: Int
    private var random: SeededGenerator
    private var sides: [[Side]]
    private var policies: [ContactPolicy]
    /// Old frames that are on their way once more, by receiver and sender.
    private var late: [[[Late]]]
    private var nextID: UInt64 = 0
    private var time: Int64 = someTime.milliseconds
    private(set) var problems: [String] = []
    private var isStormy = true

    init(seed: UInt64) {
        random = SeededGenerator(seed: seed)
        count = Int.random(in: 2...4, using: &random)
        sides = Array(repeating: Array(repeating: Side(), count: count), count: count)
        late = Array(repeating: Array(repeating: [], count: count), count: count)
        policies = []
        for _ in 0..<count {
            policies.append(chance(70) ? .ask : ContactPolicy.allCases.randomElement(using: &random) ?? .ask)
        }
    }

    private func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &random) < percent }
    private func pick(_ range: Range<Int>) -> Int { Int.random(in: range, using: &random) }
    private var now: WallTime { WallTime(milliseconds: time) }
    private func freshID() -> UUIDv7 {
        nextID += 1
        return id(nextID)
    }

    private func pair() -> (Int, Int) {
        let one = pick(0..<count)
        return (one, (one + pick(1..<count)) % count)
    }

    // MARK: People

    private func act() {
        let (one, other) = pair()
        let relation = sides[one][other].machine.relation
        let actions: [ContactAction] = [
            .ask(note: "\(pick(0..<3))"), .ask(note: ""), .ask(note: ""), .accept, .accept, .accept, .decline, .remove,
            chance(40) ? .block : .accept, chance(60) ? .unblock : .ask(note: ""),
        ]
        let action = relation == .blocked && chance(40) ? .unblock : actions[pick(0..<actions.count)]
        do {
            let effects = try sides[one][other].machine.act(action, now: now, id: freshID())
            sides[one][other].isKnown = true
            switch action {
            case .ask, .accept, .enrol: (sides[one][other].saidYes, sides[one][other].everSaidYes) = (true, true)
            case .decline, .remove, .unblock: sides[one][other].saidYes = false
            case .block: (sides[one][other].saidYes, sides[one][other].hasBlocked) = (false, true)
            }
            if action == .unblock { sides[one][other].hasBlocked = false }
            perform(effects, one, other)
        } catch {}
    }

    private func perform(_ effects: [ContactEffect], _ one: Int, _ other: Int) {
        for effect in effects {
            switch effect {
            case .end: sides[one][other].outbox = []
            case .send(let kind, let id, let body):
                sides[one][other].outbox = [Item(id: id, kind: kind, body: body)]
            }
        }
        check(one, other)
    }

    // MARK: The network

    /// One connection between two sides. Each sends what waits, in order, until the connection is cut.
    private func connect(_ one: Int, _ other: Int) {
        // A blocked account is turned away before anything is sent.
        guard sides[one][other].machine.relation != .blocked, sides[other][one].machine.relation != .blocked else {
            return
        }
        var turns = [(one, other), (other, one)]
        if chance(50) { turns.reverse() }
        for _ in 0..<3 {
            for (from, to) in turns { if !speak(from, to) { return } }
        }
    }

    /// - Returns: false if the connection is cut.
    private func speak(_ from: Int, _ to: Int) -> Bool {
        for item in sides[from][to].outbox where item.due <= time {
            if isStormy, chance(15) { return false }
            guard sides[to][from].machine.relation != .blocked else { return false }
            let outcome = deliver(item, from, to)
            // The other side may have stored it, but the answer may be lost with the connection or in a later crash.
            if isStormy, chance(15) { return false }
            switch outcome {
            case .stored:
                sides[from][to].outbox.removeAll { $0.id == item.id }
                if isStormy, chance(20) { late[to][from].append(Late(item: item, due: time + Int64(pick(0..<90_000)))) }
            case .refused(let refusal) where refusal.reason.isPassing:
                if let place = sides[from][to].outbox.firstIndex(where: { $0.id == item.id }) {
                    sides[from][to].outbox[place].due = time + 3_600_000
                }
            case .refused(let refusal):
                guard sides[from][to].outbox.contains(where: { $0.id == item.id }) else { break }
                sides[from][to].outbox.removeAll { $0.id == item.id }
                if item.kind == .contactRequest, sides[from][to].machine.refused(item.id, refusal) {
                    sides[from][to].saidYes = false
                }
            case .putOff: return false
            }
        }
        return true
    }

    private func deliver(_ item: Item, _ from: Int, _ to: Int) -> CommitOutcome {
        let side = sides[to][from]
        guard item.kind.gate.admits(side.machine.relation) else { return .refused(Refusal(.notFriends)) }
        let frame: ContactFrame
        do {
            frame =
                switch item.kind {
                case .contactRequest: .request(try ContactRequestBody(decoding: item.body))
                case .contactAnswer: .answer(try ContactAnswerBody(decoding: item.body))
                default: .removal(try ContactRemovalBody(decoding: item.body))
                }
        } catch {
            problems.append("a frame that can't be read: \(error)")
            return .stored
        }
        guard side.isKnown || item.kind == .contactRequest else { return .stored }
        // In a crash before the commit the frame has never arrived.
        if isStormy, chance(5) { return .putOff(Refusal(.busy)) }
        var machine = side.machine
        let rules = ContactRules(policy: policies[to])
        let (outcome, effects) = machine.hear(frame, id: item.id, rules: rules, now: now, fresh: freshID())
        if case .stored = outcome, machine != side.machine {
            if machine.relation == .friend, side.machine.relation == .none || side.machine.relation == .incoming,
                policies[to] == .everyone
            {
                (sides[to][from].saidYes, sides[to][from].everSaidYes) = (true, true)
            }
            sides[to][from].machine = machine
            sides[to][from].isKnown = true
            perform(effects, to, from)
        }
        return outcome
    }

    /// Repeats frames that were taken once.
    private func repeatLate() {
        for to in 0..<count {
            for from in 0..<count where !late[to][from].isEmpty {
                let due = late[to][from].filter { $0.due <= time || !isStormy }
                late[to][from].removeAll { $0.due <= time || !isStormy }
                for old in due where sides[to][from].machine.relation != .blocked {
                    let (before, outbox) = (sides[to][from].machine, sides[to][from].outbox.map(\.id))
                    _ = deliver(old.item, from, to)
                    if sides[to][from].machine != before || sides[to][from].outbox.map(\.id) != outbox {
                        problems.append("a repeated \(old.item.kind) changed \(before.relation) of \(to) to \(from)")
                    }
                }
            }
        }
    }

    // MARK: What must hold

    private func check(_ one: Int, _ other: Int) {
        let side = sides[one][other]
        if side.machine.relation == .friend, !side.saidYes { problems.append("\(one) never said yes to \(other)") }
        if side.machine.relation == .friend, !sides[other][one].everSaidYes {
            problems.append("\(one) is friends with \(other), who never said yes")
        }
        if side.hasBlocked != (side.machine.relation == .blocked) { problems.append("\(one) blocked \(other), or not") }
    }

    func run() -> [String] {
        for _ in 0..<pick(20..<160) {
            time += Int64(pick(0..<5_000))
            if chance(2) { time += 90_000_000 }
            if chance(3) { policies[pick(0..<count)] = ContactPolicy.allCases.randomElement(using: &random) ?? .ask }
            if chance(45) {
                act()
            } else {
                let (one, other) = pair()
                connect(one, other)
            }
            repeatLate()
        }
        isStormy = false
        if chance(60) {
            // In half of the worlds all unblock.
            for one in 0..<count {
                for other in 0..<count where sides[one][other].machine.relation == .blocked {
                    guard let effects = try? sides[one][other].machine.act(.unblock, now: now, id: freshID()) else {
                        continue
                    }
                    (sides[one][other].saidYes, sides[one][other].hasBlocked) = (false, false)
                    perform(effects, one, other)
                }
            }
        }
        repeatLate()
        for _ in 0..<12 {
            // What was put off is tried again on another day.
            time += 25 * 3_600_000
            for one in 0..<count { for other in 0..<one { connect(one, other) } }
        }
        repeatLate()
        for one in 0..<count { for other in 0..<count where one != other { rest(one, other) } }
        return problems
    }

    /// At rest both sides agree, unless one has turned the other away.
    private func rest(_ one: Int, _ other: Int) {
        check(one, other)
        let (mine, theirs) = (sides[one][other].machine.relation, sides[other][one].machine.relation)
        guard mine != .blocked, theirs != .blocked else { return }
        if !sides[one][other].outbox.isEmpty { problems.append("\(one) still has something for \(other)") }
        let fits =
            switch (mine, theirs) {
            case (.friend, .friend), (.none, .none), (.incoming, .requested), (.requested, .incoming): true
            // The request was declined without an answer.
            case (.requested, .none), (.none, .requested): true
            default: false
            }
        if !fits { problems.append("\(one) says \(mine), \(other) says \(theirs)") }
    }
}

@Suite("Contacts: simulation")
struct ContactSimulationTests {
    @Test("At rest both sides agree, and neither a side that didn't say yes nor a blocked one is a friend")
    func many() {
        for seed in 0..<(Thorough.isWanted ? 20_000 : 6_000) as Range<UInt64> {
            let problems = ContactWorld(seed: seed).run()
            #expect(problems.isEmpty, "seed \(seed): \(problems.prefix(3).joined(separator: "; "))")
            if !problems.isEmpty { return }
        }
    }
}
