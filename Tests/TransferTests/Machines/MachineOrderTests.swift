import Basics
import Testing

@testable import Transfer

@Suite("Machines against each other in every order")
struct MachineOrderTests {
    /// What survives a cut: stored chunks and left-out files.
    private struct Kept {
        var map: ChunkMap
        var disk: [UInt64: Checksum] = [:]
    }

    @Test(
        "in any order of messages and records, with cuts, skips and refusals, both sides end correctly",
        arguments: 0..<300)
    func orders(_ seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let world = try MachineWorld(&random)
        var kept = Kept(map: ChunkMap(world.layout))
        var bad: [UInt32: UInt32] = [:]
        for file in world.fileNumbers where Int.random(in: 0...5, using: &random) == 0 {
            bad[file] = UInt32.random(in: 0...UInt32(world.layout.chunks(of: file)), using: &random)
        }
        var distasteful: Set<UInt32> = []
        for file in world.fileNumbers where Int.random(in: 0...5, using: &random) == 0 { distasteful.insert(file) }
        var noted: Set<UInt32> = []
        for connection in 0..<20 {
            var sender = MachineSender(world)
            sender.bad = bad
            var receiver = try MachineReceiver(world, having: kept.map, disk: kept.disk)
            receiver.distasteful = distasteful
            let cut = connection < 19 && Bool.random(using: &random) ? Int.random(in: 0...200, using: &random) : .max
            let ended = try run(&sender, &receiver, until: cut, &random)
            noted.formUnion(sender.noted)
            #expect(receiver.diskIsRight())
            if ended {
                check(world, sender, receiver, noted)
                return
            }
            kept = keep(world, receiver, &random)
            // More files fail between connections.
            if let file = world.fileNumbers.randomElement(using: &random), Int.random(in: 0...3, using: &random) == 0 {
                bad[file] = 0
            }
        }
        Issue.record("no end")
    }

    /// Lets one thing happen after another until both are done, or the connection is cut. True when done.
    private func run(
        _ sender: inout MachineSender, _ receiver: inout MachineReceiver, until cut: Int,
        _ random: inout SeededGenerator
    ) throws -> Bool {
        var toReceiver: [PlainRecord] = []
        var toSender: [BulkMessage] = []
        for step in 0..<100_000 {
            if step >= cut { return false }
            if sender.machine.isDone { return true }
            toSender += receiver.outbox
            receiver.outbox = []
            switch Int.random(in: 0...2, using: &random) {
            case 0: if let record = sender.next() { toReceiver.append(record) }
            case 1: if !toReceiver.isEmpty { try receiver.receive(toReceiver.removeFirst()) }
            default: if !toSender.isEmpty { try sender.receive(toSender.removeFirst()) }
            }
            if receiver.machine.isEnded, toReceiver.isEmpty, toSender.isEmpty, receiver.outbox.isEmpty {
                try sender.receive(.done)
            }
        }
        Issue.record("the machines stand still")
        return false
    }

    /// Some of what was received is stored when the connection breaks, and all left-out files are.
    private func keep(_ world: MachineWorld, _ receiver: MachineReceiver, _ random: inout SeededGenerator) -> Kept {
        var kept = Kept(map: ChunkMap(world.layout))
        for file in receiver.machine.map.leftOut { kept.map.leaveOut(file: file) }
        for (index, checksum) in receiver.disk.sorted(by: { $0.key < $1.key })
        where Int.random(in: 0...4, using: &random) > 0 {
            guard let (file, chunk) = world.layout.locate(index) else { continue }
            kept.map.insert(file: file, chunk: chunk)
            kept.disk[index] = checksum
        }
        return kept
    }

    private func check(
        _ world: MachineWorld, _ sender: MachineSender, _ receiver: MachineReceiver, _ noted: Set<UInt32>
    ) {
        let map = receiver.machine.map
        #expect(receiver.machine.isEnded && map.isComplete)
        #expect(sender.bytesDone == map.bytesDone)
        #expect(sender.machine.filesDone == world.manifest.files - map.leftOut.count)
        #expect(map.bytesDone == world.manifest.size - bytes(of: map.leftOut, world))
        // Both sides agree on the left-out files.
        #expect(noted == map.leftOut)
        #expect(receiver.machine.isNothingLeft == (!map.leftOut.isEmpty && map.leftOut.count == world.manifest.files))
        #expect(Set(sender.sent).count == sender.sent.count)
        #expect(sender.sent == sender.sent.sorted())
    }

    private func bytes(of files: Set<UInt32>, _ world: MachineWorld) -> UInt64 {
        files.reduce(0) { $0 + world.manifest.entries[Int($1)].size }
    }

    @Test("a skip takes back exactly what the step took, and waits for its own credit")
    func skipAndCredit() throws {
        let chunk = UInt64(TransferLimits.chunkBytes)
        let manifest = try Manifest([
            ManifestEntry(path: "", kind: .folder, size: 0, mode: 0o755, modified: 0),
            ManifestEntry(path: "a", kind: .file, size: 0, mode: 0o644, modified: 0),
            ManifestEntry(path: "b", kind: .file, size: chunk, mode: 0o644, modified: 0),
        ])
        var sender = SenderMachine(layout: ChunkLayout(manifest))
        try sender.receive(.want([0..<2], isComplete: true))
        let problem = FileProblem(.notAllowed, detail: "open: Permission denied")
        // No step was returned yet that could be taken back.
        var isSkipped = sender.skip(problem)
        #expect(!isSkipped)
        try sender.receive(.credit(48))
        var step = sender.next()
        #expect(step == .chunk(file: 1, chunk: 0, length: 0, isLast: true))
        isSkipped = sender.skip(problem)
        #expect(isSkipped && sender.credit == 48)
        step = sender.next()
        #expect(step == .wait)
        try sender.receive(.credit(UInt64(problem.recordBytes) - 48))
        step = sender.next()
        #expect(step == .skipped(file: 1, problem))
        #expect(sender.credit == 0)
        isSkipped = sender.skip(problem)
        #expect(!isSkipped)
        try sender.receive(.credit(2 * chunk))
        step = sender.next()
        #expect(step == .chunk(file: 2, chunk: 0, length: Int(chunk), isLast: true))
        step = sender.next()
        #expect(step == .fileEnd(file: 2, isWhole: true))
        #expect(sender.filesDone == 1)
        isSkipped = sender.skip(problem)
        #expect(isSkipped && sender.filesDone == 0)
        step = sender.next()
        #expect(step == .skipped(file: 2, problem))
        step = sender.next()
        #expect(step == .end)
        #expect(sender.bytesSent == chunk && sender.bytesLeftOut == chunk)
    }

    @Test("a single file is sent whole or fails; it can't be skipped or refused")
    func single() throws {
        let manifest = try Manifest([ManifestEntry(path: "", kind: .file, size: 5, mode: 0o644, modified: 0)])
        var sender = SenderMachine(layout: ChunkLayout(manifest))
        try sender.receive(.want([0..<1], isComplete: true))
        try sender.receive(.credit(1 << 20))
        _ = sender.next()
        let isSkipped = sender.skip(FileProblem(.sourceChanged))
        #expect(!isSkipped)
        #expect(throws: SenderMachine.Violation.refusals) {
            try sender.receive(.refused([RefusedFile(file: 0, reason: .typeNotAllowed)]))
        }
        var receiver = ReceiverMachine(offer: .init(isFolder: false, size: 5, files: 1), hasManifest: true)
        _ = try receiver.begin(ChunkMap(ChunkLayout(manifest)))
        #expect(throws: ReceiverMachine.Violation.unexpectedRecord(.skipped)) {
            try receiver.check(RecordHeader(plaintext: 9, kind: .skipped, file: 0))
        }
        let isRefused = receiver.refuse(file: 0)
        #expect(!isRefused)
    }
}
