import Basics
import Messaging
import PeerProtocol
import Testing
import Vocabulary

@testable import Daemon
@testable import Store

/// Goal: whoever of the three has a wrong clock, a full disk, an old copy of the data or a sudden end, at any point, what was
/// written is there once in the end, and its author knows it.
@Suite("Parcels in trouble")
struct CourierTroubleTests {
    enum Who: CaseIterable { case anna, ben, carl }

    private let anna, ben, carl: CourierParty

    init() throws { (anna, ben, carl) = try courierTrio() }

    private func party(_ who: Who) -> CourierParty {
        switch who {
        case .anna: anna
        case .ben: ben
        case .carl: carl
        }
    }

    /// What happens from the writing to the author's knowledge, one step after the other. Each may be made again.
    private var steps: [() throws -> Void] {
        [
            { _ = try anna.give(for: ben, to: [carl]) },
            { _ = try anna.carry(to: carl) },
            { _ = try carl.carry(to: ben) },
            { _ = try carl.carry(to: anna) },
            { _ = try ben.give(for: anna, to: [carl], onlyAnswers: true) },
            { _ = try ben.carry(to: carl) },
            { _ = try carl.carry(to: anna) },
            { _ = try anna.carry(to: carl) },
            { _ = try carl.carry(to: ben) },
        ]
    }

    private func expectEnd(_ messages: [UUIDv7], _ texts: [String], _ comment: Comment) throws {
        #expect(try ben.texts(with: anna) == texts.sorted(), comment)
        for message in messages { #expect(try anna.state(of: message) == .delivered, comment) }
        #expect(try anna.waiting(for: ben) == [] && ben.waiting(for: anna) == [] && carl.kept() == [], comment)
    }

    @Test("Each is ended suddenly after each step", arguments: Who.allCases)
    func killed(_ who: Who) throws {
        for killedAfter in 0..<steps.count {
            let message = try anna.say("\(killedAfter)", to: ben)
            for (number, step) in steps.enumerated() {
                try step()
                if number == killedAfter {
                    party(who).database.stop()
                    try party(who).database.start()
                }
            }
            try expectEnd([message], (0...killedAfter).map(String.init), "\(who) after step \(killedAfter)")
        }
    }

    @Test("The disk of each is full at each step: it is made again, and nothing is half there", arguments: Who.allCases)
    func fullDisk(_ who: Who) throws {
        for fullAt in 0..<steps.count {
            let message = try anna.say("\(fullAt)", to: ben)
            for (number, step) in steps.enumerated() {
                if number == fullAt {
                    try party(who).database.setFull(true)
                    do { try step() } catch is StoreError {}
                    try party(who).database.setFull(false)
                }
                try step()
            }
            // What was left out while the disk was full comes in the next round.
            for step in steps { try step() }
            try expectEnd([message], (0...fullAt).map(String.init), "\(who) at step \(fullAt)")
        }
    }

    @Test("The clock of each is wrong by ten years, either way", arguments: Who.allCases, [-1, 1])
    func wrongClock(_ who: Who, _ direction: Int) throws {
        party(who).later(by: .seconds(direction * 10 * 365 * 86_400))
        for party in [anna, ben, carl] { try party.tidyUp() }
        let message = try anna.say("hello Ben", to: ben)
        for step in steps {
            try step()
            for party in [anna, ben, carl] { try party.tidyUp() }
        }
        try expectEnd([message], ["hello Ben"], "\(who)")
    }

    @Test("The clock of each jumps by ten years while the parcel is under way", arguments: Who.allCases, [-1, 1])
    func jumpingClock(_ who: Who, _ direction: Int) throws {
        let jump = Duration.seconds(direction * 10 * 365 * 86_400)
        for jumpAt in 0..<steps.count {
            let message = try anna.say("\(jumpAt)", to: ben)
            for (number, step) in steps.enumerated() {
                if number == jumpAt { party(who).later(by: jump) }
                try step()
                for party in [anna, ben, carl] { try party.tidyUp() }
            }
            party(who).later(by: .zero - jump)
            try expectEnd([message], (0...jumpAt).map(String.init), "\(who) at step \(jumpAt)")
        }
    }

    @Test("Carl's data are an old copy: he brings parcels again, and nothing comes twice", arguments: 0..<4)
    func oldCarl(copiedAfter: Int) throws {
        let message = try anna.say("hello Ben", to: ben)
        var copy: [UInt8] = []
        for (number, step) in steps.enumerated() {
            try step()
            if number == copiedAfter { copy = try carl.database.copy() }
        }
        try carl.database.start(from: copy)
        for _ in 0..<2 {
            for step in steps { try step() }
            try ben.carry(to: anna)
        }
        try expectEnd([message], ["hello Ben"], "\(copiedAfter)")
    }

    @Test(
        "Anna's data are an old copy: the same goes out in another parcel, is known, and she hears of it",
        arguments: 0..<4)
    func oldAnna(copiedAfter: Int) throws {
        let message = try anna.say("hello Ben", to: ben)
        var copy: [UInt8] = []
        for (number, step) in steps.enumerated() {
            try step()
            if number == copiedAfter { copy = try anna.database.copy() }
        }
        try anna.database.start(from: copy)
        #expect(try anna.state(of: message) != .delivered)
        // What couriers have lost meanwhile is sealed again.
        try anna.write { transaction in
            try transaction.connection.execute("UPDATE parcel_out SET stamp = stamp - 15 * 86400000")
        }
        try anna.tidyUp()
        for _ in 0..<2 { for step in steps { try step() } }
        try expectEnd([message], ["hello Ben"], "\(copiedAfter)")
    }

    @Test(
        "Ben's data are an old copy without his newest mail key: he refuses, Carl tells Anna, and she seals to the key that he says he has"
    )
    func oldBen() throws {
        let copy = try ben.database.copy()
        let before = ben.making
        try ben.name([carl])
        try ben.tell(anna)
        let message = try anna.say("hello Ben", to: ben)
        try anna.give(for: ben, to: [carl])
        try anna.carry(to: carl)
        try ben.database.start(from: copy)
        #expect(try carl.carry(to: ben).map(\.reason) == [.notFound])
        #expect(try carl.kept() == [])
        try carl.carry(to: anna)
        #expect(try anna.news == [.lost(ben.account)] && anna.holder(of: message) == nil)
        #expect(try anna.state(of: message) == .queued)
        // In his next session he says the older note, and it counts.
        ben.making = before
        try ben.tell(anna)
        for step in steps { try step() }
        try expectEnd([message], ["hello Ben"], "sealed to the key that is there")
    }
}
