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
        var table = DeviceTable(own: "own", salt: 7)
        func hear(_ info: DeviceInfo, _ number: Int, _ isProved: Bool, after seconds: Int = 0) -> DeviceTable.Hearing {
            table.hear(
                info, at: address(number), of: address(number), isProved: isProved, now: start + .seconds(seconds))
        }
        #expect(hear(device("own"), 1, true) == .ignored)
        #expect(hear(device("b"), 1, false) == .news)
        #expect(hear(device("b", "Other"), 1, false) == .news)
        #expect(hear(device("b", "Other"), 1, true) == .known)
        #expect(hear(device("a", "Another"), 2, false) == .news)
        #expect(hear(device("b", "Other"), 1, false, after: 60) == .known)
        #expect(table.shown(now: start + .seconds(60)).map(\.info.alias) == ["Another", "Other"])
        #expect(table.nextDeadline == start + .seconds(150))
        #expect(table.forget(now: start + .seconds(150)) == true)
        #expect(table.shown(now: start + .seconds(150)).map(\.info.fingerprint) == ["b"])
        #expect(table.shown(now: start + .seconds(210)).isEmpty)
    }

    @Test(
        "Whoever claims a fingerprint is another entry, and neither a datagram nor plain HTTP changes one that came over TLS"
    )
    func claimed() {
        var table = DeviceTable(own: "own", salt: 7)
        func hear(_ info: DeviceInfo, _ number: Int, _ isProved: Bool) -> DeviceTable.Hearing {
            table.hear(info, at: address(number), of: address(number), isProved: isProved, now: start)
        }
        let plain = DeviceInfo(
            alias: "Phone", model: nil, kind: .mobile, fingerprint: "phone", port: 80, isEncrypted: false)
        #expect(hear(device("phone"), 1, true) == .news)
        #expect(hear(plain, 2, true) == .news)
        #expect(hear(device("phone", "Evil"), 1, false) == .ignored)
        #expect(hear(plain, 1, true) == .ignored)
        let found = table.shown(now: start)
        #expect(found.map(\.address) == [address(1), address(2)] && found.map(\.info.isEncrypted) == [true, false])
        // The device itself may change its name.
        #expect(hear(device("phone", "New"), 1, true) == .news)
    }

    @Test("Datagrams take no place from devices that came over TCP, and no source has more than four")
    func room() {
        var table = DeviceTable(own: "own", salt: 7)
        func hear(_ name: String, _ number: Int, _ isProved: Bool, after seconds: Int) -> DeviceTable.Hearing {
            table.hear(
                device(name), at: address(number), of: address(number), isProved: isProved,
                now: start + .seconds(seconds))
        }
        #expect(hear("phone", 1, true, after: 0) == .news)
        for number in 2..<1000 { _ = hear("made-\(number)", number, false, after: 1) }
        let shown = table.shown(now: start + .seconds(1))
        #expect(shown.count == LocalSendLimits.devices && shown.contains { $0.info.fingerprint == "phone" })
        // One host under a thousand names, over TCP: it makes room among its own.
        for number in 0..<1000 { #expect(hear("name-\(number)", 2000, true, after: 2) == .news) }
        let now = table.shown(now: start + .seconds(2))
        #expect(now.filter { $0.address == address(2000) }.count == 4)
        #expect(now.contains { $0.info.fingerprint == "phone" })
        // Many hosts over TCP make room for themselves, first among those that only datagrams speak of.
        for number in 3000..<3059 { #expect(hear("real-\(number)", number, true, after: 3) == .news) }
        #expect(table.shown(now: start + .seconds(3)).contains { $0.info.fingerprint == "phone" })
        #expect(hear("late", 4000, false, after: 3) == .ignored)
    }

    @Test("Two datagrams a second of one source are looked at, fifty of all; requests over TCP have their own measure")
    func rates() {
        var table = DeviceTable(own: "own", salt: 7)
        #expect((0..<10).count { _ in table.mayListen(to: address(1), isProved: false, now: start) } == 2)
        #expect((2..<100).count { table.mayListen(to: address($0), isProved: false, now: start) } == 48)
        #expect((0..<10).count { _ in table.mayListen(to: address(1), isProved: true, now: start) } == 2)
        #expect(table.mayListen(to: address(1), isProved: false, now: start + .seconds(1)) == true)
        let count = (0..<100_000).count {
            table.mayListen(to: address($0), isProved: false, now: start + .seconds(1) + .milliseconds($0))
        }
        #expect(4_900...5_100 ~= count)
        // One neighbour has any number of IPv6 addresses.
        let later = start + .seconds(1_000)
        let six = (0..<1_000).count {
            table.mayListen(to: .v6(high: 1, low: UInt64($0), scope: 0), isProved: false, now: later)
        }
        #expect(six == 25 && table.mayListen(to: address(1), isProved: false, now: later) == true)
    }
}
