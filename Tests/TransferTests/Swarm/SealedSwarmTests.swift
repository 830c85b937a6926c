import Basics
import Crypto
import Foundation
import Testing
import Vocabulary

@testable import Transfer

/// Goal: a file that goes sealed from its maker to a courier, and from there to its recipient, is the same in the end and
/// nothing like it in between; whoever gives other bytes is found at the first chunk.
@Suite("Sealed files over sockets", .serialized)
struct SealedSwarmTests {
    private struct NoSecrets: ContentInspector {
        func refusal(ofName path: String) -> Reason? { nil }
        func refusal(ofContent bytes: UnsafeRawBufferPointer, path: String) throws -> Reason? {
            bytes.prefix(6).elementsEqual("secret".utf8) ? .typeNotAllowed : nil
        }
    }

    private static let file = UUIDv7(high: 0x0190_0000_0000_7000, low: 0x8BCD_EF01_2345_6789)
    private static let transfer = UUIDv7(high: 0x0190_0000_0000_7000, low: 0x8BCD_EF01_2345_0000)

    /// A file of a maker, sealed.
    private struct World {
        let place: TemporaryFolder
        let bytes: [UInt8]
        let path: String
        let source: Manifest
        let seal: FileSeal
        let list: SharedFileList

        init(_ bytes: [UInt8]) throws {
            try Sodium.start()
            place = try TemporaryFolder()
            self.bytes = bytes
            path = try place.write("source/a.png", bytes)
            let scanned = try SourceScanner.scan(path)
            source = scanned.source.manifest
            seal = try #require(FileSeal())
            list = try SharedFileList(path: path, source: scanned.source, sealedBy: seal)
        }

        /// What the maker gives.
        func made(_ chunks: [UInt64]? = nil) -> SharedFile {
            var have = ChunkSet(limit: list.layout.count)
            for chunk in chunks ?? [] { have.insert(chunk) }
            return SharedFile(
                transfer: file, list: list, path: path, have: chunks.map { _ in have }, seal: seal, isAuthor: false,
                seed: 1)
        }

        /// What a courier gives that has it there.
        func kept(_ path: String) -> SharedFile {
            SharedFile(transfer: file, list: list, path: path, isAuthor: false, seed: 1)
        }

        var opening: SealedDownload {
            SealedDownload(
                seal: seal, manifest: .single(size: source.size, mode: source.mode(0), modified: source.modified(0)))
        }

        func fetch(
            _ shared: SharedFile, into folder: String, opening: SealedDownload?,
            journal: DownloadMemoryJournal = DownloadMemoryJournal(), inspector: (any ContentInspector)? = nil,
            until: (@Sendable () -> Bool)? = nil
        ) throws -> (result: Result<ReceiveOutcome, TransferFailure>, end: SourceEnd) {
            try fetch(into: folder, opening: opening, journal: journal, inspector: inspector, until: until) { giving in
                guard case .pieces(let request) = try? giving.receiveGreeting() else { return false }
                return (try? SwarmUploader(shared).run(giving, request: request)) ?? false
            }
        }

        /// Fetches what another one gives.
        /// - Parameters:
        ///   - root: of the file, if it is another list's.
        ///   - until: ends it then; nil lets it end by itself.
        ///   - give: the other one, on a thread of its own.
        func fetch(
            into folder: String, opening: SealedDownload?,
            journal: DownloadMemoryJournal = DownloadMemoryJournal(), inspector: (any ContentInspector)? = nil,
            root: TreeHash? = nil, until: (@Sendable () -> Bool)? = nil,
            give: @escaping @Sendable (BulkConnection) -> Bool
        ) throws -> (result: Result<ReceiveOutcome, TransferFailure>, end: SourceEnd) {
            let plan = journal.base.plan(
                ReceivePlan(
                    transfer: transfer, wireID: file, name: "a.png",
                    offer: .init(isFolder: false, size: UInt64(bytes.count), files: 1), directory: folder,
                    freeSpaceReserve: 0, mask: 0o077, inspector: inspector))
            let job = SwarmDownload(
                plan.sealed(as: file), fileRoot: root ?? list.fileRoot, leaves: nil, opening: opening, journal: journal,
                files: FusedFiles.lasting)
            let run = Background { () -> Result<ReceiveOutcome, TransferFailure> in
                do throws(TransferFailure) {
                    if let outcome = try job.prepare() { return .success(outcome) }
                    return .success(try job.run())
                } catch { return .failure(error) }
            }
            let (giving, taking) = try connectionPair()
            let giver = Background { give(giving) }
            if let until {
                Thread {
                    for _ in 0..<3000 where !until() { usleep(10_000) }
                    job.cancel()
                }.start()
            }
            let end = job.fetch(from: taking, isAuthor: true)
            if end != .complete { job.cancel() }
            _ = try giver.wait()
            return (try run.wait(), end)
        }
    }

    private func read(_ path: String) throws -> [UInt8] { Array(try Data(contentsOf: URL(fileURLWithPath: path))) }

    @Test(
        "By way of a courier the file is the same, with the maker's time; what the courier has is no such file",
        arguments: [0, 1, 1 << 20, 1 << 20 + 1, 3 << 20 + 77])
    func story(size: Int) throws {
        let world = try World(content(size, seed: 1))
        let courier = try world.fetch(world.made(), into: try world.place.folder("courier"), opening: nil)
        #expect(courier.end == .complete)
        let kept = try courier.result.get().path
        let sealed = try read(kept)
        #expect(sealed.count == size && (size < 8 || sealed != world.bytes))
        var opened = sealed
        opened.withUnsafeMutableBytes { world.seal.apply(to: $0, at: 0) }
        #expect(opened == world.bytes)
        let recipient = try world.fetch(
            world.kept(kept), into: try world.place.folder("recipient"), opening: world.opening)
        #expect(recipient.end == .complete)
        let path = try recipient.result.get().path
        #expect(try read(path) == world.bytes)
        let scanned = try SourceScanner.scan(path).source.manifest
        #expect(scanned.modified(0) == world.source.modified(0))
    }

    @Test(
        "What came from the maker stays, the courier gives the rest, and the list is the maker's own")
    func mixture() throws {
        let world = try World(content(6 << 20, seed: 2))
        let journal = DownloadMemoryJournal()
        let folder = try world.place.folder("recipient")
        let first = try world.fetch(
            world.made([0, 2, 3]), into: folder, opening: world.opening, journal: journal,
            until: { journal.base.committedChunks == 3 })
        guard case .failure(.cancelled) = first.result else {
            Issue.record("it was not cut")
            return
        }
        #expect(journal.base.manifest == world.source && journal.leaves == nil)
        for run in journal.base.runs {
            for index in 0..<run.count {
                let start = (Int(run.first) + index) << 20
                let checksum = world.bytes[start..<start + 1 << 20].withUnsafeBytes { Checksum(of: $0) }
                #expect(run.checksum(index) == checksum, "a transfer between two could go on from here")
            }
        }
        let rest = world.made()
        let second = try world.fetch(rest, into: folder, opening: world.opening, journal: journal)
        #expect(try read(second.result.get().path) == world.bytes && rest.bytesGiven == 3 << 20)
    }

    /// Gives a list, and says that everything is there.
    private func begin(_ list: SharedFileList, _ giving: BulkConnection) throws -> RecordWriter {
        guard case .pieces = try giving.receiveGreeting() else { throw TransferFailure.invalid("no request") }
        let key = SecretBytes(random: 32)
        try giving.send(.accept(.chacha20Poly1305, key: key.withUnsafeBytes { Array($0) }, sendsManifest: true))
        let writer = RecordWriter(giving, cipher: try BulkCipher(.chacha20Poly1305, key: key), transfer: Self.file)
        for page in ManifestCodec.pages(of: list.manifest) {
            try writer.write(RecordHeader(plaintext: page.count, kind: .manifest), page)
        }
        try writer.write(RecordHeader(plaintext: list.leaves.count, kind: .leaves), list.leaves)
        try have(list, writer)
        return writer
    }

    private func have(_ list: SharedFileList, _ writer: RecordWriter) throws {
        var have: [UInt8] = []
        have.appendBigEndian(UInt64(0))
        have.appendBigEndian(list.layout.count)
        try writer.write(RecordHeader(plaintext: have.count, kind: .have), have)
        try writer.flush()
    }

    /// Gives the right list, and then a chunk with one other byte.
    private func lie(
        _ list: SharedFileList, _ bytes: [UInt8], _ seal: FileSeal, _ giving: BulkConnection
    ) throws {
        let writer = try begin(list, giving)
        guard case .ask(let ranges, _) = try giving.receive(), let place = ranges.first?.lowerBound,
            let (file, number) = list.layout.locate(place)
        else { return }
        let length = list.layout.length(file: file, chunk: number)
        var wrong = Array(bytes[Int(place) << 20..<Int(place) << 20 + length])
        wrong.withUnsafeMutableBytes { seal.apply(to: $0, at: place << 20) }
        wrong[7] ^= 1
        let text = wrong + wrong.withUnsafeBytes { Checksum(of: $0).bytes }
        try writer.write(RecordHeader(plaintext: text.count, kind: .data, file: file, chunk: number), text)
        try writer.flush()
    }

    @Test("A courier that changes a byte is found before anything of it is taken, and the file comes another way")
    func changedByTheCourier() throws {
        let world = try World(content(1 << 20 + 9, seed: 3))
        let journal = DownloadMemoryJournal()
        let folder = try world.place.folder("recipient")
        let (list, bytes, seal) = (world.list, world.bytes, world.seal)
        let fetched = try world.fetch(into: folder, opening: world.opening, journal: journal) {
            do { try lie(list, bytes, seal, $0) } catch { return false }
            return true
        }
        guard case .lied(let what) = fetched.end else {
            Issue.record("the courier was not found")
            return
        }
        #expect(what.hasPrefix("chunk") && journal.base.committedChunks == 0)
        let whole = try world.fetch(world.made(), into: folder, opening: world.opening, journal: journal)
        #expect(try read(whole.result.get().path) == world.bytes)
    }

    @Test("A list that says more than the file's length is refused: nobody could be given the file by it")
    func listWithAttributes() throws {
        let world = try World(content(1 << 20 + 9, seed: 7))
        let other = try #require(
            SharedFileList(
                manifest: .single(size: world.source.size, mode: 0o755, modified: 1), leaves: world.list.leaves))
        let fetched = try world.fetch(into: try world.place.folder("courier"), opening: nil, root: other.fileRoot) {
            (try? begin(other, $0)) != nil
        }
        guard case .lied = fetched.end else {
            Issue.record("it was taken: \(fetched.end)")
            return
        }
    }

    @Test("Whoever says the same chunks again and again is heard no more")
    func endlessNews() throws {
        let world = try World(content(1 << 20 + 9, seed: 8))
        let list = world.list
        let fetched = try world.fetch(into: try world.place.folder("recipient"), opening: world.opening) { giving in
            guard let writer = try? begin(list, giving) else { return false }
            for _ in 0..<20_000 { do { try have(list, writer) } catch { return true } }
            return false
        }
        #expect(fetched.end == .ended(.invalid("the same chunks again and again")))
    }

    @Test("A maker's file that has changed since it was sealed is not given: no two texts meet one key stream")
    func changedByTheMaker() throws {
        let world = try World(content(1 << 20, seed: 4))
        try world.place.write("source/a.png", content(1 << 20, seed: 5))
        let made = world.made()
        let cut = try world.fetch(
            made, into: try world.place.folder("courier"), opening: nil, until: { made.hasChanged })
        #expect(cut.result == .failure(.cancelled) && made.bytesGiven == 0)
    }

    @Test("Behind the seal the content is looked at, and refused like any other")
    func inspected() throws {
        let world = try World(Array("secret".utf8) + content(2 << 20, seed: 6))
        let fetched = try world.fetch(
            world.made(), into: try world.place.folder("recipient"), opening: world.opening, inspector: NoSecrets())
        guard case .ended(let failure) = fetched.end, case .failure = fetched.result else {
            Issue.record("it was taken")
            return
        }
        #expect(failure.reason == .typeNotAllowed && !failure.isRetryable)
    }

    @Test("The root of a sealed file is the one on the page of couriers")
    func vector() throws {
        try Sodium.start()
        let here = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        let page = here.deletingLastPathComponent().deletingLastPathComponent()
            .appending(path: "docs/PROTOCOL-COURIERS.md")
        let document = String(decoding: try Data(contentsOf: page), as: UTF8.self)
        let start = try #require(document.range(of: "```hex sealed-file-root\n"))
        let hex = document[start.upperBound...].prefix { $0 != "`" }.filter { !$0.isWhitespace }
        let place = try TemporaryFolder()
        let path = try place.write("zeros", [UInt8](repeating: 0, count: 1 << 20 + 10))
        let key = try #require(SharedKey(bytes: [UInt8](repeating: 0x08, count: 32)))
        let list = try SharedFileList(
            path: path, source: SourceScanner.scan(path).source, sealedBy: FileSeal(key: key))
        #expect(Hex.encode(list.fileRoot.bytes) == hex)
    }
}
