import Basics
import CLinux
import Glibc
import Testing
import Threads

@testable import Reactor

extension ReactorTests {
    @Suite struct Turmoil {
        @Test("A handler may close another stream and reuse its descriptor number in the same turn")
        @ReactorActor func reusesDescriptorWithinATurn() async throws {
            var reused = 0
            for _ in 0..<20 {
                let (one, onePeer) = try pair()
                let (two, twoPeer) = try pair()
                let handlers = [Recorder(), Recorder()]
                let streams = zip([one, two], handlers).map { StreamSocket(adopting: $0, handler: $1) }
                await pause(.zero)
                let newcomer = Recorder()
                var fresh: (stream: StreamSocket, peer: CInt)?
                // Both streams become ready at once. The first one closes the other and takes its number.
                for (index, handler) in handlers.enumerated() {
                    handler.onReceive = { _ in
                        guard fresh == nil else { return }
                        let victim = streams[1 - index]
                        victim.close()
                        guard let (ours, theirs) = try? pair() else { return }
                        if ours == victim.fd { reused += 1 }
                        fresh = (StreamSocket(adopting: ours, handler: newcomer), theirs)
                    }
                }
                put(onePeer, [1])
                put(twoPeer, [2])
                #expect(await until { handlers.contains { $0.isClosed } })
                await pause(.milliseconds(1))
                let (stream, peer) = try #require(fresh)
                #expect(handlers[0].count + handlers[1].count == 1)
                #expect(newcomer.events.isEmpty && newcomer.bytes.isEmpty)
                put(peer, [3])
                #expect(await until { newcomer.bytes == [3] })
                for stream in streams + [stream] { stream.close() }
                for fd in [onePeer, twoPeer, peer] { close(fd) }
                #expect(await until { (handlers + [newcomer]).allSatisfy { $0.farewells == 1 } })
            }
            #expect(reused > 0)
        }

        @Test("A thousand TCP connections are made, answered and ended")
        @ReactorActor func thousandSockets() async throws {
            try raiseDescriptorLimit(to: 2_600)
            var servers: [Recorder] = []
            let listener = try StreamListener(address: .anyLoopbackPort) { fd, _ in
                let handler = Recorder()
                servers.append(handler)
                let stream = StreamSocket(adopting: fd, handler: handler)
                handler.onReceive = { stream.send(Array($0)) }
                handler.onEnd = { stream.finish() }
            }
            let address = try #require(listener.address)
            var clients: [(stream: StreamSocket, handler: Recorder, word: [UInt8])] = []
            for number in 0..<1_000 {
                let handler = Recorder()
                let stream = try StreamSocket.connect(to: address, timeout: .seconds(10), handler: handler)
                let word = pattern(100, seed: UInt64(number))
                stream.send(word)
                clients.append((stream, handler, word))
                if number % 100 == 99 { await pause(.zero) }
            }
            #expect(await until { clients.allSatisfy { $0.handler.count == 100 } })
            #expect(clients.allSatisfy { $0.handler.bytes == $0.word })
            for client in clients { client.stream.finish() }
            #expect(await until { clients.allSatisfy(\.handler.isClosed) && servers.allSatisfy(\.isClosed) })
            #expect(servers.count == 1_000)
            #expect(clients.allSatisfy { $0.handler.events == [.connected, .ended, .closed(nil)] })
            listener.close()
        }

        @Test(
            "When streams end in the middle of everything, each gets one farewell and nothing after it",
            arguments: 1...25)
        @ReactorActor func shutdownInTheMiddle(seed: UInt64) async throws {
            var generator = SeededGenerator(seed: seed)
            let before = openDescriptors()
            var ends: [(stream: StreamSocket, handler: Recorder)] = []
            var detached: [ObjectIdentifier: CInt] = [:]
            for _ in 0..<30 {
                let (one, two) = try pair()
                for fd in [one, two] {
                    let handler = Recorder()
                    handler.keepsBytes = false
                    ends.append((StreamSocket(adopting: fd, handler: handler), handler))
                }
            }
            let trouble = { @ReactorActor in
                guard let (stream, handler) = ends.randomElement(using: &generator) else { return }
                switch Int.random(in: 0..<14, using: &generator) {
                case 0: stream.close()
                case 1: stream.finish()
                case 2: stream.closeAfterFlush(deadline: .milliseconds(Int64.random(in: 0...5, using: &generator)))
                case 3: if let fd = stream.detach() { detached[ObjectIdentifier(handler)] = fd }
                case 4: stream.pauseReading()
                case 5: stream.resumeReading()
                case 6: Reactor.shared.afterThisTurn { stream.close() }
                default: stream.send(pattern(Int.random(in: 1...40_000, using: &generator)))
                }
            }
            for (_, handler) in ends {
                handler.onReceive = { _ in trouble() }
                handler.onEnd = { trouble() }
                handler.onClose = { trouble() }
            }
            for _ in 0..<30 {
                for _ in 0..<10 { trouble() }
                await pause(.zero)
            }
            for (stream, _) in ends { stream.close() }
            for fd in detached.values { close(fd) }
            #expect(
                await until { ends.allSatisfy { $0.handler.isClosed || detached[ObjectIdentifier($0.handler)] != nil } }
            )
            await pause(.milliseconds(6))
            for (stream, handler) in ends {
                #expect(handler.farewells == (detached[ObjectIdentifier(handler)] == nil ? 1 : 0))
                #expect(handler.eventsAfterFarewell == 0)
                #expect(!stream.isOpen && stream.bufferedBytes == 0)
            }
            // Other suites open descriptors meanwhile, but fewer than sixty.
            #expect(openDescriptors() < before + 30)
        }

        @Test("A closed stream and its handler are freed, even if the stream's timer is still far away")
        @ReactorActor func leavesNothingBehind() async throws {
            weak var freedStream: StreamSocket?
            weak var freedHandler: Recorder?
            var peer: CInt = -1
            do {
                let (ours, theirs) = try pair()
                peer = theirs
                let handler = Recorder()
                let stream = StreamSocket(adopting: ours, handler: handler)
                handler.onReceive = { [weak stream] _ in stream?.closeAfterFlush(deadline: .seconds(3_600)) }
                freedStream = stream
                freedHandler = handler
            }
            await pause(.zero)
            // Only the reactor holds them now.
            #expect(freedStream != nil && freedHandler != nil)
            put(peer, [1])
            close(peer)
            #expect(await until { freedStream == nil && freedHandler == nil })
        }

        private func openDescriptors() -> Int {
            (0..<4_096).count { fcntl(CInt($0), F_GETFD) != -1 }
        }
    }
}

/// Raises the soft limit of open descriptors, never lowers it.
func raiseDescriptorLimit(to wanted: rlim_t) throws {
    var limit = rlimit()
    try #require(getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0)
    if limit.rlim_cur >= wanted { return }
    try #require(limit.rlim_max >= wanted)
    limit.rlim_cur = wanted
    try #require(setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0)
}
