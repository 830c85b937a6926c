import Basics
import Glibc
import Testing
import Threads

@testable import Reactor

extension ReactorTests {
    @Suite struct Datagrams {
        private struct Heard: Equatable {
            let bytes: [UInt8]
            let source: Datagram.Source
        }

        @Test("A broadcast on loopback reaches both sockets that share the port, and names interface and destination")
        @ReactorActor func broadcasts() async throws {
            let broadcast = try #require(IPAddress("127.255.255.255"))
            // The sockets are bound to the broadcast address, because other addresses would receive more than loopback.
            let loopback = if_nametoindex("lo")
            var heard: [[Heard]] = [[], []]
            let first = try DatagramSocket(
                bind: SocketAddress(broadcast, port: 0), reuseAddress: true, broadcast: true
            ) { heard[0].append(Heard(bytes: Array($0), source: $1)) }
            let shared = first.localAddress
            let second = try DatagramSocket(bind: shared, reuseAddress: true, broadcast: true) {
                heard[1].append(Heard(bytes: Array($0), source: $1))
            }
            let sender = try DatagramSocket(bind: .anyLoopbackPort, broadcast: true) { _, _ in }
            let target = SocketAddress(broadcast, port: shared.port)
            try sender.send(Array("hello".utf8), to: target, interfaceIndex: loopback)
            try sender.send([], to: target)
            #expect(await until { heard.allSatisfy { $0.count == 2 } })
            let source = Datagram.Source(
                address: sender.localAddress, interfaceIndex: loopback, destination: broadcast)
            let expected = [Heard(bytes: Array("hello".utf8), source: source), Heard(bytes: [], source: source)]
            #expect(heard == [expected, expected])
            for socket in [first, second, sender] { socket.close() }
        }

        @Test(
            "A broadcast without the flag and a send on a closed socket fail with the kernel's reason"
        )
        @ReactorActor func refusesBroadcast() throws {
            let broadcast = try #require(IPAddress("127.255.255.255"))
            let socket = try DatagramSocket(bind: .anyLoopbackPort) { _, _ in }
            #expect(throws: SocketError.system("sendmsg", EACCES)) {
                try socket.send([1], to: SocketAddress(broadcast, port: 9))
            }
            #expect(throws: SocketError.system("sendmsg", EMSGSIZE)) {
                try socket.send(pattern(70_000), to: socket.localAddress)
            }
            #expect(throws: SocketError.addressInUse) { try DatagramSocket(bind: socket.localAddress) { _, _ in } }
            socket.close()
            socket.close()
            #expect(throws: SocketError.system("sendmsg", EBADF)) { try socket.send([1], to: .anyLoopbackPort) }
        }

        @Test("A socket bound to the loopback interface serves it; a missing interface is refused")
        @ReactorActor func bindsToInterface() async throws {
            var heard: [[UInt8]] = []
            let socket = try DatagramSocket(bind: .anyLoopbackPort, interfaceIndex: if_nametoindex("lo")) {
                bytes, source in
                #expect(source.destination == .loopback)
                heard.append(Array(bytes))
            }
            let largest = pattern(65_507)
            try socket.send([1], to: socket.localAddress)
            try socket.send(largest, to: socket.localAddress, interfaceIndex: if_nametoindex("lo"))
            #expect(await until { heard.count == 2 })
            #expect(heard == [[1], largest])
            #expect(throws: SocketError.self) { try socket.send([1], to: socket.localAddress, interfaceIndex: 999_999) }
            #expect(throws: SocketError.self) {
                try DatagramSocket(bind: .anyLoopbackPort, interfaceIndex: 999_999) { _, _ in }
            }
            socket.close()
        }

        @Test("A socket that its own receiver closes delivers none of the other datagrams that had arrived")
        @ReactorActor func closesWhileReceiving() async throws {
            var count = 0
            var socket: DatagramSocket?
            socket = try DatagramSocket(bind: .anyLoopbackPort) { _, _ in
                count += 1
                socket?.close()
            }
            let target = try #require(socket?.localAddress)
            for _ in 0..<5 { try socket?.send([1], to: target) }
            await pause(.milliseconds(10))
            #expect(count == 1)
        }

        @Test("An ICMP answer to a datagram for a closed port disturbs nothing")
        @ReactorActor func ignoresRefusals() async throws {
            let gone = try DatagramSocket(bind: .anyLoopbackPort) { _, _ in }
            let target = gone.localAddress
            gone.close()
            var heard = 0
            let socket = try DatagramSocket(bind: .anyLoopbackPort) { _, _ in heard += 1 }
            try socket.send([1], to: target)
            try socket.send([2], to: socket.localAddress)
            #expect(await until { heard == 1 })
            socket.close()
        }
    }

    @Suite struct Signals {
        @Test("A signal reaches each watcher on the reactor thread, and has no other effect on the process")
        func hearsSignals() async {
            await #expect(processExitsWith: .success) { try await Self.catchSignals() }
        }

        @ReactorActor private static func catchSignals() async throws {
            var heard: [[CInt]] = [[], []]
            let both = try SignalWatcher([SIGTERM, SIGHUP]) {
                #expect(Reactor.shared.isCurrentThread)
                heard[0].append($0)
            }
            let one = try SignalWatcher([SIGTERM]) { heard[1].append($0) }
            kill(getpid(), SIGTERM)
            try #require(await until { heard == [[SIGTERM], [SIGTERM]] })
            // The signal comes from a thread that blocks it, so the kernel picks another thread.
            let thread = try PlatformThread.spawn(name: "sender") { kill(getpid(), SIGHUP) }
            thread.join()
            try #require(await until { heard == [[SIGTERM, SIGHUP], [SIGTERM]] })
            both.close()
            both.close()
            kill(getpid(), SIGTERM)
            try #require(await until { heard[1] == [SIGTERM, SIGTERM] })
            try #require(heard[0] == [SIGTERM, SIGHUP])
            one.close()
        }

        @Test("After its last watcher is closed, a signal does what it did before")
        func givesSignalsBack() async {
            await #expect(processExitsWith: .signal(SIGHUP)) {
                try await Self.watchAndDie()
            }
        }

        @ReactorActor private static func watchAndDie() async throws {
            signal(SIGHUP, SIG_DFL)
            let watcher = try SignalWatcher([SIGHUP]) { _ in }
            watcher.close()
            kill(getpid(), SIGHUP)
            await pause(.seconds(5))
        }

        @Test("A signal that can't be caught is refused")
        @ReactorActor func refusesKill() {
            #expect(throws: SocketError.system("sigaction", EINVAL)) {
                try SignalWatcher([SIGWINCH, SIGKILL]) { _ in }
            }
            #expect(throws: SocketError.system("sigaction", EINVAL)) { try SignalWatcher([0]) { _ in } }
        }
    }

    @Suite struct Interfaces {
        @Test("Loopback is listed as up, with its network and broadcast address")
        func listsLoopback() throws {
            let all = try NetworkInterfaces.list()
            let loopback = try #require(all.first { $0.address == .loopback })
            #expect(loopback.name == "lo" && loopback.index == if_nametoindex("lo"))
            #expect(loopback.isLoopback && loopback.isUp && !loopback.isPointToPoint)
            #expect(loopback.prefixLength == 8)
            #expect(loopback.broadcast == IPAddress("127.255.255.255"))
            #expect(all.allSatisfy { $0.index != 0 && (0...128).contains($0.prefixLength) })
        }

        @Test(
            "Subnet membership, at and around the edges",
            arguments: [
                ("192.168.4.7", 22, "192.168.7.255", true), ("192.168.4.7", 22, "192.168.8.0", false),
                ("10.0.0.1", 0, "200.1.2.3", true), ("10.0.0.1", 32, "10.0.0.1", true),
                ("10.0.0.1", 32, "10.0.0.2", false),
                ("fe80::1", 64, "fe80::2", true), ("fe80::1", 64, "fe80:0:0:1::2", false),
                ("2001:db8::8", 125, "2001:db8::f", true), ("2001:db8::8", 125, "2001:db8::10", false),
                ("10.0.0.1", 8, "::1", false),
            ])
        func contains(address: String, prefix: Int, other: String, expected: Bool) throws {
            let interface = NetworkInterface(
                name: "test0", index: 7, address: try #require(IPAddress(address)), prefixLength: prefix,
                broadcast: nil,
                isLoopback: false, isUp: true, isPointToPoint: false)
            #expect(try interface.contains(#require(IPAddress(other))) == expected)
        }
    }
}
