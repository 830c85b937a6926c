import Basics
import Glibc
import TestSupport
import Testing

@testable import Reactor

extension ReactorTests {
    @Suite("Sockets that another process serves") struct BoundSockets {
        @Test("A listener takes connections, and has its port for itself")
        func listener() throws {
            let address = SocketAddress(.loopback, port: try FreePort.tcp())
            let listener = try BoundSocket.listener(at: address)
            #expect(throws: SocketError.addressInUse) { _ = try BoundSocket.listener(at: address) }
            let client = try RawSocket(to: address)
            let served = accept(listener.number, nil, nil)
            #expect(served >= 0)
            let server = RawSocket(adopting: served)
            #expect(client.write([1, 2, 3]))
            #expect(server.read(within: .seconds(10)) == .bytes([1, 2, 3]))
        }

        @Test("It is closed with its last reference, and not handed to a program by chance")
        func ends() throws {
            let address = SocketAddress(.loopback, port: try FreePort.tcp())
            do {
                let listener = try BoundSocket.listener(at: address)
                #expect(fcntl(listener.number, F_GETFD, 0) & FD_CLOEXEC != 0)
            }
            _ = try BoundSocket.listener(at: address)
        }

        @Test("Sockets for datagrams share a port; an interface that is not there is left out")
        func multicast() throws {
            let group = SocketAddress(.v4(0xE000_00A7), port: try FreePort.udp())
            let loopback = if_nametoindex("lo")
            let first = try BoundSocket.multicast(group, on: [loopback, 0x7FFF_FFF0])
            #expect(first.joined == [loopback])
            #expect(try BoundSocket.multicast(group, on: [loopback]).joined == [loopback])
            #expect(try BoundSocket.multicast(group, on: []).joined.isEmpty)
            #expect(throws: SocketError.self) {
                _ = try BoundSocket.multicast(
                    SocketAddress(.v6(high: 0xFF02 << 48, low: 1, scope: 0), port: 5), on: [loopback])
            }
        }
    }
}
