import Basics
import Testing

@testable import Daemon
@testable import Media
@testable import Network
@testable import Reactor

@Suite("Interfaces, addresses and sleep")
struct InterfaceTests {
    private func interface(
        _ name: String, _ index: UInt32, _ address: String, _ length: Int, broadcast: String? = nil,
        carrier: Bool = true,
        pointToPoint: Bool = false, up: Bool = true, canBroadcast: Bool = true
    ) throws -> NetworkInterface {
        let address = try #require(IPAddress(address))
        return NetworkInterface(
            name: name, index: index, address: address, prefixLength: length,
            broadcast: broadcast.flatMap(IPAddress.init), hasBroadcast: canBroadcast, hasMulticast: canBroadcast,
            isLoopback: address.isLoopback, isUp: up, hasCarrier: carrier, isPointToPoint: pointToPoint)
    }

    @Test(
        "Interfaces that are up and lead to a network are used, in both families; loopback only if alone or named"
    )
    func choice() throws {
        let lo = try interface("lo", 1, "127.0.0.1", 8, broadcast: "127.255.255.255")
        let four = try interface("eth0", 2, "10.0.0.1", 24, broadcast: "10.0.0.255")
        let six = try interface("eth0", 2, "fe80::1", 64)
        let tunnel = try interface("tun0", 3, "10.8.0.2", 32, pointToPoint: true)
        let down = try interface("eth1", 4, "10.1.0.1", 24, broadcast: "10.1.0.255", up: false)
        let silent = try interface("odd0", 5, "10.2.0.1", 32, canBroadcast: false)
        let all = [lo, four, six, tunnel, down, silent]
        let free = InterfaceChoice(names: nil)
        #expect(free.choose(of: all) == [four, six])
        #expect(free.choose(of: [lo, tunnel, down]) == [lo])
        #expect(free.choose(of: []) == [])
        #expect(InterfaceChoice(names: ["lo"]).choose(of: all) == [lo])
        #expect(InterfaceChoice(names: ["eth1"]).choose(of: all) == [])
        let here = try #require(SocketAddress("127.0.0.1:15426"))
        #expect(free.way(to: here) == .free && InterfaceChoice(names: ["lo"]).way(to: here) == .free)
        guard case .barred(let why) = InterfaceChoice(names: ["nope", "odd0"]).way(to: here) else {
            Issue.record("the dial is not barred")
            return
        }
        #expect(why.contains("nope, odd0"))
        #expect(six.hasLinkLocalGroup && !four.hasLinkLocalGroup)
        #expect(try !interface("eth0", 2, "fd00::1", 64).hasLinkLocalGroup)
        #expect(try interface("eth0", 2, "febf::1", 64).hasLinkLocalGroup)
        #expect(try !interface("eth0", 2, "fec0::1", 64).hasLinkLocalGroup)
    }

    @Test(
        "If interfaces are named, near dials always go through those, and far ones if the kernel's route does"
    )
    func ways() throws {
        let lo = try interface("lo", 1, "127.0.0.1", 8, broadcast: "127.255.255.255")
        let cable = try interface("eth0", 2, "10.0.0.1", 24, broadcast: "10.0.0.255")
        let air = try interface("wlan0", 3, "10.0.0.2", 24, broadcast: "10.0.0.255")
        let cableSix = try interface("eth0", 2, "fe80::1", 64)
        let tagged = try interface("eth0.10", 4, "fe80::1", 64)
        let all = [lo, cable, air, cableSix, tagged]
        func way(_ names: [String], _ host: String, scope: UInt32 = 0, from source: String?) throws -> String {
            var address = try #require(IPAddress(host))
            if case .v6(let high, let low, _) = address { address = .v6(high: high, low: low, scope: scope) }
            switch InterfaceChoice(names: names).way(to: address, of: all, source: source.flatMap { IPAddress($0) }) {
            case .free: return "free"
            case .through(let name): return name
            case .barred: return "barred"
            }
        }
        #expect(try way(["wlan0"], "10.0.0.9", from: "10.0.0.1") == "wlan0")
        #expect(try way(["eth0", "wlan0"], "10.0.0.9", from: "10.0.0.1") == "eth0")
        #expect(try way(["lo"], "10.0.0.9", from: "10.0.0.1") == "barred")
        #expect(try way(["lo"], "127.0.0.2", from: "127.0.0.1") == "free")
        #expect(try way(["eth0"], "127.0.0.2", from: "127.0.0.1") == "barred")
        #expect(try way(["eth0"], "10.0.0.1", from: "10.0.0.1") == "free")
        #expect(try way(["wlan0"], "10.0.0.1", from: "10.0.0.1") == "barred")
        // This address is behind a router, or has no route.
        #expect(try way(["eth0"], "192.0.2.1", from: "10.0.0.1") == "free")
        #expect(try way(["wlan0"], "192.0.2.1", from: "10.0.0.1") == "barred")
        #expect(try way(["wlan0"], "192.0.2.1", from: nil) == "free")
        // One address on two interfaces counts as two addresses.
        #expect(try way(["eth0"], "fe80::9", scope: 2, from: "fe80::1") == "eth0")
        #expect(try way(["eth0"], "fe80::9", scope: 4, from: "fe80::1") == "barred")
        #expect(try way(["eth0"], "fe80::1", scope: 4, from: "fe80::1") == "barred")
        #expect(try way(["eth0"], "fe80::1", scope: 2, from: "fe80::1") == "free")
    }

    @Test(
        "A new address and a cable that is plugged in again are reported; a pulled cable loses no address")
    func difference() throws {
        let plugged = try interface("eth0", 2, "10.0.0.1", 24, broadcast: "10.0.0.255")
        let pulled = try interface("eth0", 2, "10.0.0.1", 24, broadcast: "10.0.0.255", carrier: false)
        let moved = try interface("eth0", 2, "10.0.0.9", 24, broadcast: "10.0.0.255")
        let other = try interface("eth1", 3, "10.0.0.1", 24, broadcast: "10.0.0.255")
        typealias Change = NetworkWatch.Change
        #expect(NetworkWatch.difference([plugged], [plugged]) == Change())
        #expect(NetworkWatch.difference([plugged], [pulled]) == Change())
        #expect(NetworkWatch.difference([pulled], [plugged]) == Change(came: [plugged]))
        #expect(NetworkWatch.difference([plugged], [moved]) == Change(came: [moved], went: [plugged]))
        #expect(NetworkWatch.difference([plugged], [other]) == Change(came: [other], went: [plugged]))
        #expect(NetworkWatch.difference([], [pulled]) == Change())
        #expect(NetworkWatch.difference([pulled], []) == Change(went: [pulled]))
    }

    @Test(
        "A clock that went on while the other stood still tells of a sleep, once; ordinary time and jitter don't"
    )
    func sleep() {
        func at(_ seconds: UInt64, _ milliseconds: UInt64 = 0) -> Instant {
            Instant(nanoseconds: seconds * 1_000_000_000 + milliseconds * 1_000_000)
        }
        var detector = SleepDetector(boot: at(100), waking: at(100))
        #expect(detector.look(boot: at(101), waking: at(101)) == nil)
        #expect(detector.look(boot: at(102, 900), waking: at(102)) == nil)
        #expect(detector.look(boot: at(3000), waking: at(103)).map { $0 > .seconds(2800) } == true)
        #expect(detector.look(boot: at(3001), waking: at(104)) == nil)
        #expect(detector.look(boot: at(3003), waking: at(104)) == .seconds(2))
    }

    @Test("A further copy of a believed datagram tells another address; a fifth or a late copy tells nothing")
    func copies() throws {
        let device = DeviceID(try #require(Key32([UInt8](repeating: 1, count: 32))))
        let start = Instant(nanoseconds: 10_000_000_000)
        let bytes: [UInt8] = [1, 2, 3]
        var recent = RecentDatagrams()
        func answer(_ host: UInt32, _ later: Duration = .zero) -> RecentDatagrams.Answer {
            recent.answer(bytes[...], from: .v4(host), now: start + later)
        }
        #expect(answer(1) == .unknown)
        recent.believed(bytes[...], of: device, at: SocketAddress(.v4(1), port: 7), now: start)
        #expect(answer(1) == .repeated)
        for host in 2...4 as ClosedRange<UInt32> {
            #expect(answer(host) == .also(device, SocketAddress(.v4(host), port: 7)))
            #expect(answer(host) == .repeated)
        }
        #expect(answer(5) == .repeated)
        #expect(recent.answer([1, 2], from: .v4(2), now: start) == .unknown)
        #expect(answer(9, .milliseconds(900)) == .repeated)
        #expect(answer(9, .seconds(3)) == .unknown)
    }

    @Test("A device keeps its last addresses, one for each host, the latest first; a wrong one is removed")
    func addresses() throws {
        let device = DeviceID(try #require(Key32([UInt8](repeating: 1, count: 32))))
        let time = WallTime(milliseconds: 1)
        func at(_ host: UInt32, _ port: UInt16 = 5) -> SocketAddress { SocketAddress(.v4(host), port: port) }
        var directory = PeerDirectory()
        directory.heard(device, alsoAt: at(1))
        #expect(directory.entry(device) == nil)
        _ = directory.announced(device, from: at(1), at: time)
        directory.heard(device, alsoAt: at(2))
        #expect(directory.entry(device)?.addresses == [at(2), at(1)])
        #expect(directory.entry(device)?.address == at(1))
        _ = directory.announced(device, from: at(1, 6), at: time)
        #expect(directory.entry(device)?.addresses == [at(1, 6), at(2)])
        for host in 3...9 as ClosedRange<UInt32> { directory.heard(device, alsoAt: at(host)) }
        #expect(directory.entry(device)?.addresses == [at(9), at(8), at(7), at(6)])
        directory.forget(at(8), of: device)
        #expect(directory.entry(device)?.addresses == [at(9), at(7), at(6)])
    }
}
