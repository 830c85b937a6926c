import Basics
import CLinux
import Glibc
import Testing

@testable import Reactor

extension ReactorTests {
    @Suite struct Descriptors {
        /// How many descriptors this process has open of the files that are passed here. Other suites have theirs.
        private func open() -> Int {
            (0..<4096).count { (number: CInt) in
                var target = [CChar](repeating: 0, count: 256)
                let length = readlink("/proc/self/fd/\(number)", &target, target.count)
                return length > 0
                    && String(decoding: target.prefix(length).map { UInt8(bitPattern: $0) }, as: UTF8.self).contains(
                        "kibo-passed")
            }
        }

        /// A file without a name, with that number in it.
        private func file(_ number: Int) throws -> Descriptor {
            let descriptor = Descriptor(adopting: try #require(memfd(number)))
            let bytes = withUnsafeBytes(of: number) { Array($0) }
            #expect(pwrite(descriptor.number, bytes, bytes.count, 0) == bytes.count)
            return descriptor
        }

        private func memfd(_ number: Int) -> CInt? {
            var template = Array("/tmp/kibo-passed-XXXXXX\0".utf8).map { CChar(bitPattern: $0) }
            let file = mkstemp(&template)
            unlink(template)
            return file >= 0 ? file : nil
        }

        private func number(in descriptor: CInt) -> Int? {
            var number = 0
            let count = withUnsafeMutableBytes(of: &number) { pread(descriptor, $0.baseAddress, $0.count, 0) }
            return count == MemoryLayout<Int>.size ? number : nil
        }

        /// Takes descriptors and lines as they come.
        @ReactorActor private final class Taker: StreamHandler {
            enum Thing: Equatable { case descriptor(Int?), byte(UInt8) }
            var things: [Thing] = []
            var isClosed = false
            let read: (CInt) -> Int?

            init(read: @escaping (CInt) -> Int?) { self.read = read }

            weak var stream: StreamSocket?

            func streamDidReceive(_ bytes: ArraySlice<UInt8>) {
                while let descriptor = stream?.nextDescriptor() {
                    things.append(.descriptor(read(descriptor)))
                    close(descriptor)
                }
                things += bytes.map { .byte($0) }
            }
            func streamDidEnd() {}
            func streamDidClose(_ error: SocketError?) { isClosed = true }
        }

        @Test("Each descriptor comes before the byte that it was sent with, and none stays open")
        @ReactorActor func order() async throws {
            let before = open()
            do {
                var ends: [CInt] = [0, 0]
                try #require(socketpair(AF_UNIX, 1, 0, &ends) == 0)
                let (sender, taker) = (Recorder(), Taker(read: number(in:)))
                let from = StreamSocket(adopting: ends[0], handler: sender)
                let to = StreamSocket(adopting: ends[1], handler: taker)
                to.acceptDescriptors()
                taker.stream = to
                var expected: [Taker.Thing] = []
                for index in 0..<40 {
                    let byte = UInt8(index)
                    if index % 3 == 0 {
                        from.send([byte, 255], with: try file(index))
                        expected += [.descriptor(index), .byte(byte), .byte(255)]
                    } else {
                        from.send([byte])
                        expected.append(.byte(byte))
                    }
                    if index % 7 == 0 { await pause(.milliseconds(1)) }
                }
                #expect(await until { taker.things.count >= expected.count })
                // What came before in the same read may stand before or after its descriptor, but no descriptor is late.
                let bytes: (Taker.Thing) -> Bool = { if case .byte = $0 { true } else { false } }
                #expect(taker.things.filter(bytes) == expected.filter(bytes))
                #expect(taker.things.filter { !bytes($0) } == expected.filter { !bytes($0) })
                for (place, thing) in taker.things.enumerated() {
                    guard case .descriptor(let number?) = thing else { continue }
                    #expect(!taker.things[..<place].contains(.byte(UInt8(number))))
                }
                from.close()
                to.close()
                #expect(await until { sender.isClosed && taker.isClosed })
            }
            #expect(await until { open() == before })
        }

        @Test(
            "A peer that doesn't read holds the descriptors up, gets them all later, and a write in pieces passes each once"
        )
        @ReactorActor func slowReader() async throws {
            let before = open()
            do {
                let (ours, theirs) = try pair()
                let handler = Recorder()
                let stream = StreamSocket(adopting: ours, handler: handler)
                for index in 0..<30 {
                    stream.send([UInt8](repeating: UInt8(index), count: 50_000), with: try file(index))
                }
                await pause(.milliseconds(5))
                #expect(stream.bufferedDescriptors > 10 && stream.bufferedBytes > 500_000)
                var (bytes, numbers): (Int, [Int?]) = (0, [])
                var buffer = [UInt8](repeating: 0, count: 7_001)
                var isClosedOnExec = true
                // All that is there at each look: on a loaded machine looks are rare.
                let isRead = await until {
                    while true {
                        var passed: CInt = -1
                        let read = kibo_receive_descriptor(theirs, &buffer, buffer.count, &passed)
                        guard read > 0 else { break }
                        bytes += read
                        guard passed >= 0 else { continue }
                        numbers.append(number(in: passed))
                        if fcntl(passed, F_GETFD) & FD_CLOEXEC == 0 { isClosedOnExec = false }
                        close(passed)
                    }
                    return bytes == 30 * 50_000
                }
                #expect(isRead && isClosedOnExec)
                #expect(numbers == (0..<30).map { $0 })
                #expect(stream.bufferedDescriptors == 0)
                stream.close()
                close(theirs)
                #expect(await until { handler.isClosed })
            }
            #expect(await until { open() == before })
        }

        @Test("Descriptors that wait for a peer are closed when it goes, when we close, and when they were never taken")
        @ReactorActor func ends() async throws {
            let before = open()
            for way in 0..<4 {
                let (ours, theirs) = try pair()
                let handler = Recorder()
                let stream = StreamSocket(adopting: ours, handler: handler)
                for index in 0..<20 { stream.send([UInt8](repeating: 1, count: 50_000), with: try file(index)) }
                await pause(.milliseconds(2))
                switch way {
                case 0: close(theirs)
                case 1: stream.close()
                case 2: stream.closeAfterFlush(deadline: .milliseconds(5))
                // A peer that reads without taking descriptors loses them.
                default:
                    #expect(
                        await until {
                            _ = drain(theirs)
                            return stream.bufferedBytes == 0
                        })
                    stream.close()
                }
                #expect(await until { handler.isClosed })
                if way != 0 { close(theirs) }
                #expect(stream.bufferedDescriptors == 0)
            }
            #expect(await until { open() == before })
        }

        @Test("A stream that takes no descriptors goes on, and what was passed to it is closed")
        @ReactorActor func refuses() async throws {
            let before = open()
            do {
                let (ours, theirs) = try pair()
                let handler = Recorder()
                let stream = StreamSocket(adopting: ours, handler: handler)
                for index in 0..<50 {
                    let passed = try file(index)
                    var byte: UInt8 = 7
                    withUnsafeMutableBytes(of: &byte) { bytes in
                        var piece = iovec(iov_base: bytes.baseAddress, iov_len: 1)
                        let sent = withExtendedLifetime(passed) { kibo_send_pieces(theirs, &piece, 1, passed.number) }
                        #expect(sent == 1)
                    }
                }
                #expect(await until { handler.count == 50 })
                stream.close()
                close(theirs)
                #expect(await until { handler.isClosed })
            }
            #expect(await until { open() == before })
        }
    }
}
