import Basics
import PeerProtocol
import Testing
import Vocabulary

/// Goal: the user's actions and the other side's frames lead to the relation that both expect, step by step.
@Suite("Contacts: the machine")
struct ContactMachineTests {
    private typealias Side = ContactSide
    private typealias Sent = ContactSide.Sent
    private static let now = someTime

    private static func friends() throws -> (Side, Side) {
        let (anna, ben) = (Side(1), Side(2))
        try anna.act(.ask(note: "hello"))
        try ben.hear(try anna.speak())
        try ben.act(.accept)
        try anna.hear(try ben.speak())
        #expect(anna.machine.relation == .friend && ben.machine.relation == .friend)
        return (anna, ben)
    }

    @Test("A request, its note, a yes; each frame once more changes nothing")
    func request() throws {
        let (anna, ben) = (Side(1), Side(2))
        try anna.act(.ask(note: "Anna from the workshop"))
        #expect(anna.machine.relation == .requested)
        let request = try anna.speak()
        #expect(try ben.hear(request) == .stored)
        #expect(ben.machine.relation == .incoming && ben.machine.note == "Anna from the workshop")
        #expect(ben.sent.isEmpty, "no answer is sent before the user has decided")
        try ben.act(.accept)
        let answer = try ben.speak()
        #expect(try ContactAnswerBody(decoding: answer.body).request == request.id)
        try anna.hear(answer)
        let (before, other) = (anna.machine, ben.machine)
        for _ in 0..<3 {
            try ben.hear(request)
            try anna.hear(answer)
        }
        #expect(anna.machine == before && ben.machine == other && anna.sent.isEmpty && ben.sent.isEmpty)
    }

    @Test("A declined request comes back only if it is made anew, not by being repeated")
    func declined() throws {
        let (anna, ben) = (Side(1), Side(2))
        try anna.act(.ask(note: "one"))
        let first = try anna.speak()
        try ben.hear(first)
        try ben.act(.decline)
        #expect(ben.machine.relation == .none && ben.sent.isEmpty, "the other side is not told")
        #expect(try ben.hear(first) == .stored)
        #expect(ben.machine.relation == .none)
        try anna.act(.ask(note: "two"))
        try ben.hear(try anna.speak())
        #expect(ben.machine.relation == .incoming && ben.machine.note == "two")
        try ben.hear(first)
        #expect(ben.machine.note == "two", "the older request doesn't count")
    }

    @Test(
        "Who takes us for a friend of before is shown once, and is one again with a yes; who is declined stays declined"
    )
    func friendship() throws {
        func hear(_ side: Side, _ rules: ContactRules = ContactRules()) -> CommitOutcome {
            side.machine.hear(.friendship, id: id(90), rules: rules, now: Self.now, fresh: id(91)).0
        }
        let (anna, ben) = try Self.friends()
        // Anna's disk is lost.
        anna.machine = ContactMachine()
        #expect(hear(anna) == .stored)
        #expect(
            anna.machine.relation == .incoming && anna.machine.history.theirRequest == nil
                && anna.machine.history.asks == 1)
        let shown = anna.machine
        #expect(hear(anna) == .stored)
        #expect(anna.machine == shown, "once")
        try anna.act(.accept)
        try ben.hear(try anna.speak())
        #expect(anna.machine.relation == .friend && ben.machine.relation == .friend && ben.sent.isEmpty)

        anna.machine = shown
        try anna.act(.decline)
        #expect(hear(anna) == .stored)
        #expect(anna.machine.relation == .none)

        // Who is no friend gets the answer, and says so.
        let carl = Side(3)
        anna.machine = shown
        try anna.act(.accept)
        try carl.hear(try anna.speak())
        try anna.hear(try carl.speak())
        #expect(anna.machine.relation == .none && carl.machine.relation == .none)

        // The rules for requests hold.
        let other = Side(4)
        for rules in [ContactRules(policy: .nobody), ContactRules(isFull: true)] {
            #expect(hear(other, rules) != .stored)
            #expect(other.machine == ContactMachine())
        }
        #expect(hear(other, ContactRules(policy: .everyone)) == .stored)
        #expect(other.machine.relation == .friend)
        let blocked = Side(5)
        try blocked.act(.block)
        #expect(hear(blocked) == .stored)
        #expect(blocked.machine.relation == .blocked)
    }

    @Test("Frames without a time, from older programs, are recognised by their id")
    func withoutTime() throws {
        let ben = Side(2)
        let request = Sent(kind: .contactRequest, id: id(1), body: try ContactRequestBody(note: "x").encoded())
        try ben.hear(request)
        try ben.act(.decline)
        try ben.hear(request)
        #expect(ben.machine.relation == .none)
        let content = ContactFrame.request(try ContactRequestBody(decoding: request.body))
        #expect(!ben.machine.isNews(content, id: id(1)) && ben.machine.isNews(content, id: id(2)))
        try ben.hear(Sent(kind: .contactRequest, id: id(2), body: request.body))
        #expect(ben.machine.relation == .incoming)
        try ben.act(.ask(note: ""))
        let anna = Side(1)
        try anna.act(.ask(note: ""))
        let answer = Sent(kind: .contactAnswer, id: id(3), body: try ContactAnswerBody(accepted: true).encoded())
        try anna.hear(answer)
        #expect(anna.machine.relation == .friend)
    }

    @Test("Repeated requests of one account are shown a few times a day, and then put off")
    func pestering() throws {
        let (anna, ben) = (Side(1), Side(2))
        for number in 1...PeerLimits.requestsInWindow {
            try anna.act(.ask(note: "\(number)"))
            #expect(try ben.hear(try anna.speak()) == .stored)
            try ben.act(.decline)
        }
        try anna.act(.ask(note: "please"))
        let last = try anna.speak()
        guard case .refused(let refusal) = try ben.hear(last) else { throw Unexpected() }
        #expect(refusal.reason == .busy && refusal.reason.isPassing, "the request waits at its sender")
        #expect(ben.machine.relation == .none)
        // A new note of a waiting request is news too, the same note is not.
        let tomorrow = Self.now + PeerLimits.requestWindow
        #expect(try ben.hear(last, at: tomorrow) == .stored)
        for number in 2...PeerLimits.requestsInWindow {
            try anna.act(.ask(note: "n\(number)"))
            #expect(try ben.hear(try anna.speak(), at: tomorrow) == .stored)
        }
        try anna.act(.ask(note: ben.machine.note))
        #expect(try ben.hear(try anna.speak(), at: tomorrow) == .stored)
        try anna.act(.ask(note: "another one"))
        #expect(try ben.hear(try anna.speak(), at: tomorrow) != .stored)
        #expect(ben.machine.relation == .incoming)
    }

    struct Unexpected: Error {}

    @Test("If both ask at once both are friends, whichever request comes first")
    func crossing() throws {
        for annaFirst in [true, false] {
            let (anna, ben) = (Side(1), Side(2))
            try anna.act(.ask(note: "a"))
            try ben.act(.ask(note: "b"))
            let (fromAnna, fromBen) = (try anna.speak(), try ben.speak())
            if annaFirst {
                try ben.hear(fromAnna)
                try anna.hear(fromBen)
            } else {
                try anna.hear(fromBen)
                try ben.hear(fromAnna)
            }
            #expect(anna.machine.relation == .friend && ben.machine.relation == .friend)
            #expect(anna.machine.note == "b" && ben.machine.note == "a")
            try anna.hear(try ben.speak())
            try ben.hear(try anna.speak())
            #expect(anna.machine.relation == .friend && ben.machine.relation == .friend)
        }
    }

    @Test("An account that declined and then asks is a friend at once, since the other side still wants it")
    func declinedThenAsked() throws {
        let (anna, ben) = (Side(1), Side(2))
        try anna.act(.ask(note: ""))
        try ben.hear(try anna.speak())
        try ben.act(.decline)
        try ben.act(.ask(note: ""))
        try anna.hear(try ben.speak())
        #expect(anna.machine.relation == .friend)
        try ben.hear(try anna.speak())
        #expect(ben.machine.relation == .friend)
    }

    @Test("The policies decide which requests are asked about, accepted at once, or refused with an answer")
    func policies() throws {
        for policy in ContactPolicy.allCases {
            for needsPerson in [false, true] {
                let (anna, ben) = (Side(1), Side(2))
                try anna.act(.ask(note: ""))
                let rules = ContactRules(policy: policy, needsPerson: needsPerson)
                let outcome = try ben.hear(try anna.speak(), rules: rules)
                switch policy {
                case .ask: #expect(outcome == .stored && ben.machine.relation == .incoming)
                case .everyone:
                    #expect(outcome == .stored && ben.machine.relation == (needsPerson ? .incoming : .friend))
                    if !needsPerson {
                        try anna.hear(try ben.speak())
                        #expect(anna.machine.relation == .friend)
                    }
                case .nobody:
                    guard case .refused(let refusal) = outcome else { throw Unexpected() }
                    #expect(refusal.reason == .notAllowed && ben.machine == ContactMachine())
                    let request = try #require(anna.machine.history.request)
                    #expect(anna.refused(request, refusal))
                    #expect(anna.machine.relation == .none && anna.machine.refusal == refusal)
                }
            }
        }
        // An account that we have asked ourselves is accepted under any policy.
        let (anna, ben) = (Side(1), Side(2))
        try ben.act(.ask(note: ""))
        try anna.act(.ask(note: ""))
        #expect(try ben.hear(try anna.speak(), rules: ContactRules(policy: .nobody)) == .stored)
        #expect(ben.machine.relation == .friend)
        let full = Side(3)
        try anna.act(.ask(note: ""))
        let request = Sent(kind: .contactRequest, id: id(1), body: try ContactRequestBody().encoded())
        #expect(try full.hear(request, rules: ContactRules(isFull: true)) != .stored)
    }

    @Test(
        "A refused request keeps its reason until it is repeated or dropped; an old request's refusal has no effect")
    func refused() throws {
        let anna = Side(1)
        try anna.act(.ask(note: "hi"))
        let old = try anna.speak().id
        try anna.act(.ask(note: "hi again"))
        let new = try anna.speak().id
        let refusal = Refusal(.notAllowed, detail: "no requests are taken here")
        #expect(!anna.refused(old, refusal))
        #expect(anna.machine.relation == .requested)
        #expect(anna.refused(new, refusal))
        #expect(anna.machine.relation == .none && anna.machine.note == "hi again")
        #expect(!anna.refused(new, refusal))
        let again = anna.copy()
        try again.act(.ask(note: ""))
        #expect(again.machine.refusal == nil && again.machine.relation == .requested)
        try anna.act(.decline)
        #expect(anna.machine.refusal == nil && anna.sent.isEmpty)
        #expect(throws: ContactProblem.noRequest) { try anna.act(.decline) }
        // Carl sends a refusal as a frame.
        let carl = Side(3)
        try carl.act(.ask(note: ""))
        let no = ContactAnswerBody(accepted: false, request: try carl.speak().id)
        try carl.hear(Sent(kind: .contactAnswer, id: id(9), body: try no.encoded()))
        #expect(carl.machine.relation == .none && carl.machine.refusal?.reason == .notAllowed)
    }

    @Test("After a removal neither side has a relation, waiting frames go, and an old removal ends no new friendship")
    func removal() throws {
        let (anna, ben) = try Self.friends()
        try anna.act(.remove)
        #expect(anna.machine.relation == .none && anna.ends == 1)
        let removal = try anna.speak()
        #expect(removal.kind == .contactRemoval)
        try ben.hear(removal)
        #expect(ben.machine.relation == .none && ben.ends == 1 && ben.sent.isEmpty)
        try ben.act(.ask(note: ""))
        try anna.hear(try ben.speak())
        try anna.act(.accept)
        try ben.hear(try anna.speak())
        try ben.hear(removal)
        #expect(ben.machine.relation == .friend)
        #expect(throws: ContactProblem.notFriend) {
            let stranger = Side(3)
            try stranger.act(.remove)
        }
    }

    @Test("A withdrawn request makes no friends on either side, even while the yes to it is on its way")
    func withdrawal() throws {
        for isAnswered in [false, true] {
            let (anna, ben) = (Side(1), Side(2))
            try anna.act(.ask(note: ""))
            try ben.hear(try anna.speak())
            if isAnswered { try ben.act(.accept) }
            try anna.act(.decline)
            let removal = try anna.speak()
            if isAnswered {
                try anna.hear(try ben.speak())
                #expect(anna.machine.relation == .none, "a withdrawn request makes no friend")
                let second = try anna.speak()
                try ben.hear(removal)
                #expect(ben.machine.relation == .none)
                try ben.hear(second)
            } else {
                try ben.hear(removal)
            }
            #expect(ben.machine.relation == .none && anna.machine.relation == .none)
        }
    }

    @Test("A yes to a withdrawn request doesn't answer a new one")
    func oldAnswer() throws {
        let (anna, ben) = (Side(1), Side(2))
        try anna.act(.ask(note: ""))
        try ben.hear(try anna.speak())
        try ben.act(.accept)
        let yes = try ben.speak()
        try anna.act(.decline)
        let removal = try anna.speak()
        try anna.act(.ask(note: "really"))
        let second = try anna.speak()
        try anna.hear(yes)
        #expect(anna.machine.relation == .requested)
        try ben.hear(removal)
        try ben.hear(second)
        #expect(ben.machine.relation == .incoming)
        try ben.act(.accept)
        try anna.hear(try ben.speak())
        #expect(anna.machine.relation == .friend && ben.machine.relation == .friend)
    }

    @Test("A side that lost the answer, or the memory of the friendship, asks and is told again")
    func lostMemory() throws {
        let (anna, ben) = try Self.friends()
        anna.machine = ContactMachine()
        try anna.act(.ask(note: ""), at: Self.now + .seconds(60))
        try ben.hear(try anna.speak())
        #expect(ben.machine.relation == .friend)
        try anna.hear(try ben.speak())
        #expect(anna.machine.relation == .friend)
    }

    @Test("While blocked nothing goes out or comes in, and afterwards neither side has a relation")
    func blocked() throws {
        let (anna, ben) = try Self.friends()
        try anna.act(.block)
        #expect(anna.machine.relation == .blocked && anna.ends == 1 && anna.sent.isEmpty)
        let before = anna.machine
        try ben.act(.remove)
        let removal = try ben.speak()
        try ben.act(.ask(note: "why?"))
        for frame in [removal, try ben.speak()] { #expect(try anna.hear(frame) == .stored) }
        #expect(anna.machine == before && anna.sent.isEmpty)
        for action in [ContactAction.ask(note: ""), .accept, .decline, .remove] {
            #expect(throws: ContactProblem.blocked) { try anna.act(action) }
        }
        try anna.act(.block)
        try anna.act(.unblock)
        #expect(anna.machine.relation == .none)
        try ben.hear(try anna.speak())
        #expect(ben.machine.relation == .requested, "a request made meanwhile is still valid, and arrives now")
        #expect(throws: ContactProblem.notBlocked) { try anna.act(.unblock) }
        // An account that never had contact with us needs no removal.
        let carl = Side(3)
        try carl.act(.block)
        try carl.act(.unblock)
        #expect(carl.sent.isEmpty && carl.machine.relation == .none)
    }

    @Test("A friend that was blocked and unblocked learns that the friendship is over")
    func unblocked() throws {
        let (anna, ben) = try Self.friends()
        try anna.act(.block)
        try anna.act(.unblock)
        try ben.hear(try anna.speak())
        #expect(ben.machine.relation == .none && ben.ends == 1)
    }

    @Test("Every time is greater than the one before, even if the clock goes back, and at the end of time")
    func times() throws {
        let anna = Side(1)
        var last = HybridTime(rawValue: 0)
        for hours in [0, 5, -3, -100, 7] {
            try anna.act(.ask(note: ""), at: Self.now + .seconds(hours * 3600))
            let time = try #require(try ContactRequestBody(decoding: anna.speak().body).time)
            #expect(time > last)
            last = time
        }
        anna.machine.history.saidAt = HybridTime(rawValue: .max)
        try anna.act(.ask(note: ""))
        #expect(anna.machine.history.saidAt.rawValue == .max)
    }

    @Test("Unexpected answers and removals make no friend, and correct a side that believes in a friendship")
    func outOfTheBlue() throws {
        let anna = Side(1)
        try anna.hear(Sent(kind: .contactRemoval, id: id(1), body: ContactRemovalBody().encoded()))
        #expect(anna.machine.relation == .none)
        let yes = Sent(kind: .contactAnswer, id: id(2), body: try ContactAnswerBody(accepted: true).encoded())
        try anna.hear(yes)
        #expect(anna.machine.relation == .none)
        #expect(try anna.speak().kind == .contactRemoval)
        let no = Sent(kind: .contactAnswer, id: id(3), body: try ContactAnswerBody(accepted: false).encoded())
        try anna.hear(no)
        #expect(anna.machine.relation == .none && anna.sent.isEmpty)
        #expect(throws: ContactProblem.noRequest) { try anna.act(.accept) }
    }

    @Test("A roster makes friends at once, on both sides, in whatever order they get it", arguments: [0, 1, 2, 3])
    func enrolment(_ order: Int) throws {
        let (anna, ben) = (Side(1), Side(2))
        try anna.act(.enrol)
        #expect(anna.machine.relation == .friend, "no answer is waited for")
        // The other side gets the roster before the request, after it, at the same time, or not at all.
        if order == 0 { try ben.act(.enrol) }
        let request = try anna.speak()
        if order == 1 { try ben.act(.enrol) }
        let crossing = ben.sent
        try ben.hear(request)
        if order == 2 {
            #expect(ben.machine.relation == .incoming, "without the roster it is a request like any other")
            try ben.act(.enrol)
        }
        if order == 3 { try ben.act(.accept) }
        for frame in crossing + ben.sent { try anna.hear(frame) }
        for frame in anna.sent { try ben.hear(frame) }
        #expect(anna.machine.relation == .friend && ben.machine.relation == .friend)
        let (before, other) = (anna.machine, ben.machine)
        try anna.act(.enrol)
        try ben.act(.enrol)
        #expect(anna.machine == before && ben.machine == other, "the next start changes nothing")
    }

    @Test("What the user has ended, declined or blocked is not brought back by the roster")
    func enrolmentAfterwards() throws {
        let (anna, ben) = try Self.friends()
        try anna.act(.remove)
        try ben.hear(try anna.speak())
        for side in [anna, ben] {
            try side.act(.enrol)
            #expect(side.machine.relation == .none && side.sent.isEmpty && !side.machine.takesEnrolment)
        }
        let carl = Side(3)
        try carl.hear(
            try {
                try ben.act(.ask(note: "")); return try ben.speak()
            }())
        try carl.act(.decline)
        try carl.act(.enrol)
        #expect(carl.machine.relation == .none)
        let dora = Side(4)
        try dora.act(.block)
        #expect(throws: ContactProblem.blocked) { try dora.act(.enrol) }
    }
}
