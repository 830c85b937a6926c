import Basics
import ControlProtocol
import LocalSend
import Testing
import Vocabulary

@testable import GuestService

/// Goal: whatever the giver says, the user sees what has become of what was given, and no file counts that was not taken.
@Suite("What this user gives to devices")
struct GivingTableTests {
    private let start = Instant(nanoseconds: 1_000_000_000_000)

    private static func id(_ number: UInt64) -> UUIDv7 {
        UUIDv7(high: 0x018B_CFE5_6800_7000, low: 0x8000_0000_0000_0000 | number)
    }

    private static func offer(_ id: UUIDv7, _ sizes: [Int64], text: String? = nil) -> GuestOffer {
        let items = sizes.enumerated().map { place, size in
            GuestOffer.Item(number: Int64(place), name: "\(place).png", size: size, refusal: nil)
        }
        return GuestOffer(
            id: id.description,
            device: GuestDevice(
                id: "0123456789abcdef", name: "Nice Orange", model: nil, kind: .mobile, address: "10.9.0.1",
                encrypted: true),
            text: text, items: items, size: sizes.reduce(0, +), cameAt: 1, until: 60_001)
    }

    private func table(_ sizes: [Int64], text: String? = nil) -> (GivingTable, UUIDv7) {
        var table = GivingTable()
        table.add(Self.offer(Self.id(1), sizes, text: text), id: Self.id(1))
        return (table, Self.id(1))
    }

    @Test("The device takes some files; they go one by one, and then it is over")
    func story() throws {
        var (table, id) = table([3, 0, 5])
        #expect(table.open == 1 && table.isOpen(id) && table.offers.first?.state == .waiting)
        #expect(!table.wants(0, of: id), "its user was not asked yet")
        #expect(table.went(1, of: id) == nil)
        #expect(table.takes([2, 0], of: id) == true)
        let taken = try #require(table.offer(id))
        #expect(taken.state == .sending && taken.until == nil && taken.items.map(\.number) == [0, 2])
        #expect(taken.size == 8 && taken.files == 2)
        #expect(table.wants(0, of: id) && table.wants(2, of: id) && !table.wants(1, of: id) && !table.wants(9, of: id))
        #expect(table.went(2, of: id)?.bytesDone == 2)
        table.gave(0, of: id)
        #expect(table.offer(id)?.bytesDone == 3, "what the device has has gone, also if the giver has not said so")
        #expect(table.went(.max, of: id)?.bytesDone == 8, "no more than all of it")
        table.gave(0, of: id)
        table.gave(1, of: id)
        #expect(table.offer(id)?.filesDone == 1 && !table.wants(0, of: id))
        table.gave(2, of: id)
        #expect(table.isOver(id) == [0, 2])
        #expect(table.isOver(id) == nil && !table.isOpen(id), "it says so once")
        #expect(table.offer(id)?.state == .sending, "the notes are being written")
        table.end(id, .taken, nil, now: start)
        #expect(table.offer(id)?.state == .taken && table.offer(id)?.until == nil && table.open == 0)
        table.end(id, .failed, .init(.internal, "late"), now: start)
        #expect(table.offer(id)?.state == .taken)
    }

    @Test("A giver that says what can't be is not believed", arguments: [[3], [-1], [0, 0], [0, 3], [.max]])
    func lies(_ items: [Int]) {
        var (table, id) = table([3, 0, 5])
        #expect(table.takes(items, of: id) == false)
    }

    @Test("Files are taken once; a text has no files")
    func once() {
        var (table, id) = table([3, 5])
        #expect(table.takes([0], of: id) == true)
        #expect(table.takes([0, 1], of: id) == false)
        #expect(table.takes([], of: Self.id(9)) == false)
        for items in [[], [0]] {
            var (table, id) = self.table([], text: "hello")
            #expect(table.takes(items, of: id) == true)
            #expect(!table.wants(0, of: id))
        }
        (table, id) = self.table([], text: "hello")
        #expect(table.takes([1], of: id) == false)
    }

    @Test("What is over is forgotten after ten minutes, and the oldest beyond sixteen; what is under way never")
    func forgetting() {
        var table = GivingTable()
        for number in 0..<20 {
            let id = Self.id(UInt64(number))
            table.add(Self.offer(id, [1]), id: id)
            if number > 0 { table.end(id, .declined, nil, now: start) }
        }
        table.forget(now: start)
        #expect(table.offers.count == 17 && table.isOpen(Self.id(0)) && table.offer(Self.id(3)) == nil)
        #expect(table.offer(Self.id(4)) != nil)
        table.end(Self.id(0), .taken, nil, now: start + .seconds(1))
        table.forget(now: start + .seconds(1))
        #expect(table.offers.count == 16 && table.offer(Self.id(0))?.state == .taken, "it ended last")
        #expect(table.offer(Self.id(4)) == nil)
        table.add(Self.offer(Self.id(20), [1]), id: Self.id(20))
        table.forget(now: start + .seconds(601))
        #expect(table.offers.count == 1 && table.isOpen(Self.id(20)))
    }

    @Test("Every ending has a state; one that failed says why")
    func endings() {
        for ending in GiveReport.Ending.allCases {
            let (state, lost) = ending.shown(status: 500, hadPIN: false)
            #expect(state.isOver && (state == .failed) == (lost != nil), "\(ending)")
            #expect(lost?.detail.isEmpty != true)
        }
        #expect(GiveReport.Ending.pinNeeded.shown(status: 401, hadPIN: true).lost?.reason == .wrongPassphrase)
        #expect(
            GiveReport.Ending.pinNeeded.shown(status: 401, hadPIN: true).lost?.detail
                != GiveReport.Ending.pinNeeded.shown(status: 401, hadPIN: false).lost?.detail)
    }

    @Test("The rate is told five times a second at most, and starts anew where the bytes go back")
    func rate() {
        var meter = ProgressMeter()
        #expect(meter.note(0, now: start) == 0)
        #expect(meter.note(100, now: start + .milliseconds(100)) == nil)
        #expect(meter.note(1_000, now: start + .milliseconds(200)) == 5_000)
        #expect(meter.note(1_000, now: start + .milliseconds(400)) == 3_750)
        #expect(meter.note(10, now: start + .milliseconds(600)) == 0)
        for bytes in [9, 10, 0, 5] as [Int64] { #expect(meter.note(bytes, now: start + .milliseconds(799)) == nil) }
        #expect(meter.note(.max, now: start + .milliseconds(900)) ?? 0 > 0)
    }
}
