import Basics
import Messaging
import PeerProtocol
import Runtime
import Store
import TestSupport
import Testing
import Threads
import Vocabulary

@testable import Daemon
@testable import Media
@testable import Transfer
@testable import TransferService

/// Tests which members get a group's file from here, and how its row changes.
@Suite("Files of groups in the database")
struct SwarmRecordsTests {
    /// The members of the conversation, as the test sets them.
    private struct Members: GroupMembership {
        let conversation: UUIDv7
        let accounts: Set<AccountID>
        func members(of conversation: UUIDv7) -> Set<AccountID> { conversation == self.conversation ? accounts : [] }
        func isMate(_ account: AccountID) -> Bool { accounts.contains(account) }
    }

    private static func account(_ byte: UInt8) throws -> AccountID {
        AccountID(try #require(Key32([UInt8](repeating: byte, count: 32))))
    }

    private struct World: Sendable {
        let store: Store
        let sharedFile: SharedFile
        let row: TransferRow
        let path: String

        var request: PieceRequest {
            PieceRequest(
                transfer: row.id, fileRoot: sharedFile.list.fileRoot, ciphers: [.chacha20Poly1305], wantsList: true)
        }

        func check(_ account: AccountID, among members: Set<AccountID>, _ request: PieceRequest? = nil) -> Bool {
            let members = Members(conversation: row.conversation ?? .zero, accounts: members)
            return
                (try? store.readAndWait {
                    try TransferRecords.check(request ?? self.request, by: account, members: members, in: $0)
                }) != nil
        }

        func change(_ body: @escaping @Sendable (inout TransferRow) -> Void) throws -> TransferRow {
            let id = row.id
            return try store.commitAndWait { transaction in
                guard var row = try transaction.transfer(id) else { throw TransferFailure.cancelled }
                body(&row)
                try transaction.update(row)
                return row
            }
        }
    }

    /// - Parameter body: runs on a thread of its own, which may block.
    @discardableResult
    private func with<Result: Sendable>(
        _ direction: TransferDirection, _ body: @escaping @Sendable (World) throws -> Result
    ) async throws -> Result {
        let directory = try TemporaryDirectory()
        let path = directory.path + "/a.txt"
        try TextFile.write("hello".utf8, to: path)
        let store = try Store.open(directory: directory.path, clocks: SystemClocks())
        defer { store.close() }
        let source = try SourceScanner.scan(path).source
        let list = try SharedFileList(path: path, source: source)
        let id = try #require(UUIDv7(bytes: [UInt8](repeating: 7, count: 16)))
        let conversation = try #require(UUIDv7(bytes: [UInt8](repeating: 8, count: 16)))
        let peer = try Self.account(1)
        var row = TransferRow(
            id: id, direction: direction, peer: peer, conversation: conversation, name: "a.txt", size: 5,
            state: .queued,
            path: path, kind: .document, mediaType: "text/plain", createdAt: WallTime(milliseconds: 1))
        row.fileRoot = list.fileRoot.bytes
        let stored = row
        try await store.commit { transaction in
            _ = try transaction.openConversation(with: peer, newID: conversation)
            _ = try transaction.insert(stored)
            try transaction.replacePages(of: id, with: TransferRecords.pages(source))
            try transaction.setLeaves(list.leaves, of: id)
        }
        let world = World(
            store: store, sharedFile: SharedFile(transfer: id, list: list, path: path, isAuthor: true, seed: 1),
            row: row,
            path: path)
        let answer = Answer<Result>()
        let thread = try PlatformThread.spawn(name: "body") { answer.give(Swift.Result { try body(world) }) }
        defer { thread.join() }
        return try answer.wait().get()
    }

    @Test(
        "Members get the file; removed members, strangers that know its id and requests for another root get nothing"
    )
    func whoMay() async throws {
        try await with(.outgoing) { world in
            let (member, removed) = (try Self.account(2), try Self.account(3))
            #expect(world.check(member, among: [member, removed]))
            #expect(!world.check(removed, among: [member]))
            #expect(!world.check(member, among: []))
            let other = try #require(TreeHash([UInt8](repeating: 1, count: 32)))
            let request = PieceRequest(
                transfer: world.row.id, fileRoot: other, ciphers: [.chacha20Poly1305], wantsList: true)
            #expect(!world.check(member, among: [member], request))
            _ = try world.change { $0.life.pausedBy = .us }
            #expect(!world.check(member, among: [member]))
            _ = try world.change {
                $0.life.pausedBy = nil
                $0.state = .cancelled
            }
            #expect(!world.check(member, among: [member]))
        }
    }

    @Test("Files between two friends and files of groups are kept apart: neither is given in the way of the other")
    func neverMixed() async throws {
        try await with(.outgoing) { world in
            let peer = world.row.peer
            #expect(throws: TransferFailure.self) {
                _ = try TransferRecords.sendPlan(world.row.id, to: peer, from: world.store)
            }
            let open = try world.store.commitAndWait { try TransferRecords.recoverAfterStart(in: $0) }
            #expect(open.isEmpty)
        }
        try await with(.incoming) { world in
            #expect(throws: TransferFailure.self) {
                try world.store.readAndWait { _ = try TransferRecords.called(world.row.id, by: world.row.peer, in: $0) }
            }
        }
    }

    @Test("A file that is here whole is given with its list; an incomplete or changed one is not")
    func sharedFiles() async throws {
        try await with(.incoming) { world in
            #expect(throws: TransferFailure.peer(.notFound, detail: "it is not here yet")) {
                _ = try TransferRecords.sharedFile(for: world.row, from: world.store)
            }
            let done = try world.change { $0.state = .done }
            #expect(done.fileRoot == world.sharedFile.list.fileRoot.bytes)
            #expect(
                try TransferRecords.sharedFile(for: done, from: world.store).list.fileRoot
                    == world.sharedFile.list.fileRoot)
        }
    }

    @Test("A file sent to a group is active while a member fetches it and done when one has it; no frame tells this")
    func states() async throws {
        try await with(.outgoing) { world in
            let (id, sharedFile, member) = (world.row.id, world.sharedFile, try Self.account(2))
            func state() throws -> TransferState? { try world.store.readAndWait { try $0.transfer(id)?.state } }
            #expect(try world.store.commitAndWait { try TransferRecords.beginUpload(id, in: $0) })
            #expect(try state() == .active)
            try world.store.commitAndWait { try TransferRecords.gave(sharedFile, to: member, isWhole: false, in: $0) }
            #expect(try state() == .active)
            try world.store.commitAndWait { try TransferRecords.gave(sharedFile, to: member, isWhole: true, in: $0) }
            #expect(try state() == .done)
            try world.store.commitAndWait { try FileFrames.status(.done, of: world.row, in: $0) }
            #expect(try world.store.readAndWait { try $0.outboxCount() } == 0)
        }
    }

    @Test("The lists of a file of 4 TiB are written in commits of a bounded size; half a list counts for nothing")
    func longLists() async throws {
        try await with(.incoming) { world in
            let (id, store) = (world.row.id, world.store)
            let log = Logger(label: "test", sink: LogCapture())
            let journal = SwarmJournal(base: StoreJournal(transfer: id, store: store, log: log))
            let chunks = 4 << 20
            let manifest = try Manifest([
                ManifestEntry(path: "", kind: .file, size: 4 << 40, mode: 0o644, modified: 0)
            ])
            try journal.manifestReceived(manifest)
            let media = MediaProgram(path: nil, log: log)
            // The list of the small file before this one doesn't count.
            #expect(try TransferRecords.downloadPlan(id, from: store, media: media).leaves == nil)
            var leaves = [UInt8](repeating: 3, count: chunks * TreeHash.size)
            for place in stride(from: 0, to: leaves.count, by: 100_003) {
                leaves[place] = UInt8(truncatingIfNeeded: place)
            }
            try journal.hashesReceived(leaves)
            #expect(try TransferRecords.downloadPlan(id, from: store, media: media).leaves == leaves)
            let half = Array(leaves.prefix(leaves.count / 2))
            try journal.hashesReceived(half)
            #expect(try TransferRecords.downloadPlan(id, from: store, media: media).leaves == nil)
            // This is a hole as long as the file, and a short run behind it.
            let runs = [
                ChunkRun(first: 0, checksums: [UInt8](repeating: 1, count: chunks * TransferLimits.checksumBytes)),
                ChunkRun(first: 9, checksums: [UInt8](repeating: 2, count: TransferLimits.checksumBytes)),
            ]
            let portions = TransferRecords.portions(of: runs)
            #expect(portions.allSatisfy { $0.reduce(0) { $0 + $1.checksums.count } <= StoreLimits.listBytesAtOnce })
            #expect(portions.joined().reduce(0) { $0 + $1.checksums.count } == (chunks + 1) * 16)
            try journal.checkpoint([runs[0]], bytesDone: 4 << 40, filesDone: 0)
            let plan = try TransferRecords.receivePlan(id, from: store)
            #expect(plan.committed.reduce(0) { $0 + $1.count } == chunks)
            try journal.committedChunksReplaced([runs[1]])
            #expect(try TransferRecords.receivePlan(id, from: store).committed == [runs[1]])
        }
    }

    @Test("Uploads of one file share one object, up to a number; lists without a user are released")
    func sharedFilesKept() async throws {
        try await with(.outgoing) { world in
            let sharedFiles = SharedFiles()
            let first = try sharedFiles.enter(world.row.id) { world.sharedFile }
            for _ in 1..<TransferLimits.Swarm.takers {
                #expect(try sharedFiles.enter(world.row.id) { throw TransferFailure.cancelled } === first)
            }
            #expect(throws: TransferFailure.self) { _ = try sharedFiles.enter(world.row.id) { world.sharedFile } }
            sharedFiles.leave(world.row.id)
            #expect(try sharedFiles.enter(world.row.id) { throw TransferFailure.cancelled } === first)
        }
    }
}
