import Basics
import CLinux
import Glibc
import Testing

@testable import Reactor

extension ReactorTests {
    @Suite struct Streams {
        @Test("Two TCP streams exchange bytes over loopback, know their addresses, and end when both have finished")
        @ReactorActor func talks() async throws {
            let server = Recorder()
            let client = Recorder()
            var accepted: StreamSocket?
            var flags: (nonBlocking: Bool, closeOnExec: Bool)?
            let listener = try StreamListener(address: .anyLoopbackPort) { fd, peer in
                #expect(peer?.host == IPAddress("127.0.0.2"))
                flags = (fcntl(fd, F_GETFL) & O_NONBLOCK != 0, fcntl(fd, F_GETFD) & FD_CLOEXEC != 0)
                accepted = StreamSocket(adopting: fd, handler: server)
            }
            let address = try #require(listener.address)
            let stream = try StreamSocket.connect(
                to: address, from: IPAddress("127.0.0.2"), timeout: .seconds(5), handler: client)
            stream.send(Array("before it stands ".utf8))
            #expect(client.events.isEmpty)
            client.onConnect = { stream.send(Array("and after".utf8)) }
            #expect(await until { server.bytes == Array("before it stands and after".utf8) })
            let other = try #require(accepted)
            #expect(other.remoteAddress?.host == IPAddress("127.0.0.2"))
            #expect(stream.remoteAddress == address && other.localAddress == address)
            #expect(stream.localAddress == other.remoteAddress)
            #expect(stream.peerCredentials == nil)
            for end in [stream, other] { #expect(SystemCalls.option(end.fd, CInt(IPPROTO_TCP), TCP_NODELAY) == 1) }
            // This is TCP_RTO_MAX_MS; older kernels lack it.
            for end in [stream, other] {
                #expect([nil, 1000].contains(SystemCalls.option(end.fd, CInt(IPPROTO_TCP), 44)))
            }
            #expect(flags?.nonBlocking == true && flags?.closeOnExec == true)

            server.onEnd = { other.finish() }
            stream.finish()
            #expect(await until { server.isClosed && client.isClosed })
            #expect(client.events == [.connected, .ended, .closed(nil)])
            #expect(server.events == [.ended, .closed(nil)])
            listener.close()
        }

        @Test("Everything that the peer wrote before it hung up is delivered, then the end, then the farewell")
        @ReactorActor func deliversBeforeHangUp() async throws {
            let (ours, theirs) = try pair()
            var sent: [UInt8] = []
            // The peer fills the kernel's buffer completely and closes before the stream has been made.
            while true {
                let piece = pattern(10_000, seed: UInt64(sent.count))
                let count = put(theirs, piece)
                sent += piece[..<count]
                if count < piece.count { break }
            }
            close(theirs)
            let handler = Recorder()
            _ = StreamSocket(adopting: ours, handler: handler)
            #expect(await until { handler.isClosed })
            #expect(handler.bytes == sent && sent.count > 100_000)
            #expect(handler.events == [.ended, .closed(nil)])
        }

        @Test("The bytes of a peer that answers and hangs up are delivered although our own writing fails")
        @ReactorActor func hearsLastWordsAfterBrokenPipe() async throws {
            let (ours, theirs) = try pair()
            let handler = Recorder()
            let stream = StreamSocket(adopting: ours, handler: handler)
            await pause(.milliseconds(2))
            put(theirs, Array("go away".utf8))
            close(theirs)
            stream.send([1, 2, 3])
            #expect(await until { handler.isClosed })
            #expect(handler.bytes == Array("go away".utf8))
            #expect(handler.farewells == 1)
        }

        @Test("A reset of the connection is an error, with only one farewell")
        @ReactorActor func reportsReset() async throws {
            let handler = Recorder()
            var accepted: CInt = -1
            let listener = try StreamListener(address: .anyLoopbackPort) { fd, _ in accepted = fd }
            _ = try StreamSocket.connect(to: #require(listener.address), timeout: .seconds(5), handler: handler)
            #expect(await until { accepted >= 0 && handler.events == [.connected] })
            // A close without lingering resets the connection.
            var linger = linger(l_onoff: 1, l_linger: 0)
            setsockopt(accepted, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout<Glibc.linger>.size))
            close(accepted)
            #expect(await until { handler.isClosed })
            #expect(handler.events.last == .closed(.system("read", ECONNRESET)))
            #expect(handler.farewells == 1)
            listener.close()
        }

        @Test("A full socket stops the writing, room resumes it, and the handler learns when the output has drained")
        @ReactorActor func survivesEagain() async throws {
            let (ours, theirs) = try pair()
            let handler = Recorder()
            let stream = StreamSocket(adopting: ours, handler: handler)
            let sent = pattern(3 << 20)
            for start in stride(from: 0, to: sent.count, by: 50_000) {
                stream.send(Array(sent[start..<min(start + 50_000, sent.count)]))
            }
            #expect(stream.bufferedBytes == sent.count)
            await pause(.milliseconds(10))
            #expect(stream.bufferedBytes > 1 << 20 && stream.bufferedBytes < sent.count)
            #expect(handler.events.isEmpty)
            var received: [UInt8] = []
            #expect(
                await until {
                    received += drain(theirs).bytes
                    return received.count >= sent.count
                })
            #expect(received == sent)
            #expect(await until { stream.bufferedBytes == 0 })
            #expect(handler.events == [.drained])
            stream.close()
            close(theirs)
        }

        @Test("All that a turn queues leaves in one system call")
        @ReactorActor func writesOncePerTurn() async throws {
            // A packet socket shows each call as a packet.
            let (ours, theirs) = try pair(CInt(SOCK_SEQPACKET.rawValue))
            let stream = StreamSocket(adopting: ours, handler: Recorder())
            var expected: [UInt8] = []
            for number in 0..<10 {
                let bytes = pattern(number % 3 == 0 ? 6_000 : 30, seed: UInt64(number))
                stream.send(bytes)
                expected += bytes
            }
            await pause(.milliseconds(5))
            var packet = [UInt8](repeating: 0, count: 100_000)
            let count = recv(theirs, &packet, packet.count, CInt(MSG_DONTWAIT))
            #expect(count == expected.count)
            #expect(Array(packet[..<max(0, count)]) == expected)
            #expect(recv(theirs, &packet, packet.count, CInt(MSG_DONTWAIT)) == -1)
            stream.close()
            close(theirs)
        }

        @Test("After our half-close the peer reads everything and the end, and we still receive")
        @ReactorActor func halfCloses() async throws {
            let (ours, theirs) = try pair()
            let handler = Recorder()
            let stream = StreamSocket(adopting: ours, handler: handler)
            stream.send(Array("last words".utf8))
            stream.finish()
            stream.send([0])
            await pause(.milliseconds(5))
            let heard = drain(theirs)
            #expect(heard.bytes == Array("last words".utf8) && heard.ended)
            #expect(handler.events.isEmpty)
            put(theirs, Array("still here".utf8))
            #expect(await until { handler.bytes == Array("still here".utf8) })
            close(theirs)
            #expect(await until { handler.isClosed })
            #expect(handler.events == [.ended, .closed(nil)])
        }

        @Test("After the peer's half-close we can still send, until we close")
        @ReactorActor func outlivesPeersHalfClose() async throws {
            let (ours, theirs) = try pair()
            let handler = Recorder()
            let stream = StreamSocket(adopting: ours, handler: handler)
            put(theirs, [7])
            shutdown(theirs, CInt(SHUT_WR))
            #expect(await until { handler.events == [.ended] })
            #expect(handler.bytes == [7])
            stream.send([8, 9])
            await pause(.milliseconds(5))
            #expect(drain(theirs).bytes == [8, 9])
            #expect(stream.isOpen && handler.events == [.ended])
            stream.close()
            stream.close()
            #expect(handler.farewells == 0)
            #expect(await until { handler.isClosed })
            #expect(drain(theirs).ended)
            close(theirs)
        }

        @Test("A paused stream delivers nothing, not even the end; a resumed one delivers everything")
        @ReactorActor func pauses() async throws {
            let (ours, theirs) = try pair()
            let handler = Recorder()
            let stream = StreamSocket(adopting: ours, handler: handler)
            handler.onReceive = { _ in stream.pauseReading() }
            put(theirs, [1])
            #expect(await until { handler.bytes == [1] })
            put(theirs, [2])
            close(theirs)
            await pause(.milliseconds(10))
            #expect(handler.bytes == [1] && handler.events.isEmpty)
            stream.resumeReading()
            #expect(handler.bytes == [1])
            #expect(await until { handler.bytes == [1, 2] })
            stream.resumeReading()
            #expect(await until { handler.isClosed })
            #expect(handler.events == [.ended, .closed(nil)])
        }

        @Test("A peer that sends much does not delay the others")
        @ReactorActor func sharesTurns() async throws {
            let (loud, loudPeer) = try pair()
            let (quiet, quietPeer) = try pair()
            var size: CInt = 4 << 20
            setsockopt(loudPeer, SOL_SOCKET, SO_SNDBUF, &size, socklen_t(MemoryLayout<CInt>.size))
            let loudHandler = Recorder()
            let quietHandler = Recorder()
            var loudBefore: Int?
            quietHandler.onReceive = { _ in loudBefore = loudHandler.count }
            let streams = [
                StreamSocket(adopting: loud, handler: loudHandler),
                StreamSocket(adopting: quiet, handler: quietHandler),
            ]
            // Both are ready before the reactor looks again, because this test occupies its thread.
            var written = 0
            while case let count = put(loudPeer, pattern(32_768)), count > 0 { written += count }
            put(quietPeer, [1])
            #expect(await until { loudHandler.count == written && quietHandler.count == 1 })
            #expect(try #require(loudBefore) <= ReactorLimits.readBudgetPerTurn + ReactorLimits.readBufferBytes)
            #expect(written > ReactorLimits.readBudgetPerTurn)
            for stream in streams { stream.close() }
            close(loudPeer)
            close(quietPeer)
        }

        @Test("A kept slice stays unchanged while the reactor reads on")
        @ReactorActor func slicesMayBeKept() async throws {
            let (ours, theirs) = try pair()
            let handler = Recorder()
            var kept: [ArraySlice<UInt8>] = []
            handler.onReceive = { kept.append($0) }
            let stream = StreamSocket(adopting: ours, handler: handler)
            for number in 1...5 {
                put(theirs, [UInt8(number)])
                #expect(await until { kept.count == number })
            }
            #expect(kept.map(Array.init) == [[1], [2], [3], [4], [5]])
            stream.close()
            close(theirs)
        }

        @Test("The kernel names the peer of a Unix socket")
        @ReactorActor func knowsCredentials() async throws {
            let (ours, theirs) = try pair()
            let stream = StreamSocket(adopting: ours, handler: Recorder())
            #expect(stream.peerCredentials == PeerCredentials(pid: getpid(), uid: getuid(), gid: getgid()))
            #expect(stream.remoteAddress == nil)
            stream.close()
            #expect(stream.peerCredentials == nil)
            close(theirs)
        }
    }
}
