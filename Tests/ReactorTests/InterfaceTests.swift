import Basics
import Glibc
import Testing

@testable import Reactor

extension ReactorTests {
    @Suite struct InterfaceChanges {
        @Test("Addresses that the host still checks, or that another host has, are not listed")
        func unusableAddresses() throws {
            let table = """
                00000000000000000000000000000001 01 80 10 80       lo
                fe8000000000000000fc00fffe000001 04 40 20 c0     eth0
                fd000000000000000000000000000002 04 40 00 88     eth0
                fd000000000000000000000000000003 04 40 00 80     eth0
                fe80 04 40 00 40 eth1
                fe8000000000000000fc00fffe00000x 04 40 20 c0     eth2
                """
            let expected = [IPAddress("fe80::fc:ff:fe00:1"), IPAddress("fd00::2")].compactMap(\.self)
            #expect(NetworkInterfaces.unusableAddresses(table: table) == Set(expected))
            #expect(NetworkInterfaces.unusableAddresses(table: "") == [])
        }

        @Test(
            "IPv4 and IPv6 sockets can share a port if they don't serve both families",
            .enabled(if: hasSix, "no IPv6 here"))
        @ReactorActor func twoFamilies() throws {
            let six = try #require(IPAddress("::1"))
            let four = try DatagramSocket(bind: .anyLoopbackPort) { _, _ in }
            let port = four.localAddress.port
            let other = try DatagramSocket(bind: SocketAddress(six, port: port), isDual: false) { _, _ in }
            #expect(other.localAddress.port == port)
            for socket in [four, other] { socket.close() }
            let first = try StreamListener(address: SocketAddress(.any, port: 0)) {
                close($0); _ = $1
            }
            let shared = try #require(first.address).port
            let any = IPAddress.v6(high: 0, low: 0, scope: 0)
            #expect(throws: SocketError.addressInUse) {
                try StreamListener(address: SocketAddress(any, port: shared)) {
                    close($0); _ = $1
                }
            }
            let second = try StreamListener(address: SocketAddress(any, port: shared), isDual: false) {
                close($0); _ = $1
            }
            #expect(second.address?.port == shared)
            for listener in [first, second] { listener.close() }
        }

        @Test(
            "A multicast group is joined once per interface, not by IPv4 sockets", .enabled(if: hasSix, "no IPv6 here"))
        @ReactorActor func groups() throws {
            let group = try #require(IPAddress("ff12::1234"))
            let lo = if_nametoindex("lo")
            let any = IPAddress.v6(high: 0, low: 0, scope: 0)
            let socket = try DatagramSocket(bind: SocketAddress(any, port: 0), isDual: false) { _, _ in }
            try socket.join(group, interfaceIndex: lo)
            #expect(throws: SocketError.system("setsockopt", EADDRINUSE)) {
                try socket.join(group, interfaceIndex: lo)
            }
            try socket.leave(group, interfaceIndex: lo)
            #expect(throws: SocketError.system("setsockopt", EADDRNOTAVAIL)) {
                try socket.leave(group, interfaceIndex: lo)
            }
            #expect(throws: SocketError.system("setsockopt", ENODEV)) {
                try socket.join(group, interfaceIndex: 999_999)
            }
            socket.close()
            let four = try DatagramSocket(bind: .anyLoopbackPort) { _, _ in }
            #expect(throws: SocketError.self) { try four.join(group, interfaceIndex: lo) }
            four.close()
        }

        @Test(
            "A change of an interface is reported once per burst, and not after the watcher is closed",
            .enabled(if: geteuid() == 0, "network namespaces need root"))
        func hearsChanges() async {
            await #expect(processExitsWith: .success) {
                // This comes before the reactor's thread starts, because that inherits its maker's namespace. The
                // machine's own network doesn't change.
                guard Self.leaveNetwork() else { return }
                try await Self.watchLoopback()
            }
        }

        /// Calls unshare(CLONE_NEWNET), which Glibc's overlay hides.
        private static func leaveNetwork() -> Bool {
            guard let symbol = dlsym(nil, "unshare") else { return false }
            return unsafeBitCast(symbol, to: (@convention(c) (CInt) -> CInt).self)(0x4000_0000) == 0
        }

        @ReactorActor private static func watchLoopback() async throws {
            try #require(try NetworkInterfaces.list().isEmpty)
            var heard = 0
            let watcher = try InterfaceWatcher { heard += 1 }
            try ip("link set lo up")
            try #require(await until { heard > 0 })
            try #require(try NetworkInterfaces.list().contains { $0.isLoopback && $0.isUp && $0.hasCarrier })
            let before = heard
            try ip("addr add 10.9.8.7/24 dev lo")
            try #require(await until { heard > before })
            watcher.close()
            watcher.close()
            let after = heard
            try ip("link set lo down")
            await pause(.milliseconds(100))
            try #require(heard == after)
        }

        private static func ip(_ words: String) throws {
            let pipe = try #require(popen("PATH=$PATH:/usr/sbin:/sbin ip \(words)", "r"))
            try #require(pclose(pipe) == 0)
        }

        private static let hasSix = {
            let file = socket(AF_INET6, CInt(SOCK_DGRAM.rawValue), 0)
            guard file >= 0 else { return false }
            defer { close(file) }
            var address = sockaddr_in6()
            address.sin6_family = sa_family_t(AF_INET6)
            address.sin6_addr = in6addr_loopback
            return withUnsafePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    bind(file, $0, socklen_t(MemoryLayout<sockaddr_in6>.size)) == 0
                }
            }
        }()
    }
}
