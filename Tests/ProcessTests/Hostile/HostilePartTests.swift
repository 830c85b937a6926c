import Basics
import ControlProtocol
import Crypto
import Glibc
import PeerProtocol
import TestSupport
import Testing

@testable import Transfer

/// Friends choose the ids and modes of what they send. Goal: no sender's file touches another's on its way, and the
/// receiver alone decides who may write to a received file.
@Suite("Parts and modes of hostile senders at a real daemon", .serialized)
struct HostilePartTests {
    private static func write(_ writer: RecordWriter, chunk: UInt32, of bytes: [UInt8]) throws {
        let start = Int(chunk) * TransferLimits.chunkBytes
        let end = min(bytes.count, start + TransferLimits.chunkBytes)
        try HostileSenderTests.write(
            writer,
            HostileSenderTests.data(Array(bytes[start..<end]), chunk: chunk, isLast: end == bytes.count))
        try writer.flush()
    }

    private static func end(_ writer: RecordWriter, of bytes: [UInt8]) throws {
        var sums: [Checksum] = []
        for start in stride(from: 0, to: max(1, bytes.count), by: TransferLimits.chunkBytes) {
            let end = min(bytes.count, start + TransferLimits.chunkBytes)
            sums.append(bytes[start..<end].withUnsafeBytes { Checksum(of: $0) })
        }
        try writer.write(RecordHeader(plaintext: 16, kind: .fileEnd), Checksum.ofFile(sums).bytes)
        try HostileSenderTests.end(writer)
        try writer.flush()
    }

    /// Waits until a file in the folder has that byte at the beginning of the chunk.
    private static func wait(for byte: UInt8, chunk: Int, in folder: String, at scene: Scene) throws {
        try Patience.until("chunk \(chunk) of \(byte) to be on disk", report: scene.anna.logTail) {
            TemporaryDirectory.names(in: folder).contains { name in
                let file = open(folder + "/" + name, O_RDONLY | O_CLOEXEC)
                guard file >= 0 else { return false }
                defer { close(file) }
                var found: UInt8 = 0
                return pread(file, &found, 1, off_t(chunk * TransferLimits.chunkBytes)) == 1 && found == byte
            }
        }
    }

    @Test(
        "Files with one name and ids with equal ends stay apart, and a cancelled third one takes nothing along"
    )
    func equalEnds() throws {
        let scene = try Scene()
        let inbox = try scene.anna.directory.makeDirectory("inbox")
        let givers = try ["Fred", "Gerd", "Hans"].map { try HostileSender($0, at: scene) }
        // Who knows the end of one id gives it to their own.
        let first = freshID()
        let ids =
            try [first]
            + (1...2).map { number in
                var bytes = freshID().bytes
                bytes[5] ^= UInt8(number)
                return try #require(UUIDv7(bytes: bytes[..<8] + first.bytes[8...]))
            }
        let size = TransferLimits.chunkBytes + 1_000
        let contents = (1...3).map { [UInt8](repeating: UInt8($0), count: size) }
        var lines: [(bulk: BulkConnection, writer: RecordWriter)] = []
        for (giver, id) in zip(givers, ids) {
            lines.append(try giver.beginFile(id, size: size, at: scene, into: inbox))
        }
        func end(_ index: Int) throws {
            try? Self.end(lines[index].writer, of: contents[index])
            let ended = try FileProcessTests.waitForEnd("\(ids[index])", at: scene.anna, within: .seconds(20))
            #expect(ended.state == .done, "\(index): \(ended)")
            guard let path = ended.path, ended.state == .done else { return }
            #expect(try TextFile.holds(path, contents[index]), "the file of sender \(index) is mixed")
        }
        // All begin. The second gives the rest, the first gives its end over that, and then the second reports that it
        // is done.
        for index in 0..<3 {
            try Self.write(lines[index].writer, chunk: 0, of: contents[index])
            try Self.wait(for: UInt8(index + 1), chunk: 0, in: inbox, at: scene)
        }
        try Self.write(lines[1].writer, chunk: 1, of: contents[1])
        try Self.wait(for: 2, chunk: 1, in: inbox, at: scene)
        try Self.write(lines[0].writer, chunk: 1, of: contents[0])
        try Self.wait(for: 1, chunk: 1, in: inbox, at: scene)
        try end(1)
        try scene.anna.call("transfer.cancel", ["id": .string("\(ids[2])")])
        try Patience.until("the third one's part to be removed", report: scene.anna.logTail) {
            TemporaryDirectory.names(in: inbox).count <= 2
        }
        try end(0)
        #expect(TemporaryDirectory.names(in: inbox).sorted() == ["gift", "gift (1)"])
        for line in lines { line.bulk.close() }
    }

    @Test("Whatever modes a sender names, no other user may write to a received file, and the receiver's mask holds")
    func modes() throws {
        let scene = try Scene()
        let inbox = try scene.anna.directory.makeDirectory("inbox")
        let giver = try HostileSender("Fred", at: scene)
        let old = umask(0)
        umask(old)
        for (mode, expected) in [(UInt64(0o666), mode_t(0o644)), (0o777, 0o755), (0o722, 0o755), (0, 0o644)] {
            let id = freshID()
            let line = try giver.beginFile(id, name: "\(mode)", size: 3, mode: mode, at: scene, into: inbox)
            try Self.write(line.writer, chunk: 0, of: [1, 2, 3])
            try Self.end(line.writer, of: [1, 2, 3])
            #expect(try FileProcessTests.waitForEnd("\(id)", at: scene.anna).state == .done)
            line.bulk.close()
            var status = stat()
            #expect(stat("\(inbox)/\(mode)", &status) == 0)
            let found = status.st_mode & 0o7777
            #expect(found == expected & ~old | 0o600, "\(String(mode, radix: 8)) became \(String(found, radix: 8))")
        }
    }
}
