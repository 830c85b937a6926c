import Basics
import PeerProtocol
import Testing
import Vocabulary

@Suite("Session: what comes in")
struct SessionInboxTests {
    @Test("Receipts follow the commit, in one frame for one commit")
    func receipts() throws {
        let side = try SessionSide(.friend)
        try side.open()
        try side.hear(message(1), message(2), message(3))
        #expect(side.commits.map(\.id) == [id(1), id(2), id(3)])
        #expect(side.effects.count == 1, "one batch")
        #expect(side.sent.isEmpty, "nothing is sent before the commit")
        try side.give(.committed([id(1), id(2)], .stored))
        try side.give(.committed([id(3)], .refused(Refusal(.alreadyExists))))
        #expect(
            try side.receipts() == [
                ReceiptBody(status: .stored, ids: [id(1), id(2)]),
                ReceiptBody(status: .refused(Refusal(.alreadyExists)), ids: [id(3)]),
            ])
    }

    @Test("More commits than a receipt holds take several receipts")
    func manyReceipts() throws {
        let side = try SessionSide(.friend)
        try side.open()
        let ids = (1...UInt64(1025)).map { id($0) }
        try side.give(.committed(ids, .stored))
        #expect(try side.receipts().map(\.ids.count) == [512, 512, 1])
        #expect(try side.receipts().flatMap(\.ids) == ids)
    }

    @Test("What a friend of before sends waits on their side until they are a friend again, or are declined")
    func friendOfBefore() throws {
        func reason(_ side: SessionSide) throws -> Reason? {
            guard case .refused(let refusal) = try side.receipts().last?.status else { return nil }
            return refusal.reason
        }
        let side = try SessionSide(.none)
        try side.open()
        try side.give(.mayBeFriend(true))
        try side.hear(message(1))
        #expect(try reason(side) == .busy && side.commits.isEmpty)
        // A removal isn't a friend's alone, and there is nothing to remove.
        try side.hear(Frame(kind: .contactRemoval, id: id(7), body: ContactRemovalBody(time: nil).encoded()))
        #expect(try reason(side) == .notFriends)
        try side.give(.relationChanged(.incoming))
        try side.hear(message(2))
        #expect(try reason(side) == .busy)
        try side.give(.relationChanged(.friend))
        try side.hear(message(1))
        #expect(side.commits.map(\.id) == [id(1)])

        let other = try SessionSide(.none)
        try other.open()
        try other.give(.mayBeFriend(true))
        try other.give(.mayBeFriend(false))
        try other.hear(message(1))
        #expect(try reason(other) == .notFriends)
    }

    private let full = Refusal(.noSpace)

    @Test("A frame that could not be stored is answered at once, and the frames after it are taken")
    func failedCommit() throws {
        let side = try SessionSide(.friend)
        try side.open()
        try side.hear(message(1), message(2))
        _ = side.take()
        try side.give(.committed([id(1)], .putOff(full)))
        #expect(try side.receipts() == [receiptBody(.refused(full), 1)])
        _ = side.take()
        try side.hear(message(3), Frame(kind: .ping))
        #expect(side.sent == [Frame(kind: .pong)] && side.commits.map(\.id) == [id(3)])
        try side.give(.committed([id(2), id(3)], .stored))
        try side.hear(message(1))
        #expect(side.commits.map(\.id) == [id(3), id(1)])
    }

    @Test("Whoever was told that they are a friend may write, before the session hears of it; a refusal opens nothing")
    func firstMessage() throws {
        for accepted in [true, false] {
            let side = try SessionSide(.incoming)
            try side.open()
            let body = try ContactAnswerBody(accepted: accepted).encoded()
            let answer = OutboxItem(sequence: 1, id: id(1), kind: .contactAnswer, body: body)
            try side.give(.outbox([], hasMore: false))
            try side.give(.outboxAppended([answer]))
            _ = side.take()
            try side.hear(message(2))
            #expect(side.commits.map(\.id) == (accepted ? [id(2)] : []))
            guard accepted else {
                #expect(try side.receipts() == [ReceiptBody(status: .refused(Refusal(.notFriends)), ids: [id(2)])])
                continue
            }
            // They may have been removed again before the session heard of anything.
            try side.give(.relationChanged(.none))
            _ = side.take()
            try side.hear(message(3))
            #expect(side.commits.isEmpty)
        }
    }

    @Test(
        "If the answer that makes a friend can't be stored, what waits for it is put off too, not finally refused"
    )
    func failedBarrier() throws {
        let side = try SessionSide(.requested)
        try side.open()
        let answer = Frame(kind: .contactAnswer, id: id(1), body: try ContactAnswerBody(accepted: true).encoded())
        try side.hear(answer, message(2))
        _ = side.take()
        try side.give(.committed([id(1)], .putOff(full)))
        #expect(
            try side.receipts() == [receiptBody(.refused(full), 1, 2)], "together, so that they come again together")
        #expect(side.effects.isEmpty && !side.machine.isClosed)
        _ = side.take()
        // A message that comes again before the answer does is put off once more.
        try side.hear(message(2), message(3))
        #expect(
            try side.receipts().allSatisfy {
                if case .refused(let why) = $0.status { why.reason.isPassing } else { false }
            })
        _ = side.take()
        try side.hear(answer, message(2))
        #expect(side.commits.map(\.id) == [id(1)])
        try side.give(.relationChanged(.friend))
        try side.give(.committed([id(1)], .stored))
        #expect(side.commits.map(\.id) == [id(1), id(2)])
    }

    @Test("Once the contact frame is stored, a peer that is no friend is refused again")
    func settledBarrier() throws {
        let side = try SessionSide(.none)
        try side.open()
        let request = Frame(kind: .contactRequest, id: id(1), body: try ContactRequestBody().encoded())
        try side.hear(request)
        try side.give(.committed([id(1)], .putOff(full)))
        try side.hear(request)
        try side.give(.committed([id(1)], .stored))
        _ = side.take()
        try side.hear(message(2))
        #expect(try side.receipts() == [receiptBody(.refused(Refusal(.notFriends)), 2)])
    }

    @Test("No status of a transfer overtakes one that could not be stored")
    func lateStatus() throws {
        let side = try SessionSide(.friend)
        try side.open()
        func status(_ number: UInt64, _ status: FileStatusBody.Status, of transfer: UInt64 = 50) throws -> Frame {
            Frame(
                kind: .fileStatus, id: id(number),
                body: try FileStatusBody(transfer: id(transfer), status: status).encoded())
        }
        let (paused, resumed, done) = (try status(1, .paused), try status(2, .resumed), try status(3, .done))
        try side.hear(paused)
        try side.give(.committed([id(1)], .putOff(full)))
        _ = side.take()
        try side.hear(resumed, status(4, .paused, of: 51))
        #expect(side.commits.map(\.id) == [id(4)], "another transfer's status is taken")
        #expect(try side.receipts().flatMap(\.ids) == [id(2)])
        _ = side.take()
        try side.hear(paused, resumed, done)
        #expect(side.commits.map(\.id) == [id(1), id(2)], "the repeated ones come in their order")
        #expect(try side.receipts().flatMap(\.ids) == [id(3)])
        _ = side.take()
        try side.give(.committed([id(1), id(2)], .stored))
        try side.hear(done)
        try side.give(.committed([id(3)], .stored))
        _ = side.take()
        try side.hear(status(5, .resumed))
        #expect(side.commits.map(\.id) == [id(5)], "nothing waits any more")
    }

    private func receiptBody(_ status: ReceiptBody.Status, _ numbers: UInt64...) -> ReceiptBody {
        ReceiptBody(status: status, ids: numbers.map { id($0) })
    }

    @Test("Cards cost signature checks: ten at once pass, then reading pauses, then the session ends")
    func cardBudget() throws {
        let side = try SessionSide(.friend)
        try side.open()
        let card = Frame(kind: .card, body: side.other.card.encoded)
        for _ in 2...10 { try side.hear(card) }
        #expect(!side.effects.contains(.pauseReading))
        try side.hear(card)
        #expect(side.effects.last == .pauseReading)
        for _ in 0..<4 { try side.hear(card) }
        #expect(side.ends == [.closedHere(.busy, detail: nil)])
    }

    @Test("A stranger's requests cost a look at all friends: ten at once, then reading pauses, then the session ends")
    func requestBudget() throws {
        let side = try SessionSide(.none)
        try side.open()
        let body = try ContactRequestBody().encoded()
        let requests = (1...15 as ClosedRange<UInt64>).map { Frame(kind: .contactRequest, id: id($0), body: body) }
        for request in requests.prefix(10) { try side.hear(request) }
        #expect(!side.effects.contains(.pauseReading))
        try side.hear(requests[10])
        #expect(side.effects.last == .pauseReading)
        for request in requests.suffix(4) { try side.hear(request) }
        #expect(side.ends == [.closedHere(.busy, detail: nil)])
    }

    @Test("A repeated frame is committed and answered again")
    func repeated() throws {
        let side = try SessionSide(.friend)
        try side.open()
        try side.hear(message(1), message(1))
        try side.give(.committed([id(1), id(1)], .stored))
        #expect(side.commits.count == 2)
        #expect(try side.receipts().flatMap(\.ids) == [id(1), id(1)])
    }

    @Test("A message right after the answer that makes a friend waits for the answer's commit")
    func barrier() throws {
        let side = try SessionSide(.requested)
        try side.open()
        let answer = Frame(kind: .contactAnswer, id: id(1), body: try ContactAnswerBody(accepted: true).encoded())
        try side.hear(answer, message(2), message(3), Frame(kind: .ping))
        #expect(side.commits.map(\.id) == [id(1)])
        #expect(side.sent == [Frame(kind: .pong)], "keep-alive doesn't wait")
        _ = side.take()
        try side.give(.relationChanged(.friend))
        #expect(side.commits.isEmpty)
        try side.give(.committed([id(1)], .stored))
        #expect(side.commits.map(\.id) == [id(2), id(3)])
        #expect(try side.receipts() == [ReceiptBody(status: .stored, ids: [id(1)])])
    }

    @Test("If the answer made no friend, the waiting frames are refused")
    func barrierRefused() throws {
        let side = try SessionSide(.none)
        try side.open()
        let answer = Frame(kind: .contactAnswer, id: id(1), body: try ContactAnswerBody(accepted: true).encoded())
        try side.hear(answer, message(2), message(3))
        try side.give(.committed([id(1)], .refused(Refusal(.notFound))))
        #expect(side.commits.map(\.id) == [id(1)])
        #expect(
            try side.receipts() == [
                ReceiptBody(status: .refused(Refusal(.notFound)), ids: [id(1)]),
                ReceiptBody(status: .refused(Refusal(.notFriends)), ids: [id(2), id(3)]),
            ])
    }

    @Test("Several such frames in a row are taken one after the other")
    func chainedBarriers() throws {
        let side = try SessionSide(.friend)
        try side.open()
        let removal = Frame(kind: .contactRemoval, id: id(1), body: ContactRemovalBody().encoded())
        let request = Frame(kind: .contactRequest, id: id(2), body: try ContactRequestBody().encoded())
        try side.hear(removal, request, message(3))
        #expect(side.commits.map(\.id) == [id(1)])
        try side.give(.relationChanged(.none))
        try side.give(.committed([id(1)], .stored))
        #expect(side.commits.map(\.id) == [id(1), id(2)])
        try side.give(.relationChanged(.friend))
        try side.give(.committed([id(2)], .stored))
        #expect(side.commits.map(\.id) == [id(1), id(2), id(3)])
    }

    @Test("A store that falls behind stops the reading, and later resumes it")
    func backpressure() throws {
        let side = try SessionSide(.friend)
        try side.open()
        for number in 1...UInt64(PeerLimits.backlogFrames) { try side.hear(message(number)) }
        #expect(!side.effects.contains(.pauseReading))
        try side.hear(message(2000))
        #expect(side.effects.last == .pauseReading)
        _ = side.take()
        // We don't read by our own choice, so the peer's silence doesn't count, and no tick repeats in a hurry.
        try side.run(from: 0, to: 60)
        #expect(!side.machine.isClosed && !side.effects.contains(.resumeReading))
        try side.give(.committed((1...500).map { id($0) }, .stored), at: 61)
        #expect(!side.effects.contains(.resumeReading))
        try side.give(.committed((501...600).map { id($0) }, .stored), at: 61)
        #expect(side.effects == [.resumeReading])
        try side.give(.tick, at: 62)
        #expect(!side.machine.isClosed)
    }

    @Test("Large bodies count by their bytes")
    func backpressureBytes() throws {
        let side = try SessionSide(.friend)
        try side.open()
        let text = String(repeating: "x", count: SharedLimits.textBytes)
        for number in 1...UInt64(64) { try side.hear(message(number, text: text)) }
        #expect(side.effects.contains(.pauseReading))
    }

    @Test("A frame repeated under one id counts each time, by its own bytes, until it is answered")
    func backpressureOfRepeats() throws {
        let side = try SessionSide(.friend)
        try side.open()
        func reading() -> [SessionEffect] {
            side.take().effects.filter { $0 == .pauseReading || $0 == .resumeReading }
        }
        for _ in 0...PeerLimits.backlogFrames { try side.hear(message(1)) }
        #expect(reading() == [.pauseReading], "by their number")
        try side.give(.committed([UUIDv7](repeating: id(1), count: PeerLimits.backlogFrames + 1), .stored))
        #expect(reading() == [.resumeReading], "answered frames don't count any more")
        let text = String(repeating: "x", count: SharedLimits.textBytes)
        for _ in 1...64 { try side.hear(message(1, text: text)) }
        #expect(reading() == [.pauseReading], "by their bytes")
        // Short frames after it under the same id don't make the long ones count less.
        for _ in 1...100 { try side.hear(message(1)) }
        try side.give(.committed([UUIDv7](repeating: id(1), count: 31), .stored))
        #expect(reading() == [])
        try side.give(.committed([UUIDv7](repeating: id(1), count: 3), .stored))
        #expect(reading() == [.resumeReading])
    }

    @Test("A group mate's entries that repeat under one id count like all others")
    func backpressureOfMates() throws {
        let side = try SessionSide(.none, isGroupMate: true)
        try side.open()
        let body = try GroupSeenBody(root: hash(1), messages: [id(5)]).encoded()
        for _ in 0...PeerLimits.backlogFrames { try side.hear(Frame(kind: .groupSeen, id: id(1), body: body)) }
        #expect(side.effects.last == .pauseReading)
    }

    @Test("A stranger's flood pauses reading, then it resumes; a greater flood ends the session")
    func strangerBudget() throws {
        let side = try SessionSide(.none)
        try side.open()
        let pings = [Frame](repeating: Frame(kind: .ping), count: 1100).flatMap { $0.encoded() }
        try side.give(.received(pings))
        #expect(side.sent == [Frame(kind: .pong)], "one answer for all")
        #expect(side.effects == [.pauseReading])
        _ = side.take()
        try side.run(from: 0, to: 3)
        #expect(side.effects == [.resumeReading])
        _ = side.take()
        try side.give(.received(pings), at: 3)
        #expect(side.ends == [.closedHere(.busy, detail: nil)])
    }

    @Test("A stranger's bytes are counted too")
    func strangerBytes() throws {
        let side = try SessionSide(.none)
        try side.open()
        let large = Frame(kind: FrameKind(rawValue: 999), body: [UInt8](repeating: 0, count: PeerLimits.frameBodyBytes))
        for _ in 0..<4 { try side.hear(large) }
        #expect(side.effects.contains(.pauseReading) && !side.machine.isClosed)
        try side.hear(large)
        #expect(side.ends == [.closedHere(.busy, detail: nil)])
    }

    @Test("A friend may send a hundred times as much")
    func friendBudget() throws {
        let side = try SessionSide(.friend)
        try side.open()
        let pings = [Frame](repeating: Frame(kind: .ping), count: 1000).flatMap { $0.encoded() }
        for _ in 0..<20 { try side.give(.received(pings)) }
        #expect(side.effects.isEmpty)
    }
}
