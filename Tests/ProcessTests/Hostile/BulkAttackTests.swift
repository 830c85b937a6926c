import Basics
import ControlProtocol
import Crypto
import PeerProtocol
import TestSupport
import Testing

@testable import Transfer

/// Hostile connections for files: tests who may fetch which file, and what a bad receiver can do.
@Suite("Hostile bulk connections to a real daemon", .serialized)
struct BulkAttackTests {
    private static func open(_ transfer: UUIDv7) -> BulkMessage {
        .open(OpenRequest(transfer: transfer, ciphers: [.chacha20Poly1305], manifestDigest: nil))
    }

    /// Makes Anna offer a file to Bert, and returns its id.
    private static func offer(in scene: Scene, bytes: Int = 1_000) throws -> UUIDv7 {
        let path = scene.anna.directory.file("for-bert.txt")
        try TextFile.write(FileProcessTests.content(bytes, seed: 1), to: path)
        return try #require(UUIDv7(try FileProcessTests.offer(path, from: scene.anna, to: scene.bert)))
    }

    @Test("A stranger's bulk connection is closed at once")
    func strangers() throws {
        let scene = try Scene()
        let transfer = try Self.offer(in: scene)
        for _ in 0..<20 {
            let link = try TestPeer().connect(to: scene.anna, purpose: .bulk)
            let bulk = try link.takeBulk()
            try? bulk.send(Self.open(transfer))
            #expect(throws: TransferFailure.self) { try bulk.receive() }
        }
        try scene.expectUnharmed()
    }

    @Test("A friend gets no file of another receiver, and bulk messages of another kind are refused")
    func notTheirs() throws {
        let scene = try Scene()
        let berts = try Self.offer(in: scene)
        let friend = try TestPeer("Fred")
        let session = try friend.befriend(scene.anna)
        for id in [berts, freshID(), .zero] {
            let bulk = try friend.connect(to: scene.anna, purpose: .bulk).takeBulk()
            try bulk.send(Self.open(id))
            guard case .reject(.notFound, _) = try bulk.receive() else {
                Issue.record("\(id) was not refused as unknown")
                continue
            }
        }
        for greeting in [BulkMessage.call(transfer: berts), .done, .credit(.max), .want([0..<1], isComplete: true)] {
            let bulk = try friend.connect(to: scene.anna, purpose: .bulk).takeBulk()
            try bulk.send(greeting)
            if let answer = try? bulk.receive(), case .reject = answer { continue }
            #expect(throws: TransferFailure.self) { try bulk.receive() }
        }
        // These are garbage, and records that are too short.
        for garbage in [
            [UInt8](repeating: 0, count: 100), [UInt8](repeating: 0xFF, count: 200_000), [0, 0], [0, 1, 7],
        ] {
            let bulk = try friend.connect(to: scene.anna, purpose: .bulk).takeBulk()
            try? garbage.withUnsafeBytes { try bulk.sendAll($0) }
            #expect(throws: TransferFailure.self, "\(garbage.prefix(3))") { try bulk.receive() }
        }
        try session.roundTrip()
        // Bert's offer is unchanged, and he gets the file.
        let inbox = try scene.bert.directory.makeDirectory("inbox")
        try scene.bert.call("transfer.accept", ["id": .string("\(berts)"), "path": .string(inbox)])
        #expect(try FileProcessTests.waitForEnd("\(berts)", at: scene.bert).state == .done)
        try scene.expectUnharmed()
    }

    @Test("Impossible requests for one's own file end the connection, not the transfers of others")
    func hostileReceiver() throws {
        let scene = try Scene()
        let friend = try TestPeer("Fred")
        let session = try friend.befriend(scene.anna)
        let path = scene.anna.directory.file("for-fred.txt")
        try TextFile.write(FileProcessTests.content(3_000_000, seed: 2), to: path)
        let wishes: [[BulkMessage]] = [
            [.want([0..<99], isComplete: true)], [.want([0..<1, 0..<1], isComplete: true)],
            [.credit(.max), .credit(.max)],
            [.done], [.call(transfer: freshID())],
            [.want([UInt64.max - 1..<UInt64.max], isComplete: true), .credit(1)],
        ]
        for wish in wishes {
            try scene.anna.call("transfer.send", ["to": .string(friend.id), "paths": [.string(path)]])
            let message = try session.frame(.message)
            let transfer = try #require(try MessageBody(decoding: message.body).attachments.first?.transfer)
            let bulk = try friend.connect(to: scene.anna, purpose: .bulk).takeBulk()
            try bulk.send(Self.open(transfer))
            guard case .accept = try bulk.receive() else {
                Issue.record("an honest open was refused")
                continue
            }
            for message in wish { try? bulk.send(message) }
            // The daemon may read other messages first, but in the end it closes the connection.
            bulk.setTimeout(seconds: 5)
            var sink = 0
            while let count = try? bulk.input.require(1).count, sink < 16 << 20 {
                bulk.input.consume(count)
                sink += count
            }
            #expect(sink < 4 << 20)
        }
        try scene.expectUnharmed(memory: 48 << 20)
    }

    /// Makes Anna offer a file to the friend.
    private static func offered(
        _ path: String, to friend: TestPeer, _ session: PeerLink, by scene: Scene
    ) throws -> UUIDv7 {
        try scene.anna.call("transfer.send", ["to": .string(friend.id), "paths": [.string(path)]])
        let message = try session.frame(.message)
        return try #require(try MessageBody(decoding: message.body).attachments.first?.transfer)
    }

    @Test("A violation ends the connection, the transfer stays open, and the same receiver gets the file afterwards")
    func violationThenFetch() throws {
        let scene = try Scene()
        let friend = try TestPeer("Fred")
        let session = try friend.befriend(scene.anna)
        let path = scene.anna.directory.file("for-fred.txt")
        try TextFile.write(FileProcessTests.content(1_000, seed: 2), to: path)
        let transfer = try Self.offered(path, to: friend, session, by: scene)
        for _ in 0..<2 {
            let bad = try friend.connect(to: scene.anna, purpose: .bulk).takeBulk()
            try bad.send(Self.open(transfer))
            guard case .accept = try bad.receive() else {
                Issue.record("the open was refused")
                return
            }
            try bad.send(.want([0..<99], isComplete: true))
            bad.setTimeout(seconds: 5)
            while let count = try? bad.input.require(1).count { bad.input.consume(count) }
            bad.close()
        }
        let good = try friend.connect(to: scene.anna, purpose: .bulk).takeBulk()
        try good.send(Self.open(transfer))
        guard case .accept = try good.receive() else {
            Issue.record("an honest open behind a violation is refused\n\(scene.anna.logTail)")
            return
        }
        good.close()
        #expect(try !FileProcessTests.transfer("\(transfer)", at: scene.anna).state.isOver)
        try scene.expectUnharmed()
    }

    @Test(
        "An open without a common cipher is refused, and the session says that the transfer has failed"
    )
    func noCipher() throws {
        let scene = try Scene()
        let friend = try TestPeer("Fred")
        let session = try friend.befriend(scene.anna)
        let path = scene.anna.directory.file("for-fred.txt")
        try TextFile.write(FileProcessTests.content(1_000, seed: 2), to: path)
        let transfer = try Self.offered(path, to: friend, session, by: scene)
        let bulk = try friend.connect(to: scene.anna, purpose: .bulk).takeBulk()
        try bulk.send(.open(OpenRequest(transfer: transfer, ciphers: [], manifestDigest: nil)))
        guard case .reject(.unsupported, _) = try bulk.receive() else {
            Issue.record("not refused as unsupported")
            return
        }
        let status = try FileStatusBody(decoding: session.frame(.fileStatus).body)
        #expect(status.transfer == transfer && status.status == .failed && status.refusal?.reason == .unsupported)
        // A further open is refused in words that name the speaker once.
        let again = try friend.connect(to: scene.anna, purpose: .bulk).takeBulk()
        try again.send(Self.open(transfer))
        guard case .reject(_, let detail) = try again.receive() else {
            Issue.record("the open was not refused")
            return
        }
        #expect(!detail.contains("the other side"), "\(detail)")
    }

    @Test("A friend's silent bulk connections don't hold up others' files, and the daemon still stops at once")
    func silent() throws {
        let scene = try Scene()
        let friend = try TestPeer("Fred")
        let session = try friend.befriend(scene.anna)
        var silent: [BulkConnection] = []
        for _ in 0..<30 { silent.append(try friend.connect(to: scene.anna, purpose: .bulk).takeBulk()) }
        try session.roundTrip()
        let transfer = try Self.offer(in: scene, bytes: 2_000_000)
        let inbox = try scene.bert.directory.makeDirectory("inbox")
        try scene.bert.call("transfer.accept", ["id": .string("\(transfer)"), "path": .string(inbox)])
        #expect(try FileProcessTests.waitForEnd("\(transfer)", at: scene.bert).state == .done)
        try scene.expectUnharmed(memory: 48 << 20)
        let begin = SystemClocks().now
        try scene.anna.stop()
        #expect(SystemClocks().now - begin < .seconds(5))
        #expect(silent.count == 30)
    }
}
