import Basics
import TestSupport
import Testing

@testable import LocalSend

@Suite("LocalSend devices nearby")
struct DeviceTableTests {
    private let start = Instant(nanoseconds: 1_000_000_000_000)

    private func device(_ fingerprint: String, _ alias: String = "Phone") -> DeviceInfo {
        DeviceInfo(
            alias: alias, model: nil, kind: .mobile, fingerprint: fingerprint, port: 53_317, isEncrypted: true)
    }

    private func address(_ number: Int) -> IPAddress { .v4(0x0A09_0000 + UInt32(number)) }

    @Test("A device is shown while it is heard; another name of it is news, this host is not shown")
    func heard() {
        var table = DeviceTable(own: "own")
        #expect(table.hear(device("own"), at: address(1), isProved: true, now: start) == .ignored)
        #expect(table.hear(device("b"), at: address(1), isProved: false, now: start) == .news)
        #expect(table.hear(device("b"), at: address(1), isProved: true, now: start) == .known)
        #expect(table.hear(device("b", "Other"), at: address(1), isProved: false, now: start + .seconds(60)) == .news)
        #expect(table.hear(device("a", "Another"), at: address(2), isProved: false, now: start) == .news)
        #expect(table.shown(now: start + .seconds(60)).map(\.info.alias) == ["Another", "Other"])
        #expect(table.nextDeadline == start + .seconds(150))
        #expect(table.forget(now: start + .seconds(150)) == true)
        #expect(table.shown(now: start + .seconds(150)).map(\.info.fingerprint) == ["b"])
        #expect(table.device("b", now: start + .seconds(210)) == nil)
    }

    @Test("Datagrams take no device away from the address that it has come from, and push out none that has come")
    func made() {
        var table = DeviceTable(own: "own")
        #expect(table.hear(device("phone"), at: address(1), isProved: true, now: start) == .news)
        #expect(table.hear(device("phone", "Evil"), at: address(2), isProved: false, now: start) == .ignored)
        for number in 0..<1000 {
            _ = table.hear(device("made-\(number)"), at: address(number), isProved: false, now: start + .seconds(1))
        }
        let shown = table.shown(now: start + .seconds(1))
        #expect(shown.count == LocalSendLimits.devices)
        #expect(
            shown.contains { $0.info.fingerprint == "phone" && $0.info.alias == "Phone" && $0.address == address(1) })
        // Those who come over TCP make room for themselves.
        for number in 0..<200 {
            #expect(
                table.hear(device("real-\(number)"), at: address(number), isProved: true, now: start + .seconds(2))
                    == .news)
        }
        #expect(table.hear(device("late"), at: address(3), isProved: false, now: start + .seconds(2)) == .ignored)
        #expect(table.shown(now: start + .seconds(2)).count == LocalSendLimits.devices)
        // A device that has moved says so over TCP.
        #expect(table.hear(device("real-199"), at: address(9), isProved: true, now: start + .seconds(3)) == .news)
    }

    @Test("Two datagrams a second of one address are looked at, fifty of all; other addresses have their own")
    func rates() {
        var table = DeviceTable(own: "own")
        let first = (0..<10).filter { _ in table.mayListen(to: address(1), now: start) }
        #expect(first.count == 2)
        let others = (2..<100).filter { table.mayListen(to: address($0), now: start) }
        #expect(others.count == 48)
        #expect(table.mayListen(to: address(1), now: start + .seconds(1)) == true)
        // However many addresses there are, what is remembered of them is bounded.
        var count = 0
        for number in 0..<100_000 where table.mayListen(to: address(number), now: start + .milliseconds(number)) {
            count += 1
        }
        #expect(count <= 50 * 101)
    }
}
