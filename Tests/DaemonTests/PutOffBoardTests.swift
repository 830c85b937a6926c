import Basics
import ControlProtocol
import Reactor
import TestSupport
import Testing

@testable import Runtime

/// Goal: the user is told who is put off, as long as it is so, and not again and again.
@Suite("Who is put off")
struct PutOffBoardTests {
    private static func account(_ number: Int) throws -> AccountID {
        let bytes =
            [UInt8](repeating: UInt8(number >> 8), count: 16) + [UInt8](repeating: UInt8(number & 0xFF), count: 16)
        return try #require(AccountID(bytes: bytes))
    }

    @Test("An account is told of once, until its words are taken or don't come again; one stands for all without room")
    @ReactorActor func told() throws {
        let (clocks, log) = (ManualClocks(), LogCapture())
        let board = PutOffBoard(clocks: clocks, log: Logger(label: "test", sink: log))
        var told: [PutOffReason] = []
        board.onBegin = { told.append($0.reason) }
        let (one, two, three) = (try Self.account(1), try Self.account(2), try Self.account(3))
        for _ in 0..<3 { board.note(putOff: [one: .day], taken: []) }
        #expect(told == [.day] && board.current.map(\.account) == [one])
        board.note(putOff: [two: .room], taken: [])
        board.note(putOff: [three: .room], taken: [])
        #expect(told == [.day, .room] && board.current.count == 3)
        #expect(log.records.count == 3)
        // What is taken beside what is put off doesn't end it.
        board.note(putOff: [one: .room], taken: [one])
        #expect(board.current.first { $0.account == one }?.reason == .room)
        board.note(putOff: [:], taken: [one, two])
        #expect(board.current.map(\.account) == [three])
        clocks.advance(by: .seconds(1199))
        #expect(board.current.count == 1)
        clocks.advance(by: .seconds(1))
        #expect(board.current.isEmpty)
        board.note(putOff: [three: .room], taken: [])
        #expect(told == [.day, .room, .room])
    }

    @Test("However many are put off, few are remembered")
    @ReactorActor func bound() throws {
        let clocks = ManualClocks()
        let board = PutOffBoard(clocks: clocks, log: Logger(label: "test", sink: LogCapture()))
        for number in 0..<3000 { board.note(putOff: [try Self.account(number): .day], taken: []) }
        #expect(board.current.count == RuntimeLimits.putOffAccounts)
        clocks.advance(by: .seconds(1200))
        board.note(putOff: [try Self.account(5000): .day], taken: [])
        #expect(board.current.count == 1)
    }
}
