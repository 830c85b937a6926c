import Basics
import Crypto
import Dispatch
import Glibc
import Testing

@testable import Transfer

@Suite("Chunks that take a while") struct SlowLinkTests {
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

    @Test("What has come of a chunk is told before the rest of it is there")
    func arriving() throws {
        let (left, right) = try connectionPair()
        var key = [UInt8](repeating: 5, count: 32)
        let bytes = try record(TransferLimits.chunkBytes, key: key)
        let reader = RecordReader(
            right, cipher: try BulkCipher(.chacha20Poly1305, key: SecretBytes(moving: &key)), transfer: .zero)
        let told = DispatchSemaphore(value: 0)
        // Each part goes only when the one before has been told of: a reader that waits for all would wait for ever.
        let sending = Background<Int> {
            var parts = 0
            for start in stride(from: 0, to: bytes.count, by: 100_000) {
                let part = bytes[start..<min(bytes.count, start + 100_000)]
                guard (try? part.withUnsafeBytes { try left.sendAll($0) }) != nil else { return parts }
                parts += 1
                // Over the border of a piece it may be told twice, and of a slow reader's parts together.
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

    @Test("What arrives is shown, and is no more than there is")
    func shown() {
        let progress = TransferProgress(
            bytesDone: 100, arriving: 50, size: 200, filesDone: 0, files: 1, bytesPerSecond: 10)
        #expect(progress.bytesShown == 150 && progress.secondsLeft == 5)
        let last = TransferProgress(
            bytesDone: 190, arriving: 50, size: 200, filesDone: 0, files: 1, bytesPerSecond: 10)
        #expect(last.bytesShown == 200 && last.secondsLeft == 0)
    }

    @Test("A group's author is not asked for what others are giving slowly")
    func slowMember() throws {
        let now = Instant(nanoseconds: 0)
        let world = try GatherSimulation(chunks: 1, members: 1, seed: 1)
        for hears in [true, false] {
            var machine = GatherMachine(layout: world.layout, lacking: PlaceSet(allBelow: 1), seed: 1, now: now)
            for source in [1, 2] {
                machine.add(source, isAuthor: source == 1, now: now)
                machine.has(source, 0..<1)
            }
            #expect(machine.next(for: 2, now: now) == .places([0]))
            if hears { machine.hears(now: now + .seconds(8)) }
            #expect((machine.next(for: 1, now: now + .seconds(9)) == nil) == hears)
        }
    }
}
