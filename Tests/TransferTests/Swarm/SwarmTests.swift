import Basics
import Crypto
import Foundation
import Glibc
import Testing
import Vocabulary

@testable import Transfer

@Suite("Files of groups over sockets", .serialized)
struct SwarmTests {
    private struct NoSecrets: ContentInspector {
        func refusal(ofName path: String) -> Reason? { path.hasSuffix(".exe") ? .typeNotAllowed : nil }
        func refusal(ofContent bytes: UnsafeRawBufferPointer, path: String) throws -> Reason? {
            bytes.prefix(6).elementsEqual("secret".utf8) ? .typeNotAllowed : nil
        }
    }

    private func wait(_ seconds: Int = 30, for condition: () -> Bool) {
        for _ in 0..<seconds * 100 where !condition() { usleep(10_000) }
    }

    @Test("8 members, one killed and one joining: all files are equal, the author gives less than 2.5 times the file")
    func eight() throws {
        let place = try TemporaryFolder()
        let bytes = content(48 << 20, seed: 1)
        let world = try SwarmWorld(place.write("source/film.bin", bytes), in: place)
        defer { world.finish() }
        var members = try (0..<8).map { _ in try world.join() }
        wait { world.author.bytesGiven > 8 << 20 }
        world.kill(members.remove(at: 3))
        members.append(try world.join())
        for member in members {
            let outcome = try #require(try member.result?.wait()).get()
            #expect(try Data(contentsOf: URL(fileURLWithPath: outcome.path)) == Data(bytes))
        }
        let times = Double(world.author.bytesGiven) / Double(bytes.count)
        #expect(times <= 2.5, "\(times)")
        print("author gave \(times) times the file")
    }

    @Test("A folder with empty, small and large files, a hole and refused files arrives unchanged")
    func folder() throws {
        let place = try TemporaryFolder()
        let path = try place.folder("source/folder")
        for number in 0..<40 { try place.write("source/folder/small/\(number)", content(number * 100, seed: 2)) }
        try place.write("source/folder/large", content(3 << 20 + 5, seed: 3))
        try place.write("source/folder/tool.exe", content(2 << 20, seed: 4))
        try place.write("source/folder/hidden", Array("secret".utf8) + content(3 << 20, seed: 5))
        let hole = open(place.path("source/folder/hole"), O_CREAT | O_WRONLY, 0o644)
        ftruncate(hole, 5 << 20)
        pwrite(hole, "end", 3, 5 << 20)
        close(hole)
        let world = try SwarmWorld(path, in: place)
        defer { world.finish() }
        let picky = try world.join(inspector: NoSecrets())
        let others = try (0..<2).map { _ in try world.join() }
        for member in others + [picky] {
            let outcome = try #require(try member.result?.wait()).get()
            for number in 0..<40 {
                let copy = try Data(contentsOf: URL(fileURLWithPath: "\(outcome.path)/small/\(number)"))
                #expect(copy == Data(content(number * 100, seed: 2)))
            }
            for name in ["large", "tool.exe", "hidden", "hole"] {
                let copy = try? Data(contentsOf: URL(fileURLWithPath: "\(outcome.path)/\(name)"))
                let isTaken = member !== picky || ["large", "hole"].contains(name)
                #expect(copy == (isTaken ? Data(try place.read("source/folder/\(name)")) : nil), "\(name)")
            }
        }
        #expect(Set(picky.journal.base.leftOut.map(\.path)) == ["tool.exe", "hidden"])
        #expect(others.allSatisfy { $0.journal.base.leftOut.isEmpty })
    }

    @Test("A fetch that was cut continues where it stopped, even without the author")
    func resumed() throws {
        let place = try TemporaryFolder()
        let bytes = content(24 << 20, seed: 6)
        let world = try SwarmWorld(place.write("source/a", bytes), in: place)
        defer { world.finish() }
        let first = try world.join()
        wait { world.author.bytesGiven > 6 << 20 }
        world.kill(first)
        guard case .failure(.cancelled)? = try first.result?.wait() else {
            Issue.record("it was not cut")
            return
        }
        let kept = first.journal.base.committedChunks
        #expect(kept > 0 && kept < 24)
        let whole = try world.join()
        _ = try #require(try whole.result?.wait()).get()
        world.removeAuthor()
        let given = try #require(world.sharedFile(of: 1)).bytesGiven
        let again = try world.join(after: first)
        let outcome = try #require(try again.result?.wait()).get()
        #expect(try Data(contentsOf: URL(fileURLWithPath: outcome.path)) == Data(bytes))
        let more = try #require(world.sharedFile(of: 1)).bytesGiven - given
        #expect(more <= UInt64(bytes.count - kept << 20))
    }

    @Test("Changed chunks are not given by the author, and no member gets another file than the one that was offered")
    func changed() throws {
        let place = try TemporaryFolder()
        let world = try SwarmWorld(place.write("source/a", content(2 << 20, seed: 7)), in: place)
        defer { world.finish() }
        try place.write("source/a", content(2 << 20, seed: 8))
        let member = try world.join()
        wait { world.author.hasChanged }
        #expect(world.author.hasChanged && world.author.bytesGiven == 0)
        world.kill(member)
        #expect(throws: TransferFailure.cancelled) { try #require(try member.result?.wait()).get() }
        #expect(try place.list("member 0").allSatisfy { $0.hasSuffix(".kibo-part") })
    }

    /// A source that answers every request with wrong data.
    private func lie(_ world: SwarmWorld, chunk: Bool) throws -> (BulkConnection, Background<Bool>) {
        let (giving, taking) = try connectionPair()
        let author = world.author
        let thread = Background {
            do {
                guard case .pieces = try giving.receiveGreeting() else { return false }
                let key = SecretBytes(random: 32)
                try giving.send(
                    .accept(.chacha20Poly1305, key: key.withUnsafeBytes { Array($0) }, sendsManifest: true))
                let writer = RecordWriter(
                    giving, cipher: try BulkCipher(.chacha20Poly1305, key: key), transfer: author.transfer)
                for page in ManifestCodec.pages(of: author.list.manifest) {
                    try writer.write(RecordHeader(plaintext: page.count, kind: .manifest), page)
                }
                var leaves = author.list.leaves
                if !chunk { leaves[5] ^= 1 }
                try writer.write(RecordHeader(plaintext: leaves.count, kind: .leaves), leaves)
                var have: [UInt8] = []
                have.appendBigEndian(UInt64(0))
                have.appendBigEndian(author.list.layout.count)
                try writer.write(RecordHeader(plaintext: have.count, kind: .have), have)
                try writer.flush()
                guard case .ask(let ranges, _) = try giving.receive(), let place = ranges.first?.lowerBound,
                    let (file, number) = author.list.layout.locate(place)
                else { return false }
                let length = author.list.layout.length(file: file, chunk: number)
                let wrong = [UInt8](repeating: 9, count: length)
                let text = wrong + wrong.withUnsafeBytes { Checksum(of: $0).bytes }
                try writer.write(RecordHeader(plaintext: text.count, kind: .data, file: file, chunk: number), text)
                try writer.flush()
                return true
            } catch { return false }
        }
        return (taking, thread)
    }

    @Test("A wrong chunk and a wrong list identify the liar; the file then comes from others")
    func badSources() throws {
        let place = try TemporaryFolder()
        let bytes = content(3 << 20, seed: 9)
        let world = try SwarmWorld(place.write("source/a", bytes), in: place)
        defer { world.finish() }
        let member = try world.join(connects: false)
        let (list, _) = try lie(world, chunk: false)
        #expect(member.job.fetch(from: list, isAuthor: false) == .lied("a list with another root"))
        let (chunk, thread) = try lie(world, chunk: true)
        guard case .lied(let what) = member.job.fetch(from: chunk, isAuthor: false) else {
            Issue.record("the liar was not found")
            return
        }
        #expect(what.hasPrefix("chunk"))
        #expect(try thread.wait())
        let (giving, taking) = try connectionPair()
        let author = world.author
        let giver = Background { () -> Bool in
            guard case .pieces(let request) = try? giving.receiveGreeting() else { return false }
            return (try? SwarmUploader(author).run(giving, request: request)) ?? false
        }
        #expect(member.job.fetch(from: taking, isAuthor: true) == .complete)
        #expect(try giver.wait())
        let outcome = try #require(try member.result?.wait()).get()
        #expect(try Data(contentsOf: URL(fileURLWithPath: outcome.path)) == Data(bytes))
    }

    @Test("A request for another root gets nothing")
    func anotherRoot() throws {
        let place = try TemporaryFolder()
        let world = try SwarmWorld(place.write("source/a", content(10, seed: 1)), in: place)
        defer { world.finish() }
        let (giving, taking) = try connectionPair()
        let root = try #require(TreeHash([UInt8](repeating: 1, count: 32)))
        let request = PieceRequest(
            transfer: world.author.transfer, fileRoot: root, ciphers: [.chacha20Poly1305], wantsList: true)
        let author = world.author
        let giver = Background { Result { try SwarmUploader(author).run(giving, request: request) } }
        guard case .reject(.notFound, _) = try taking.receive() else {
            Issue.record("not rejected")
            return
        }
        #expect(throws: TransferFailure.self) { try giver.wait().get() }
    }

    @Test("Messages of a fetch read as they were written; too many chunks or a root of another length are refused")
    func messages() throws {
        let root = try #require(TreeHash([UInt8](repeating: 7, count: 32)))
        let transfer = UUIDv7(high: 0x0190_0000_0000_7000, low: 0x8000_0000_0000_0001)
        let gather = BulkMessage.pieces(
            PieceRequest(transfer: transfer, fileRoot: root, ciphers: [.aes256GCM], wantsList: true))
        for message in [gather, .ask([0..<3, 5..<9], count: 4)] {
            #expect(try BulkMessage(decoding: message.encoded()[...]) == message)
        }
        let long = BulkMessage.ask([0..<3], count: TransferLimits.Swarm.asked + 1)
        #expect(throws: BulkMessage.Malformed.self) { try BulkMessage(decoding: long.encoded()[...]) }
        var map = try #require(try CBORDecoder.decode(gather.encoded()).mapValue)
        map[4] = .bytes([1])
        #expect(throws: BulkMessage.Malformed.self) { try BulkMessage(decoding: CBOR.map(map).encoded()[...]) }
    }
}
