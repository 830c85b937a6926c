import Basics
import Testing

@testable import Transfer

private func manifest(_ sizes: [UInt64]) throws -> Manifest {
    try Manifest(
        [ManifestEntry(path: "", kind: .folder, size: 0, mode: 0o755, modified: 0)]
            + sizes.enumerated().map {
                ManifestEntry(path: "f\($0)", kind: .file, size: $1, mode: 0o644, modified: 0)
            })
}

private let chunk = UInt64(TransferLimits.chunkBytes)

/// Sizes around chunk borders, for a few files.
private func randomSizes(_ random: inout SeededGenerator) -> [UInt64] {
    (0..<Int.random(in: 0...12, using: &random)).map { _ in
        switch Int.random(in: 0...4, using: &random) {
        case 0: 0
        case 1: UInt64.random(in: 1...10, using: &random)
        case 2: chunk * UInt64.random(in: 1...70, using: &random)
        case 3: chunk * UInt64.random(in: 1...3, using: &random) - 1
        default: chunk * UInt64.random(in: 0...130, using: &random) + 1
        }
    }
}

@Suite("Chunk layout and map")
struct ChunkMapTests {
    @Test("indices, chunks and lengths agree with each other and with the sizes", arguments: 0..<30)
    func layout(_ seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let sizes = randomSizes(&random)
        let layout = ChunkLayout(try manifest(sizes))
        var chunkIndex: UInt64 = 0
        for (index, size) in sizes.enumerated() {
            let file = UInt32(index + 1)
            var bytes: UInt64 = 0
            for number in 0..<layout.chunks(of: file) {
                let chunk = UInt32(number)
                #expect(layout.index(file: file, chunk: chunk) == chunkIndex)
                let located = try #require(layout.locate(chunkIndex))
                #expect(located.file == file && located.chunk == chunk)
                bytes += UInt64(layout.length(file: file, chunk: chunk))
                chunkIndex += 1
            }
            #expect(bytes == size)
            #expect(layout.chunks(of: file) == max(1, (size + chunk - 1) / chunk))
            #expect(layout.index(file: file, chunk: UInt32(layout.chunks(of: file))) == nil)
            #expect(layout.bytes(file: file, chunk: 0, count: .max) == size)
        }
        #expect(layout.count == chunkIndex)
        #expect(layout.locate(chunkIndex) == nil)
        #expect(layout.locate(.max) == nil)
        #expect(layout.index(file: 0, chunk: 0) == nil)
        #expect(layout.index(file: .max, chunk: .max) == nil)
        #expect(layout.length(file: .max, chunk: 0) == 0)
    }

    @Test("the map agrees with a plain set after random insertions", arguments: 0..<40)
    func map(_ seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let layout = ChunkLayout(try manifest(randomSizes(&random)))
        var map = ChunkMap(layout)
        var model: Set<UInt64> = []
        let count = layout.count
        for _ in 0..<(count == 0 ? 0 : Int.random(in: 0...Int(count) * 2, using: &random)) {
            let chunkIndex = UInt64.random(in: 0..<count, using: &random)
            let (file, chunk) = try #require(layout.locate(chunkIndex))
            let isNew = map.insert(file: file, chunk: chunk)
            #expect(isNew == model.insert(chunkIndex).inserted)
        }
        let missing = map.missing(limit: .max)
        #expect(Set(missing.flatMap { Array($0) }) == Set(0..<count).subtracting(model))
        #expect(zip(missing, missing.dropFirst()).allSatisfy { $0.upperBound < $1.lowerBound })
        #expect(map.chunksDone == UInt64(model.count))
        #expect(map.isComplete == (UInt64(model.count) == count))
        for chunkIndex in 0..<count { #expect(map.contains(chunkIndex) == model.contains(chunkIndex)) }
        let bytes = model.reduce(UInt64(0)) { sum, chunkIndex in
            layout.locate(chunkIndex).map { sum + UInt64(layout.length(file: $0.file, chunk: $0.chunk)) } ?? sum
        }
        #expect(map.bytesDone == bytes)
        // With a limit no gap is forgotten.
        let few = map.missing(limit: 3)
        #expect(few.count <= 3)
        #expect(Set(few.flatMap { Array($0) }).isSuperset(of: Set(missing.flatMap { Array($0) })))
        let outside = map.insert(file: .max, chunk: 0)
        #expect(!outside)
    }
}

private func expectNext(_ sender: inout SenderMachine, _ step: SenderMachine.Step) throws {
    let next = sender.next()
    #expect(next == step)
}

@Suite("Sender and receiver machines")
struct MachineTests {
    @Test("for any map the sender sends exactly the missing chunks, and the receiver ends complete", arguments: 0..<60)
    func together(_ seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let manifest = try manifest(randomSizes(&random))
        let layout = ChunkLayout(manifest)
        var have = ChunkMap(layout)
        for chunkIndex in 0..<layout.count where Int.random(in: 0...3, using: &random) == 0 {
            if let (file, chunk) = layout.locate(chunkIndex) { have.insert(file: file, chunk: chunk) }
        }
        var sender = SenderMachine(layout: layout)
        var receiver = ReceiverMachine(
            offer: .init(isFolder: true, size: manifest.size, files: manifest.files), hasManifest: false)
        for page in ManifestCodec.pages(of: manifest) {
            try receiver.check(RecordHeader(plaintext: page.count, kind: .manifest))
            _ = try receiver.append(page: page[...])
        }
        for message in try receiver.begin(have) { try sender.receive(message) }
        var steps = 0
        loop: while true {
            steps += 1
            try #require(steps < 20_000)
            switch sender.next() {
            case .wait:
                Issue.record("the sender waits though everything was granted")
                return
            case .chunk(let file, let number, let length, let isLast):
                #expect(length == layout.length(file: file, chunk: number))
                let flags = isLast ? RecordHeader.lastChunk : 0
                if Int.random(in: 0...4, using: &random) == 0 {
                    let count = sender.makeHole(upTo: .random(in: 0...200, using: &random))
                    let last = UInt64(number) + count == layout.chunks(of: file)
                    let header = RecordHeader(
                        plaintext: 4, kind: .hole, flags: last ? RecordHeader.lastChunk : 0, file: file, chunk: number)
                    try receiver.check(header)
                    try receiver.receivedHole(header, count: UInt32(count))
                } else {
                    let header = RecordHeader(
                        plaintext: length + 16, kind: .data, flags: flags, file: file, chunk: number)
                    try receiver.check(header)
                    _ = receiver.received(header, checksum: Checksum.ofZeros(length))
                }
            case .fileEnd(let file, let isWhole):
                let all = (0..<layout.chunks(of: file)).map {
                    Checksum.ofZeros(layout.length(file: file, chunk: UInt32($0)))
                }
                let header = RecordHeader(plaintext: isWhole ? 16 : 0, kind: .fileEnd, file: file)
                try receiver.check(header)
                try receiver.receivedFileEnd(header, checksum: isWhole ? Checksum.ofFile(all) : nil)
            case .end:
                try receiver.check(RecordHeader(plaintext: 0, kind: .end))
                try receiver.receivedEnd()
                try sender.receive(.done)
            case .skipped:
                Issue.record("nothing was to be skipped")
                return
            case .awaitDone: break loop
            }
            if let credit = receiver.drainCredit() { try sender.receive(.credit(credit)) }
        }
        #expect(receiver.isEnded && sender.isDone)
        #expect(receiver.map.isComplete)
        #expect(receiver.map.bytesDone == manifest.size)
        #expect(sender.bytesSent == sender.bytesWanted)
        #expect(sender.filesDone == manifest.files)
        // The open credit is the window, less what was consumed since the last grant.
        #expect(sender.credit <= TransferLimits.window)
        #expect(sender.credit > TransferLimits.window - TransferLimits.creditStep)
    }

    @Test("a sender refuses ranges out of bounds, backwards, overlapping or too many, and overflowing credit")
    func hostileReceiver() throws {
        let layout = ChunkLayout(try manifest([chunk * 10]))
        func violation(_ messages: [BulkMessage]) -> SenderMachine.Violation? {
            var sender = SenderMachine(layout: layout)
            do throws(SenderMachine.Violation) { for message in messages { try sender.receive(message) } } catch {
                return error
            }
            return nil
        }
        #expect(violation([.want([0..<10], isComplete: true)]) == nil)
        #expect(violation([.want([0..<11], isComplete: true)]) == .ranges)
        #expect(violation([.want([UInt64.max - 1..<UInt64.max], isComplete: true)]) == .ranges)
        #expect(violation([.want([5..<6, 0..<1], isComplete: true)]) == .ranges)
        #expect(violation([.want([0..<5, 4..<6], isComplete: true)]) == .ranges)
        #expect(violation([.want([0..<5], isComplete: false), .want([4..<6], isComplete: true)]) == .ranges)
        #expect(violation([.want([], isComplete: true), .want([], isComplete: true)]) == .ranges)
        #expect(violation([.credit(TransferLimits.openCredit)]) == nil)
        #expect(violation([.credit(.max)]) == .credit)
        #expect(violation([.credit(TransferLimits.openCredit), .credit(1)]) == .credit)
        #expect(violation([.credit(1), .credit(.max)]) == .credit)
        #expect(violation([.done]) == .unexpectedMessage)
        #expect(violation([.want([0..<1], isComplete: true), .done]) == .unexpectedMessage)
        #expect(violation([.call(transfer: .zero)]) == .unexpectedMessage)
    }

    @Test("a sender stops where its credit ends and continues exactly there")
    func credit() throws {
        var sender = SenderMachine(layout: ChunkLayout(try manifest([chunk * 3])))
        try expectNext(&sender, .wait)
        try sender.receive(.want([0..<3], isComplete: true))
        try expectNext(&sender, .wait)
        try sender.receive(.credit(chunk + 48 - 1))
        try expectNext(&sender, .wait)
        try sender.receive(.credit(1))
        try expectNext(&sender, .chunk(file: 1, chunk: 0, length: Int(chunk), isLast: false))
        try expectNext(&sender, .wait)
        #expect(sender.credit == 0)
        // A hole gives back the credit that it doesn't need.
        let covered = sender.makeHole(upTo: 2)
        #expect(covered == 2)
        #expect(sender.credit == chunk + 48 - 36)
    }

    @Test("a receiver refuses chunks not requested, repeated, out of order or of wrong length, and ungranted ones")
    func hostileSender() throws {
        let manifest = try manifest([chunk * 20, 10])
        let offer = ReceiverMachine.Offer(isFolder: true, size: manifest.size, files: 2)
        func machine(having: [UInt32] = []) throws -> ReceiverMachine {
            var machine = ReceiverMachine(offer: offer, hasManifest: true)
            var map = ChunkMap(ChunkLayout(manifest))
            for number in having { map.insert(file: 1, chunk: number) }
            _ = try machine.begin(map)
            return machine
        }
        func data(_ file: UInt32, _ number: UInt32, _ length: Int, last: Bool = false) -> RecordHeader {
            RecordHeader(plaintext: length + 16, kind: .data, flags: last ? 1 : 0, file: file, chunk: number)
        }
        func violation(_ machine: ReceiverMachine, _ headers: [RecordHeader]) -> ReceiverMachine.Violation? {
            var machine = machine
            do throws(ReceiverMachine.Violation) {
                for header in headers {
                    try machine.check(header)
                    if header.kind == .data { _ = machine.received(header, checksum: Checksum(high: 0, low: 0)) }
                }
            } catch { return error }
            return nil
        }
        let full = Int(chunk)
        let fresh = try machine()
        #expect(violation(fresh, [data(1, 0, full)]) == nil)
        #expect(violation(fresh, [data(1, 1, full)]) == .notAsked(file: 1, chunk: 1))
        #expect(violation(fresh, [data(1, 0, full), data(1, 0, full)]) == .notAsked(file: 1, chunk: 0))
        #expect(violation(fresh, [data(1, 0, full), data(2, 0, 10, last: true)]) == .notAsked(file: 2, chunk: 0))
        #expect(violation(fresh, [data(9, 0, full)]) == .notAsked(file: 9, chunk: 0))
        #expect(violation(fresh, [data(1, .max, full)]) == .notAsked(file: 1, chunk: .max))
        #expect(violation(fresh, [data(0, 0, 0)]) == .notAsked(file: 0, chunk: 0))
        #expect(violation(fresh, [data(1, 0, full - 1)]) == .length(file: 1, chunk: 0))
        #expect(violation(fresh, [data(1, 0, full, last: true)]) == .length(file: 1, chunk: 0))
        #expect(violation(fresh, [RecordHeader(plaintext: 0, kind: .fileEnd, file: 1)]) == .unexpectedRecord(.fileEnd))
        #expect(violation(fresh, [RecordHeader(plaintext: 9, kind: .manifest)]) == .unexpectedRecord(.manifest))
        #expect(violation(try machine(having: [0]), [data(1, 0, full)]) == .notAsked(file: 1, chunk: 0))
        #expect(violation(try machine(having: [0]), [data(1, 1, full)]) == nil)
        // The window holds seven full chunks.
        #expect(violation(fresh, (0..<8).map { data(1, $0, full) }) == .credit)
        var early = fresh
        #expect(throws: ReceiverMachine.Violation.incomplete) { try early.receivedEnd() }
        for count: UInt32 in [0, 21, .max] {
            var holes = fresh
            let header = RecordHeader(plaintext: 4, kind: .hole, file: 1, chunk: 0)
            try holes.check(header)
            #expect(throws: ReceiverMachine.Violation.self) { try holes.receivedHole(header, count: count) }
        }
        var other = ReceiverMachine(offer: .init(isFolder: true, size: manifest.size + 1, files: 2), hasManifest: false)
        #expect(throws: ReceiverMachine.Violation.manifestDiffers) {
            for page in ManifestCodec.pages(of: manifest) { _ = try other.append(page: page[...]) }
        }
    }
}

@Suite("Messages and record headers")
struct WireTests {
    static let messages: [BulkMessage] = [
        .call(transfer: UUIDv7(high: 1, low: 2)),
        .open(
            OpenRequest(
                transfer: UUIDv7(high: 1, low: 2), ciphers: [.aes256GCM, .chacha20Poly1305], manifestDigest: nil)),
        .open(OpenRequest(transfer: .zero, ciphers: [], manifestDigest: Checksum(high: 3, low: 4))),
        .accept(.chacha20Poly1305, key: Array(repeating: 7, count: 32), sendsManifest: true),
        .reject(.notFound, detail: "gone"), .want([], isComplete: true),
        .want([0..<5, 9..<(1 << 40)], isComplete: false),
        .credit(8 << 20), .done, .failed(.noSpace, detail: ""),
        .refused([RefusedFile(file: 1, reason: .typeNotAllowed), RefusedFile(file: .max, reason: .tooLarge)]),
        .ask([0..<5, 5..<6, 9..<(1 << 40)], count: 64),
    ]

    @Test("every message survives the wire", arguments: messages)
    func roundTrip(_ message: BulkMessage) throws {
        #expect(try BulkMessage(decoding: message.encoded()[...]) == message)
    }

    @Test("truncated and altered messages are refused or read as messages, and never trap", arguments: messages)
    func malformed(_ message: BulkMessage) {
        let bytes = message.encoded()
        for end in 0..<bytes.count {
            #expect(throws: BulkMessage.Malformed.self) { _ = try BulkMessage(decoding: bytes[..<end]) }
        }
        for index in bytes.indices {
            for value: UInt8 in [0, 1, 0x1B, 0x5F, 0x9F, 0xFF] {
                var altered = bytes
                altered[index] = value
                _ = try? BulkMessage(decoding: altered[...])
            }
        }
    }

    @Test("ranges that overflow or are empty are refused, and ciphers of later versions are skipped")
    func details() throws {
        func want(_ numbers: [UInt64]) -> BulkMessage? {
            let map: CBORMap = [0: .unsigned(4), 1: .array(numbers.map { .unsigned($0) }), 2: .boolean(true)]
            return try? BulkMessage(decoding: CBOR.map(map).encoded()[...])
        }
        #expect(want([1, 2]) == .want([1..<3], isComplete: true))
        #expect(want([.max, 1]) == nil)
        #expect(want([1, 0]) == nil)
        #expect(want([1]) == nil)
        #expect(want(Array(repeating: 1, count: TransferLimits.rangesPerMessage * 2 + 2)) == nil)
        // A request that repeats the same indices is refused, so that they aren't looked at a thousand times.
        for ranges in [[0..<5, 4..<6], [3..<5, 0..<1], [0..<9, 0..<9]] as [[Range<UInt64>]] {
            #expect(throws: BulkMessage.Malformed.self) {
                try BulkMessage(decoding: BulkMessage.ask(ranges, count: 1).encoded()[...])
            }
        }
        let open: CBORMap = [
            0: .unsigned(1), 1: .unsigned(1), 2: .bytes(Array(repeating: 0, count: 16)),
            3: .array([.unsigned(9), .unsigned(1)]),
            99: .text("from the future"),
        ]
        let expected = OpenRequest(transfer: .zero, ciphers: [.chacha20Poly1305], manifestDigest: nil)
        #expect(try BulkMessage(decoding: CBOR.map(open).encoded()[...]) == .open(expected))
    }

    @Test("the longest want message fits a Noise message")
    func longest() {
        let ranges = (0..<TransferLimits.rangesPerMessage).map { index -> Range<UInt64> in
            let start = UInt64(1) << 62 + UInt64(index) << 33
            return start..<start + 1 << 32
        }
        #expect(BulkMessage.want(ranges, isComplete: true).encoded().count + 16 <= 65_535)
    }

    @Test("the longest refused message fits a Noise message; an empty or longer one is refused")
    func refused() {
        func message(_ count: Int) -> [UInt8] {
            BulkMessage.refused(
                (0..<count).map { RefusedFile(file: .max - UInt32($0), reason: .typeNotAllowed) }
            ).encoded()
        }
        let longest = message(TransferLimits.refusalsPerMessage)
        #expect(longest.count + 16 <= 65_535)
        #expect((try? BulkMessage(decoding: longest[...])) != nil)
        #expect((try? BulkMessage(decoding: message(TransferLimits.refusalsPerMessage + 1)[...])) == nil)
        #expect((try? BulkMessage(decoding: message(0)[...])) == nil)
        let future: CBORMap = [0: .unsigned(8), 1: .array([.array([.unsigned(3), .text("haunted"), .unsigned(1)])])]
        #expect(
            (try? BulkMessage(decoding: CBOR.map(future).encoded()[...]))
                == .refused([RefusedFile(file: 3, reason: .internal)]))
    }

    @Test("a problem's text survives the wire and is cut where it is too long; malformed bytes are refused")
    func problems() {
        let problem = FileProblem(.notAllowed, detail: "open: Permission denied")
        #expect(FileProblem(decoding: problem.encoded()[...]) == problem)
        let long = FileProblem(.notFound, detail: String(repeating: "\u{1F980}", count: 5_000))
        #expect(long.encoded().count <= 2_048)
        #expect(FileProblem(decoding: long.encoded()[...]) == long)
        let bytes = problem.encoded()
        for end in 0..<bytes.count { #expect(FileProblem(decoding: bytes[..<end]) == nil) }
    }

    @Test("a header of another length, kind, flag or reserved bits is refused before its body is read")
    func headers() throws {
        let good = RecordHeader(plaintext: 100, kind: .data, flags: 1, file: 7, chunk: 9)
        #expect(RecordHeader(good.bytes) == good)
        func altered(_ index: Int, _ value: UInt8) -> RecordHeader? {
            var bytes = good.bytes
            bytes[index] = value
            return RecordHeader(bytes)
        }
        #expect(altered(0, 1) == nil)
        #expect(altered(1, 0xFF) == nil)
        #expect(altered(4, 0) == nil)
        #expect(altered(4, 10) == nil)
        #expect(altered(5, 2) == nil)
        #expect(altered(6, 1) == nil)
        #expect(altered(7, 1) == nil)
        #expect(RecordHeader(Array(repeating: 0, count: 16)) == nil)
        #expect(RecordHeader(Array(repeating: 0xFF, count: 16)) == nil)
        #expect(RecordHeader(Array(good.bytes[..<15])) == nil)
        let largest = RecordHeader(plaintext: TransferLimits.chunkBytes + 16, kind: .data)
        #expect(RecordHeader(largest.bytes) == largest)
        #expect(RecordHeader(RecordHeader(plaintext: TransferLimits.chunkBytes + 17, kind: .data).bytes) == nil)
    }
}
