import Basics
import Crypto
import Dispatch
import Glibc
import Testing

@testable import Transfer

@Suite("Chunks on slow links") struct SlowLinkTests {
    /// A data record with a chunk of that size.
    private func record(_ size: Int, key: [UInt8]) throws -> [UInt8] {
        var key = key
        let cipher = try BulkCipher(.chacha20Poly1305, key: SecretBytes(moving: &key))
        let text = content(size, seed: 1)
        let sum = text.withUnsafeBytes { Checksum(of: $0) }
        let header = RecordHeader(plaintext: size + TransferLimits.checksumBytes, kind: .data, file: 0, chunk: 0)
        var bytes = header.bytes + text + sum.bytes
        bytes += [UInt8](repeating: 0, count: TransferLimits.tagBytes)
        let associated = UUIDv7.zero.bytes + header.bytes
        try bytes.withUnsafeMutableBytes { bytes in
            try associated.withUnsafeBytes {
                try cipher.seal(
                    inPlace: UnsafeMutableRawBufferPointer(rebasing: bytes[RecordHeader.size...]),
                    count: header.plaintextBytes, counter: 0, associated: $0)
            }
        }
        return bytes
    }

    @Test("The received part of a chunk is reported before the rest has come")
    func arriving() throws {
        let (left, right) = try connectionPair()
        var key = [UInt8](repeating: 5, count: 32)
        let bytes = try record(TransferLimits.chunkBytes, key: key)
        let reader = RecordReader(
            right, cipher: try BulkCipher(.chacha20Poly1305, key: SecretBytes(moving: &key)), transfer: .zero)
        let told = DispatchSemaphore(value: 0)
        // Each part is sent only when the one before has been reported, so a reader that waits for everything would
        // hang.
        let sending = Background<Int> {
            var parts = 0
            for start in stride(from: 0, to: bytes.count, by: 100_000) {
                let part = bytes[start..<min(bytes.count, start + 100_000)]
                guard (try? part.withUnsafeBytes { try left.sendAll($0) }) != nil else { return parts }
                parts += 1
                // At the border of a piece the report may come twice, and with a slow reader once for several parts.
                if told.wait(timeout: .now() + 20) != .success { return parts }
                usleep(20_000)
            }
            return parts
        }
        let place = UnsafeMutableRawBufferPointer.allocate(byteCount: 2 << 20, alignment: 16)
        defer { place.deallocate() }
        var seen: [UInt64] = []
        let header = try reader.header()
        let (text, checksum) = try reader.chunk(header, into: place, clocks: SystemClocks()) {
            seen.append($0)
            told.signal()
        }
        #expect(try sending.wait() == (bytes.count + 99_999) / 100_000)
        #expect(seen == seen.sorted() && seen.count >= 8)
        #expect(seen.first.map { $0 <= 100_000 } == true && seen.last == UInt64(TransferLimits.chunkBytes))
        #expect(Checksum(loadingFrom: UnsafeRawBufferPointer(rebasing: text[TransferLimits.chunkBytes...])) == checksum)
    }

    @Test("The shown progress includes arriving bytes and never exceeds the size")
    func shown() {
        let progress = TransferProgress(
            bytesDone: 100, arriving: 50, size: 200, filesDone: 0, files: 1, bytesPerSecond: 10)
        #expect(progress.bytesShown == 150 && progress.secondsLeft == 5)
        let last = TransferProgress(
            bytesDone: 190, arriving: 50, size: 200, filesDone: 0, files: 1, bytesPerSecond: 10)
        #expect(last.bytesShown == 200 && last.secondsLeft == 0)
    }

    @Test(
        "A member that sends a byte now and then neither spares the author nor hides that the fetch stands still"
    )
    func drip() throws {
        let now = Instant(nanoseconds: 0)
        var machine = PiecePicker(lacking: ChunkSet(allBelow: 1), seed: 1, now: now)
        for source in [1, 2] {
            machine.add(source, isAuthor: source == 1, now: now)
            machine.has(source, 0..<1)
        }
        #expect(machine.next(for: 2, now: now) == .chunks([0]))
        #expect(machine.next(for: 1, now: now + .seconds(4)) == nil)
        #expect(machine.next(for: 1, now: now + .seconds(6)) != nil)
        // A chunk that is here already counts as nothing new, however often it comes.
        let (first, again) = (machine.came(0, from: 1, now: now), machine.came(0, from: 2, now: now))
        #expect(first && !again)
    }

    /// Clocks that stand still until a test sets them.
    private final class SetClocks: Clocks, @unchecked Sendable {  // Owner: the test's thread.
        var now = Instant(nanoseconds: 0)
        var wallTime: WallTime { WallTime(milliseconds: 0) }
    }

    @Test(
        "A group's fetch continues while pieces come, however slowly, but not if only single bytes come")
    func stuck() throws {
        let folder = try TemporaryFolder()
        let path = try folder.write("a.bin", content(2 << 20, seed: 1))
        let scanned = try SourceScanner.scan(path)
        let list = try SharedFileList(path: path, source: scanned.source)
        let plan = ReceivePlan(
            transfer: .zero, name: "a.bin", offer: .init(isFolder: false, size: scanned.size, files: scanned.files),
            directory: try folder.folder("out"), freeSpaceReserve: 0)
        let parts = try ReceivedParts(plan, manifest: list.manifest, files: FusedFiles.lasting)
        let clocks = SetClocks()
        let state = DownloadState(plan, fileRoot: list.fileRoot, clocks: clocks)
        let source = state.register(StopSwitch())
        let writer = PartWriter(parts.store, done: PartWriter.Written(bytesDone: 0, filesDone: 0))
        try state.begin(list, parts.map, LeftOutFiles(plan), writer)
        #expect(state.join(source, isAuthor: false))
        func wait(_ seconds: Int64) { clocks.now = clocks.now + .seconds(seconds) }
        let piece = UInt64(TransferLimits.pieceBytes)
        for part in 1...8 as ClosedRange<UInt64> {
            wait(50)
            state.arrived(part * piece, of: 1, from: source)
            try state.check(now: clocks.now)
            #expect(state.bytes == (0, part * piece))
        }
        // A chunk that comes twice is shown once.
        let other = state.register(StopSwitch())
        state.arrived(100, of: 1, from: other)
        #expect(state.bytes == (0, 8 * piece))
        state.arrived(100, of: 0, from: other)
        #expect(state.bytes == (0, 8 * piece + 100))
        state.unregister(other)
        for byte in 1...2 as ClosedRange<UInt64> {
            wait(25)
            state.arrived(byte, of: 0, from: source)
            // Bytes that had come before, over a connection that ended, don't count either.
            state.arrived(3 * piece, of: 1, from: source)
            try state.check(now: clocks.now)
        }
        wait(15)
        #expect(throws: TransferFailure.self) { try state.check(now: clocks.now) }
    }
}
