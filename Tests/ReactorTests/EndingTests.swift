import Basics
import Glibc
import Testing

@testable import Reactor

extension ReactorTests {
    @Suite struct Endings {
        @Test("A refused connection is reported later, as a farewell with the reason")
        @ReactorActor func refusesTCP() async throws {
            let listener = try StreamListener(address: .anyLoopbackPort) { fd, _ in close(fd) }
            let address = try #require(listener.address)
            listener.close()
            let handler = Recorder()
            do {
                let stream = try StreamSocket.connect(to: address, timeout: .seconds(5), handler: handler)
                #expect(handler.events.isEmpty && stream.isOpen)
                #expect(await until { handler.isClosed })
                #expect(handler.events == [.closed(.system("connect", ECONNREFUSED))])
            } catch {
                #expect(error == .system("connect", ECONNREFUSED))
            }
        }

        @Test("An attempt to connect without an answer ends with timedOut")
        @ReactorActor func timesOut() async throws {
            // The backlog is full and nothing accepts, so the kernel drops further attempts to connect.
            let listener = try StreamListener(address: .anyLoopbackPort, backlog: 0) { fd, _ in close(fd) }
            listener.pause()
            let address = try #require(listener.address)
            var others: [StreamSocket] = []
            for _ in 0..<4 {
                others.append(try StreamSocket.connect(to: address, timeout: .seconds(60), handler: Recorder()))
            }
            await pause(.milliseconds(20))
            let handler = Recorder()
            _ = try StreamSocket.connect(to: address, timeout: .milliseconds(50), handler: handler)
            #expect(await until { handler.isClosed })
            #expect(handler.events == [.closed(.timedOut)])
            for stream in others { stream.close() }
            listener.close()
        }

        @Test("closeAfterFlush writes all that is queued even if the peer reads slowly and keeps talking")
        @ReactorActor func flushesBeforeClosing() async throws {
            let client = Recorder()
            let server = Recorder()
            let sent = pattern(3 << 20)
            let listener = try StreamListener(address: .anyLoopbackPort) { fd, _ in
                let stream = StreamSocket(adopting: fd, handler: server)
                stream.send(sent)
                stream.closeAfterFlush(deadline: .seconds(10))
                stream.send([0])
            }
            let stream = try StreamSocket.connect(
                to: #require(listener.address), timeout: .seconds(5), handler: client)
            // Unread data at the closing side would turn a plain close into a reset.
            stream.send(pattern(300_000))
            client.onEnd = { stream.close() }
            #expect(await until { client.isClosed && server.isClosed })
            #expect(client.bytes == sent)
            #expect(client.events == [.connected, .ended, .closed(nil)])
            #expect(server.events == [.closed(nil)] && server.bytes.isEmpty)
            listener.close()
        }

        @Test("closeAfterFlush gives up at its deadline when the peer reads nothing")
        @ReactorActor func givesUpFlushing() async throws {
            let (ours, theirs) = try pair()
            let handler = Recorder()
            let stream = StreamSocket(adopting: ours, handler: handler)
            stream.send(pattern(2 << 20))
            stream.closeAfterFlush(deadline: .milliseconds(20))
            #expect(await until { handler.isClosed })
            #expect(handler.events == [.closed(.timedOut)])
            close(theirs)
        }

        @Test("closeAfterFlush on a stream whose peer has ended closes as soon as all is written")
        @ReactorActor func closesAfterPeersEnd() async throws {
            let (ours, theirs) = try pair()
            let handler = Recorder()
            let stream = StreamSocket(adopting: ours, handler: handler)
            handler.onEnd = {
                stream.send([5])
                stream.closeAfterFlush(deadline: .seconds(3_600))
            }
            shutdown(theirs, CInt(SHUT_WR))
            #expect(await until { handler.isClosed })
            #expect(handler.events == [.ended, .closed(nil)])
            let heard = drain(theirs)
            #expect(heard.bytes == [5] && heard.ended)
            close(theirs)
        }

        @Test("A paused stream whose peer has gone ends at its next write instead of waiting for ever")
        @ReactorActor func endsWhilePaused() async throws {
            let (ours, theirs) = try pair()
            let handler = Recorder()
            let stream = StreamSocket(adopting: ours, handler: handler)
            stream.pauseReading()
            close(theirs)
            await pause(.milliseconds(5))
            #expect(handler.events.isEmpty)
            stream.send([1])
            #expect(await until { handler.isClosed })
            #expect(handler.events == [.closed(.system("write", EPIPE))])
        }

        @Test("A detached descriptor is blocking, belongs to us alone, and holds exactly the bytes not delivered yet")
        @ReactorActor func detaches() async throws {
            let (ours, theirs) = try pair()
            let handler = Recorder()
            let stream = StreamSocket(adopting: ours, handler: handler)
            var taken: CInt?
            handler.onReceive = { _ in
                stream.send(Array("go".utf8))
                taken = stream.detach()
                // These bytes come after the detaching, so the reactor doesn't read them.
                put(theirs, Array("bulk".utf8))
            }
            put(theirs, Array("open".utf8))
            #expect(await until { taken != nil })
            await pause(.milliseconds(5))
            let fd = try #require(taken)
            #expect(fd == ours && fcntl(fd, F_GETFL) & O_NONBLOCK == 0)
            #expect(handler.bytes == Array("open".utf8))
            #expect(drain(theirs).bytes == Array("go".utf8))
            #expect(drain(fd).bytes == Array("bulk".utf8))
            stream.close()
            close(theirs)
            await pause(.milliseconds(5))
            #expect(drain(fd).ended)
            #expect(handler.events.isEmpty && handler.farewells == 0)
            close(fd)
        }

        @Test("A stream that cannot write all it has queued is not detached, and goes on")
        @ReactorActor func refusesToDetachUnwritten() async throws {
            let (ours, theirs) = try pair()
            let handler = Recorder()
            let stream = StreamSocket(adopting: ours, handler: handler)
            let sent = pattern(1 << 20)
            stream.send(sent)
            #expect(stream.detach() == nil)
            #expect(stream.isOpen)
            var received: [UInt8] = []
            #expect(
                await until {
                    received += drain(theirs).bytes
                    return received.count == sent.count
                })
            #expect(received == sent)
            #expect(await until { stream.bufferedBytes == 0 })
            let fd = try #require(stream.detach())
            #expect(stream.detach() == nil)
            close(fd)
            close(theirs)
        }
    }
}
