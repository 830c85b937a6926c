import Basics
import CLinux
import Glibc
import Testing

@testable import Reactor

extension ReactorTests {
    @Suite struct Listeners {
        @Test("A Unix listener has exactly its mode, names its peers, and removes its file")
        @ReactorActor func listensOnUnix() async throws {
            let directory = try temporaryDirectory()
            defer { rmdir(directory) }
            let path = "\(directory)/socket"
            var credentials: PeerCredentials?
            let server = Recorder()
            let listener = try StreamListener(unixPath: path, mode: 0o600) { fd, address in
                #expect(address == nil)
                let stream = StreamSocket(adopting: fd, handler: server)
                credentials = stream.peerCredentials
                server.onReceive = { stream.send(Array($0.reversed())) }
                server.onEnd = { stream.close() }
            }
            var status = stat()
            #expect(lstat(path, &status) == 0 && status.st_mode & 0o7777 == 0o600)
            let client = Recorder()
            let stream = try StreamSocket.connect(unixPath: path, timeout: .seconds(5), handler: client)
            stream.send([1, 2, 3])
            #expect(await until { client.bytes == [3, 2, 1] })
            #expect(client.events == [.connected])
            #expect(credentials?.pid == getpid() && credentials?.uid == getuid())
            stream.finish()
            #expect(await until { server.isClosed && client.isClosed })
            listener.close()
            #expect(lstat(path, &status) == -1)
        }

        @Test("The file of a dead socket is taken over; that of a live or a full listener and a plain file are not")
        @ReactorActor func takesOverDeadSockets() async throws {
            let directory = try temporaryDirectory()
            let path = "\(directory)/socket"
            let plain = "\(directory)/plain"
            defer {
                unlink(path)
                unlink(plain)
                rmdir(directory)
            }
            // A killed process leaves a bound file without a listener.
            let dead = try SystemCalls.socket(AF_UNIX, SOCK_STREAM)
            _ = try UnixSocketFile.bind(dead, to: path, mode: 0o600)
            close(dead)
            let living = try StreamListener(unixPath: path, mode: 0o600, backlog: 0) { fd, _ in close(fd) }
            #expect(throws: SocketError.addressInUse) {
                try StreamListener(unixPath: path, mode: 0o600) { fd, _ in close(fd) }
            }
            // The listener has had no turn to accept, so its backlog is full.
            #expect(throws: SocketError.addressInUse) {
                try StreamListener(unixPath: path, mode: 0o600) { fd, _ in close(fd) }
            }
            close(open(plain, O_CREAT | O_WRONLY, 0o600))
            #expect(throws: SocketError.addressInUse) {
                try StreamListener(unixPath: plain, mode: 0o600) { fd, _ in close(fd) }
            }
            let long = directory + String(repeating: "/x", count: 60)
            #expect(throws: SocketError.unusablePath(long)) {
                try StreamListener(unixPath: long, mode: 0o600) { fd, _ in close(fd) }
            }
            #expect(throws: SocketError.unusablePath("")) {
                try StreamSocket.connect(unixPath: "", timeout: .seconds(1), handler: Recorder())
            }
            // A newer socket at the same path survives the closing of the older listener.
            unlink(path)
            let newer = try StreamListener(unixPath: path, mode: 0o600) { fd, _ in close(fd) }
            living.close()
            var status = stat()
            #expect(lstat(path, &status) == 0)
            newer.close()
            #expect(lstat(path, &status) == -1)
        }

        @Test("A TCP port in use is refused by its own error; connections to a paused listener wait")
        @ReactorActor func pausesAccepting() async throws {
            var accepted = 0
            let listener = try StreamListener(address: .anyLoopbackPort) { fd, _ in
                accepted += 1
                close(fd)
            }
            let address = try #require(listener.address)
            #expect(throws: SocketError.addressInUse) { try StreamListener(address: address) { fd, _ in close(fd) } }
            listener.pause()
            let handler = Recorder()
            let stream = try StreamSocket.connect(to: address, timeout: .seconds(5), handler: handler)
            handler.onEnd = { stream.close() }
            #expect(await until { handler.events.first == .connected })
            await pause(.milliseconds(5))
            #expect(accepted == 0)
            listener.resume()
            #expect(await until { accepted == 1 && handler.isClosed })
            listener.close()
            // Thanks to SO_REUSEADDR, connections of the old listener in TIME_WAIT do not block the port.
            let again = try StreamListener(address: address) { fd, _ in close(fd) }
            again.close()
        }

        @Test("IPv6 loopback works, and a mapped IPv4 address is the IPv4 address")
        @ReactorActor func servesIPv6() async throws {
            let six = try #require(IPAddress("::1"))
            #expect(IPAddress("::ffff:127.0.0.1") == .loopback)
            let probe = Glibc.socket(AF_INET6, CInt(SOCK_STREAM.rawValue), 0)
            guard probe >= 0 else { return }
            let code = AddressCoding.with(SocketAddress(six, port: 0), family: AF_INET6) { bind(probe, $0, $1) }
            close(probe)
            // A host without IPv6 has nothing to test here.
            guard code == 0 else { return }
            var peers: [IPAddress] = []
            let listener = try StreamListener(address: SocketAddress(six, port: 0)) { fd, peer in
                peers.append(peer?.host ?? .any)
                close(fd)
            }
            let handler = Recorder()
            let stream = try StreamSocket.connect(
                to: #require(listener.address), timeout: .seconds(5), handler: handler)
            handler.onEnd = { stream.close() }
            #expect(await until { handler.isClosed })
            #expect(peers == [six])
            listener.close()
        }

        @Test(
            "Without descriptors the listener reports once, rests without spinning, and resumes when there are some")
        func survivesEMFILE() async {
            // The limit belongs to a process, so the test runs in one of its own.
            await #expect(processExitsWith: .success) { try await Self.runOutOfDescriptors() }
        }

        @ReactorActor private static func runOutOfDescriptors() async throws {
            var accepted: [CInt] = []
            var complaints: [SocketError] = []
            let listener = try StreamListener(address: .anyLoopbackPort) { fd, _ in
                accepted.append(fd)
            } failed: {
                complaints.append($0)
            }
            let address = try #require(listener.address)
            let handlers = [Recorder(), Recorder()]
            listener.pause()
            for handler in handlers {
                _ = try StreamSocket.connect(to: address, timeout: .seconds(10), handler: handler)
            }
            var hoard: [CInt] = []
            while case let fd = dup(0), fd >= 0 { hoard.append(fd) }
            try #require(errno == EMFILE)
            listener.resume()
            var before = rusage()
            getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &before)
            await pause(.milliseconds(450))
            var after = rusage()
            getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &after)
            try #require(complaints == [.system("accept", EMFILE)])
            try #require(accepted.isEmpty)
            let busy =
                (after.ru_utime.tv_sec - before.ru_utime.tv_sec) * 1_000_000
                + (after.ru_utime.tv_usec - before.ru_utime.tv_usec)
            try #require(busy < 200_000)
            for fd in hoard { close(fd) }
            try #require(await until { accepted.count == 2 })
            listener.close()
        }
    }
}
