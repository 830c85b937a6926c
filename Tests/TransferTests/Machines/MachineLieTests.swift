import Basics
import Testing

@testable import Transfer

@Suite("Machines against lying peers")
struct MachineLieTests {
    /// The records of an honest sender for a receiver that has nothing; some files are skipped.
    private func honest(_ world: MachineWorld, _ random: inout SeededGenerator) throws -> [PlainRecord] {
        var sender = MachineSender(world)
        if let file = world.fileNumbers.randomElement(using: &random), Bool.random(using: &random) {
            sender.bad[file] = UInt32.random(in: 0...UInt32(world.layout.chunks(of: file)), using: &random)
        }
        try sender.receive(.credit(TransferLimits.openCredit))
        try sender.receive(.want(world.layout.count > 0 ? [0..<world.layout.count] : [], isComplete: true))
        var records: [PlainRecord] = []
        while let record = sender.next() { records.append(record) }
        return records
    }

    private func altered(
        _ record: PlainRecord, _ world: MachineWorld, _ random: inout SeededGenerator
    ) -> PlainRecord {
        let header = record.header
        var plaintext = header.plaintextBytes
        var kind = header.kind
        var flags = header.flags
        var (file, chunk) = (header.file, header.chunk)
        var out = record
        switch Int.random(in: 0...6, using: &random) {
        case 0: plaintext = Int.random(in: 0...(1 << 20) + 16, using: &random)
        case 1: kind = [.data, .hole, .fileEnd, .end, .skipped, .manifest].randomElement(using: &random) ?? .end
        case 2: flags ^= 1
        case 3: file = UInt32.random(in: 0...UInt32(world.layout.entries), using: &random)
        case 4: chunk = UInt32.random(in: 0...30, using: &random)
        case 5: out.checksum = Checksum(high: 7, low: random.next())
        default: out.count = [0, 1, out.count &+ 1, .max].randomElement(using: &random) ?? 0
        }
        out.header = RecordHeader(plaintext: plaintext, kind: kind, flags: flags, file: file, chunk: chunk)
        return out
    }

    @Test(
        "a sender that repeats, drops, swaps, alters or invents records is detected or has done no harm",
        arguments: 0..<600)
    func sender(_ seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let world = try MachineWorld(&random)
        var records = try honest(world, &random)
        for _ in 0..<Int.random(in: 1...3, using: &random) {
            let index = Int.random(in: 0..<records.count, using: &random)
            switch Int.random(in: 0...5, using: &random) {
            case 0: records.insert(records[index], at: Int.random(in: 0...records.count, using: &random))
            case 1: if records.count > 1 { records.remove(at: index) }
            case 2: records.swapAt(index, Int.random(in: 0..<records.count, using: &random))
            case 3: records[index] = altered(records[index], world, &random)
            case 4: records.insert(altered(records[index], world, &random), at: index)
            default:
                let file = UInt32.random(in: 0...UInt32(world.layout.entries), using: &random)
                records.insert(
                    PlainRecord(header: RecordHeader(plaintext: 20, kind: .skipped, file: file)), at: index)
            }
        }
        var receiver = try MachineReceiver(world, having: ChunkMap(world.layout), disk: [:])
        var seen: [UInt64: Int] = [:]
        do throws(ReceiverMachine.Violation) {
            for record in records {
                let before = receiver.machine.map
                try receiver.receive(record)
                guard record.header.kind == .data || record.header.kind == .hole else { continue }
                for chunkIndex in 0..<world.layout.count
                where !before.contains(chunkIndex) && receiver.machine.map.contains(chunkIndex) {
                    seen[chunkIndex, default: 0] += 1
                }
            }
        } catch { return }
        guard receiver.machine.isEnded else { return }
        // It ended well, so every chunk came exactly once, or its file was left out and nothing of it is on disk.
        #expect(receiver.machine.map.isComplete)
        for chunkIndex in 0..<world.layout.count {
            let (file, chunk) = try #require(world.layout.locate(chunkIndex))
            if receiver.machine.map.leftOut.contains(file) {
                #expect(receiver.disk[chunkIndex] == nil)
            } else {
                #expect(seen[chunkIndex] == 1)
                // Only a file whose end came without a checksum could hold other content, and the honest sender gives
                // each file's checksum.
                #expect(receiver.disk[chunkIndex] == world.checksum(file: file, chunk: chunk), "file \(file)")
            }
        }
    }

    @Test(
        "a receiver that lies about wants, credit and refusals is detected, and never gets more than it granted",
        arguments: 0..<600)
    func receiver(_ seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let world = try MachineWorld(&random)
        var sender = MachineSender(world)
        var granted: UInt64 = 0
        var used: UInt64 = 0
        var wanted: Set<UInt64> = []
        var refused: Set<UInt32> = []
        for _ in 0..<200 {
            let message = lie(world, &random)
            do throws(SenderMachine.Violation) { try sender.receive(message) } catch { return }
            switch message {
            case .want(let ranges, _):
                for range in ranges {
                    // There was no violation, so it must have been a new range within the sequence.
                    try #require(range.upperBound <= world.layout.count)
                    for chunkIndex in range { #expect(wanted.insert(chunkIndex).inserted) }
                }
            case .credit(let bytes): granted += bytes
            case .refused(let files):
                for file in files {
                    #expect(world.layout.chunks(of: file.file) > 0)
                    #expect(refused.insert(file.file).inserted)
                }
            case .done: #expect(sender.machine.isDone)
            default: Issue.record("\(message) was taken")
            }
            for _ in 0..<Int.random(in: 0...20, using: &random) {
                guard let record = sender.next() else { break }
                if record.header.kind != .end { used += UInt64(record.header.recordBytes) }
            }
            #expect(used <= granted)
            #expect(Set(sender.sent).isSubset(of: wanted))
            #expect(Set(sender.sent).count == sender.sent.count)
        }
    }

    private func lie(_ world: MachineWorld, _ random: inout SeededGenerator) -> BulkMessage {
        switch Int.random(in: 0...11, using: &random) {
        case 0...3:
            let count = world.layout.count
            let first = UInt64.random(in: 0...count, using: &random)
            let length =
                Int.random(in: 0...30, using: &random) == 0 ? UInt64.max / 2 : .random(in: 1...9, using: &random)
            return .want([first..<first + length], isComplete: Int.random(in: 0...3, using: &random) == 0)
        case 4...7:
            return .credit(
                Int.random(in: 0...30, using: &random) == 0 ? .max : .random(in: 0...3_000_000, using: &random))
        case 8, 9:
            let file = UInt32.random(in: 0...UInt32(world.layout.entries + 1), using: &random)
            return .refused([RefusedFile(file: file, reason: .typeNotAllowed)])
        case 10: return .want([], isComplete: true)
        default: return Bool.random(using: &random) ? .done : .call(transfer: .zero)
        }
    }

    @Test("refusals for missing files, for a folder, twice, or after the end are violations")
    func refusals() throws {
        let manifest = try Manifest([
            ManifestEntry(path: "", kind: .folder, size: 0, mode: 0o755, modified: 0),
            ManifestEntry(path: "d", kind: .folder, size: 0, mode: 0o755, modified: 0),
            ManifestEntry(path: "d/a", kind: .file, size: 1, mode: 0o644, modified: 0),
        ])
        func violation(_ messages: [BulkMessage]) -> SenderMachine.Violation? {
            var sender = SenderMachine(layout: ChunkLayout(manifest))
            do throws(SenderMachine.Violation) { for message in messages { try sender.receive(message) } } catch {
                return error
            }
            return nil
        }
        func refused(_ files: UInt32...) -> BulkMessage {
            .refused(files.map { RefusedFile(file: $0, reason: .typeNotAllowed) })
        }
        #expect(violation([refused(2)]) == nil)
        for message in [refused(0), refused(1), refused(3), refused(.max), refused(2, 2)] {
            #expect(violation([message]) == .refusals)
        }
        #expect(violation([refused(2), refused(2)]) == .refusals)
        var sender = SenderMachine(layout: ChunkLayout(manifest))
        try sender.receive(.want([], isComplete: true))
        let step = sender.next()
        #expect(step == .end)
        try sender.receive(.done)
        #expect(throws: SenderMachine.Violation.unexpectedMessage) { try sender.receive(refused(2)) }
    }

    @Test("skips of a file that was sent whole, is not due, or doesn't exist are violations")
    func skips() throws {
        let chunk = UInt64(TransferLimits.chunkBytes)
        let manifest = try Manifest([
            ManifestEntry(path: "", kind: .folder, size: 0, mode: 0o755, modified: 0),
            ManifestEntry(path: "a", kind: .file, size: 2 * chunk, mode: 0o644, modified: 0),
            ManifestEntry(path: "b", kind: .file, size: 1, mode: 0o644, modified: 0),
        ])
        func skip(_ file: UInt32, flags: UInt8 = 0, chunk: UInt32 = 0) -> RecordHeader {
            RecordHeader(plaintext: 20, kind: .skipped, flags: flags, file: file, chunk: chunk)
        }
        func machine(_ chunks: UInt32, ended: Bool = false) throws -> ReceiverMachine {
            var machine = ReceiverMachine(
                offer: .init(isFolder: true, size: manifest.size, files: 2), hasManifest: true)
            _ = try machine.begin(ChunkMap(ChunkLayout(manifest)))
            for number in 0..<chunks {
                let header = RecordHeader(
                    plaintext: Int(chunk) + 16, kind: .data, flags: number == 1 ? 1 : 0, file: 1, chunk: number)
                try machine.check(header)
                _ = machine.received(header, checksum: Checksum(high: 0, low: 0))
            }
            guard ended else { return machine }
            let end = RecordHeader(plaintext: 0, kind: .fileEnd, file: 1)
            try machine.check(end)
            try machine.receivedFileEnd(end, checksum: nil)
            return machine
        }
        func isRefused(_ header: RecordHeader, _ machine: ReceiverMachine) -> Bool {
            var machine = machine
            do throws(ReceiverMachine.Violation) { try machine.check(header) } catch { return true }
            return false
        }
        // A file can be skipped at its turn, half way, and in place of its end, but not after that.
        #expect(!isRefused(skip(1), try machine(0)))
        #expect(!isRefused(skip(1), try machine(1)))
        #expect(!isRefused(skip(1), try machine(2)))
        #expect(isRefused(skip(1), try machine(2, ended: true)))
        #expect(!isRefused(skip(2), try machine(2, ended: true)))
        for header in [skip(0), skip(2), skip(3), skip(.max), skip(1, flags: 1), skip(1, chunk: 1)] {
            #expect(isRefused(header, try machine(0)))
        }
        #expect(isRefused(skip(2), try machine(1)))
        // Half a file is gone once it was skipped.
        var half = try machine(1)
        #expect(half.map.bytesDone == chunk)
        try half.check(skip(1))
        let isNews = half.receivedSkipped(skip(1))
        #expect(isNews && half.map.bytesDone == 0 && half.map.leftOut == [1])
    }
}
