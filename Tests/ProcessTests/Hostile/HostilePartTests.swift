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
    /// A friend of Anna's that gives single files by hand.
    private struct Giver {
        let peer: TestPeer
        let listener: RawListener
        let session: PeerLink

        init(_ name: String, at scene: Scene) throws {
            listener = try RawListener()
            peer = try TestPeer(name, listenPort: listener.port)
            session = try peer.befriend(scene.anna)
        }

        /// Offers a file, makes Anna accept it into the folder, and takes her connection until records begin.
        func begin(
            _ transfer: UUIDv7, name: String = "gift", size: Int, mode: UInt64 = 0o644, at scene: Scene,
            into folder: String
        ) throws -> (bulk: BulkConnection, writer: RecordWriter) {
            let now = SystemClocks().wallTime
            let offer = AttachmentBody(
                transfer: transfer, name: name, size: UInt64(size), kind: .document, mediaType: "", fileCount: 1)
            let message = Frame(
                kind: .message, id: freshID(),
                body: try MessageBody(
                    kind: .file, text: "", time: HybridTime(milliseconds: now.milliseconds), sentAt: now,
                    attachments: [offer]
                ).encoded())
            session.send(message)
            #expect(try session.receipt(for: message.id).status == .stored)
            try scene.anna.call("transfer.accept", ["id": .string("\(transfer)"), "path": .string(folder)])
            let link = PeerLink(
                try #require(listener.accept(), "no connection came to fetch the file\n\(scene.anna.logTail)"),
                SecureChannel(accepting: try peer.identity(), now: SystemClocks().now))
            try link.finishHandshake()
            let bulk = try link.takeBulk()
            _ = try bulk.receiveGreeting()
            let key = [UInt8](repeating: 5, count: 32)
            try bulk.send(.accept(.chacha20Poly1305, key: key, sendsManifest: true))
            var copy = key
            let cipher = try BulkCipher(.chacha20Poly1305, key: SecretBytes(moving: &copy))
            let writer = RecordWriter(bulk, cipher: cipher, transfer: transfer)
            let entry: CBOR = .array([
                .unsigned(0), .text(""), .unsigned(0), .unsigned(UInt64(size)), .unsigned(mode), .unsigned(0),
            ])
            let page = CBOR.map([1: .unsigned(0), 2: .array([entry]), 3: .unsigned(1)]).encoded()
            try writer.write(RecordHeader(plaintext: page.count, kind: .manifest), page)
            try writer.flush()
            return (bulk, writer)
        }
    }

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
        let givers = try ["Fred", "Gerd", "Hans"].map { try Giver($0, at: scene) }
        // A sender that knows the end of one id uses it in its own.
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
            lines.append(try giver.begin(id, size: size, at: scene, into: inbox))
        }
        func end(_ index: Int) throws {
            try? Self.end(lines[index].writer, of: contents[index])
            let ended = try FileProcessTests.waitForEnd("\(ids[index])", at: scene.anna, within: .seconds(20))
            #expect(ended.state == .done, "\(index): \(ended)")
            guard let path = ended.path, ended.state == .done else { return }
            #expect(try TextFile.bytes(path) == contents[index], "the file of sender \(index) is mixed")
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
        let giver = try Giver("Fred", at: scene)
        let old = umask(0)
        umask(old)
        for (mode, expected) in [(UInt64(0o666), mode_t(0o644)), (0o777, 0o755), (0o722, 0o755), (0, 0o644)] {
            let id = freshID()
            let line = try giver.begin(id, name: "\(mode)", size: 3, mode: mode, at: scene, into: inbox)
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
