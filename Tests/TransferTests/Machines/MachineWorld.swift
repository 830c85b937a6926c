import Basics
import Testing

@testable import Transfer

/// A folder of random files for tests of the machines alone. A chunk's "content" is a checksum that identifies it.
struct MachineWorld {
    let manifest: Manifest
    let layout: ChunkLayout
    /// Whether each chunk is all zeros, by index.
    let isZero: [Bool]

    init(_ random: inout SeededGenerator) throws {
        let chunk = UInt64(TransferLimits.chunkBytes)
        var entries = [ManifestEntry(path: "", kind: .folder, size: 0, mode: 0o755, modified: 0)]
        for number in 0..<Int.random(in: 0...9, using: &random) {
            if Int.random(in: 0...5, using: &random) == 0 {
                entries.append(ManifestEntry(path: "d\(number)", kind: .folder, size: 0, mode: 0o755, modified: 0))
            }
            let size =
                switch Int.random(in: 0...3, using: &random) {
                case 0: UInt64(0)
                case 1: UInt64.random(in: 1...10, using: &random)
                case 2: chunk * UInt64.random(in: 1...9, using: &random)
                default: chunk * UInt64.random(in: 0...20, using: &random) + 1
                }
            entries.append(ManifestEntry(path: "f\(number)", kind: .file, size: size, mode: 0o644, modified: 0))
        }
        manifest = try Manifest(entries)
        layout = ChunkLayout(manifest)
        var zeros: [Bool] = []
        for _ in 0..<layout.count { zeros.append(Int.random(in: 0...3, using: &random) == 0) }
        isZero = zeros
    }

    var offer: ReceiverMachine.Offer { .init(isFolder: true, size: manifest.size, files: manifest.files) }

    var fileNumbers: [UInt32] { (0..<UInt32(layout.entries)).filter { layout.chunks(of: $0) > 0 } }

    func checksum(file: UInt32, chunk: UInt32) -> Checksum {
        let index = Int(layout.index(file: file, chunk: chunk) ?? 0)
        let length = layout.length(file: file, chunk: chunk)
        return isZero[index] ? Checksum.ofZeros(length) : Checksum(high: UInt64(file), low: UInt64(chunk))
    }

    func checksum(ofFile file: UInt32) -> Checksum {
        Checksum.ofFile((0..<UInt32(layout.chunks(of: file))).map { checksum(file: file, chunk: $0) })
    }

    /// The number of chunks of zeros from one on, in its file.
    func zeros(file: UInt32, from chunk: UInt32) -> UInt64 {
        guard let index = layout.index(file: file, chunk: chunk) else { return 0 }
        var end = index
        while end < layout.indices(of: file).upperBound, isZero[Int(end)] { end += 1 }
        return end - index
    }
}

/// A record without its cipher.
struct PlainRecord: Hashable {
    var header: RecordHeader
    /// The checksum, for data and ends of files.
    var checksum: Checksum?
    /// The number of chunks of a hole.
    var count: UInt32 = 0
}

/// A sender's machine with a source whose files may fail.
struct MachineSender {
    let world: MachineWorld
    var machine: SenderMachine
    /// The files that can't be read any more, and from which chunk on (the number of chunks means at the end).
    var bad: [UInt32: UInt32] = [:]
    var noted: Set<UInt32> = []
    /// Indices sent as content, in order.
    var sent: [UInt64] = []

    init(_ world: MachineWorld) {
        self.world = world
        machine = SenderMachine(layout: world.layout)
    }

    var bytesDone: UInt64 {
        world.manifest.size - machine.bytesWanted + machine.bytesSent - machine.bytesLeftOut
    }

    mutating func receive(_ message: BulkMessage) throws(SenderMachine.Violation) {
        try machine.receive(message)
        if case .refused(let files) = message { noted.formUnion(files.map(\.file)) }
    }

    /// The next record; nil if there is nothing to send.
    mutating func next() -> PlainRecord? {
        while true {
            switch machine.next() {
            case .wait, .awaitDone: return nil
            case .end: return PlainRecord(header: RecordHeader(plaintext: 0, kind: .end))
            case .skipped(let file, let problem):
                noted.insert(file)
                return PlainRecord(
                    header: RecordHeader(plaintext: problem.encoded().count, kind: .skipped, file: file))
            case .fileEnd(let file, let isWhole):
                if let at = bad[file], UInt64(at) <= world.layout.chunks(of: file),
                    machine.skip(FileProblem(.sourceChanged, detail: "while it was read"))
                {
                    continue
                }
                return PlainRecord(
                    header: RecordHeader(plaintext: isWhole ? 16 : 0, kind: .fileEnd, file: file),
                    checksum: isWhole ? world.checksum(ofFile: file) : nil)
            case .chunk(let file, let chunk, let length, let isLast):
                if let at = bad[file], chunk >= at, machine.skip(FileProblem(.notFound)) { continue }
                return content(file, chunk, length, isLast)
            }
        }
    }

    private mutating func content(_ file: UInt32, _ chunk: UInt32, _ length: Int, _ isLast: Bool) -> PlainRecord {
        let index = world.layout.index(file: file, chunk: chunk) ?? 0
        let zeros = world.zeros(file: file, from: chunk)
        if zeros > 0 {
            let count = machine.makeHole(upTo: zeros)
            sent += index..<index + count
            let last = UInt64(chunk) + count == world.layout.chunks(of: file)
            return PlainRecord(
                header: RecordHeader(plaintext: 4, kind: .hole, flags: last ? 1 : 0, file: file, chunk: chunk),
                count: UInt32(count))
        }
        sent.append(index)
        return PlainRecord(
            header: RecordHeader(plaintext: length + 16, kind: .data, flags: isLast ? 1 : 0, file: file, chunk: chunk),
            checksum: world.checksum(file: file, chunk: chunk))
    }
}

/// A receiver's machine with a disk: the written checksum for each index.
struct MachineReceiver {
    let world: MachineWorld
    var machine: ReceiverMachine
    var disk: [UInt64: Checksum]
    /// Files that are refused for their content.
    var distasteful: Set<UInt32> = []
    /// The messages to be sent.
    var outbox: [BulkMessage] = []

    init(
        _ world: MachineWorld, having map: ChunkMap, disk: [UInt64: Checksum]
    ) throws(ReceiverMachine.Violation) {
        self.world = world
        self.disk = disk
        machine = ReceiverMachine(offer: world.offer, hasManifest: true)
        let refused = map.leftOut.sorted().map { RefusedFile(file: $0, reason: .typeNotAllowed) }
        outbox = try machine.begin(map, refused: refused)
    }

    mutating func receive(_ record: PlainRecord) throws(ReceiverMachine.Violation) {
        let header = record.header
        try machine.check(header)
        switch header.kind {
        case .data:
            guard machine.received(header, checksum: record.checksum ?? Checksum(high: 0, low: 0)) else { break }
            if header.chunk == 0, refuse(header.file) { break }
            if let index = world.layout.index(file: header.file, chunk: header.chunk) { disk[index] = record.checksum }
        case .hole:
            guard try machine.receivedHole(header, count: record.count) else { break }
            if header.chunk == 0, refuse(header.file) { break }
            for chunk in header.chunk..<header.chunk + record.count {
                guard let index = world.layout.index(file: header.file, chunk: chunk) else { continue }
                disk[index] = Checksum.ofZeros(world.layout.length(file: header.file, chunk: chunk))
            }
        case .fileEnd: try machine.receivedFileEnd(header, checksum: record.checksum)
        case .skipped: if machine.receivedSkipped(header) { drop(header.file) }
        case .end: try machine.receivedEnd()
        case .manifest, .failed, .leaves, .have: break
        }
        if let credit = machine.drainCredit() { outbox.append(.credit(credit)) }
    }

    private mutating func refuse(_ file: UInt32) -> Bool {
        guard distasteful.contains(file), machine.refuse(file: file) else { return false }
        drop(file)
        outbox.append(.refused([RefusedFile(file: file, reason: .typeNotAllowed)]))
        return true
    }

    private mutating func drop(_ file: UInt32) { for index in world.layout.indices(of: file) { disk[index] = nil } }

    /// Whether the disk holds exactly the chunks of the map, and all of them are the source's.
    func diskIsRight() -> Bool {
        for index in 0..<world.layout.count {
            guard let (file, chunk) = world.layout.locate(index) else { return false }
            let isThere = machine.map.contains(index) && !machine.map.leftOut.contains(file)
            guard disk[index] == (isThere ? world.checksum(file: file, chunk: chunk) : nil) else { return false }
        }
        return true
    }
}
