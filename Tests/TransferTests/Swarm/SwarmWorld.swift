import Basics
import Crypto
import Foundation
import Glibc
import Testing

@testable import Transfer

/// What a fetch stores, in memory.
final class DownloadMemoryJournal: DownloadJournal, @unchecked Sendable {  // Owner: the lock.
    let base = MemoryJournal()
    private let lock = NSLock()
    private var _leaves: [UInt8]?
    var leaves: [UInt8]? { lock.withLock { _leaves } }

    func hashesReceived(_ leaves: [UInt8]) throws { lock.withLock { _leaves = leaves } }
    func manifestReceived(_ manifest: Manifest) throws { try base.manifestReceived(manifest) }
    func committedChunksReplaced(_ runs: [ChunkRun]) throws { try base.committedChunksReplaced(runs) }
    func checkpoint(_ newChunks: [ChunkRun], bytesDone: UInt64, filesDone: Int) throws {
        try base.checkpoint(newChunks, bytesDone: bytesDone, filesDone: filesDone)
    }
    func leftOut(_ files: [LeftOutFile]) throws { try base.leftOut(files) }
    func willFinish(_ mark: FinishMark) throws { try base.willFinish(mark) }
    func finished(path: String, renamed: [RenamedEntry]) throws { try base.finished(path: path, renamed: renamed) }
}

/// A group and one of its files, over real sockets: an author that gives, and members that fetch from all others.
final class SwarmWorld: @unchecked Sendable {  // Owner: the lock.
    final class Member: @unchecked Sendable {  // Owner: the world's lock.
        let folder: String
        let journal: DownloadMemoryJournal
        let job: SwarmDownload
        fileprivate(set) var sharedFile: SharedFile?
        fileprivate(set) var givers: [SwarmUploader] = []
        fileprivate(set) var sources: Set<Int> = []
        fileprivate(set) var ends: [Int: SourceEnd] = [:]
        fileprivate(set) var result: Background<Result<ReceiveOutcome, TransferFailure>>?

        fileprivate init(folder: String, journal: DownloadMemoryJournal, job: SwarmDownload) {
            self.folder = folder
            self.journal = journal
            self.job = job
        }
    }

    let author: SharedFile
    private let base: ReceivePlan
    private let place: TemporaryFolder
    private let lock = NSLock()
    private var members: [Member] = []
    private var isOver = false
    private var hasAuthor = true

    init(_ path: String, in place: TemporaryFolder) throws {
        try Sodium.start()
        self.place = place
        let scanned = try SourceScanner.scan(path)
        let list = try SharedFileList(path: path, source: scanned.source)
        let transfer = UUIDv7(high: 0x0190_0000_0000_7000, low: 0xABCD_EF01_2345_6789)
        author = SharedFile(transfer: transfer, list: list, path: path, isAuthor: true, seed: 1)
        base = ReceivePlan(
            transfer: transfer, name: scanned.name,
            offer: .init(isFolder: scanned.kind == .folder, size: scanned.size, files: scanned.files),
            directory: "", freeSpaceReserve: 0)
    }

    func removeAuthor() { lock.withLock { hasAuthor = false } }

    /// A member that fetches from the author and all other members, including later ones. With an earlier member's
    /// journal it continues where that one stopped.
    func join(
        after earlier: Member? = nil, inspector: (any ContentInspector)? = nil, connects: Bool = true
    ) throws -> Member {
        let number = lock.withLock { members.count }
        let folder = try earlier?.folder ?? place.folder("member \(number)")
        let journal = earlier?.journal ?? DownloadMemoryJournal()
        let plan = journal.base.plan(
            ReceivePlan(
                transfer: base.transfer, name: base.name, offer: base.offer, directory: folder, freeSpaceReserve: 0,
                inspector: inspector))
        let box = Box<Member>()
        let job = SwarmDownload(
            plan, fileRoot: author.list.fileRoot, leaves: journal.leaves, journal: journal, files: FusedFiles.lasting,
            isReady: { [self] sharedFile in lock.withLock { box.value?.sharedFile = sharedFile } })
        let member = Member(folder: folder, journal: journal, job: job)
        box.value = member
        lock.withLock { members.append(member) }
        member.result = Background {
            do throws(TransferFailure) {
                if let outcome = try job.prepare() { return .success(outcome) }
                return .success(try job.run())
            } catch { return .failure(error) }
        }
        if connects { Thread { [self] in keepConnected(member) }.start() }
        return member
    }

    /// Ends all connections of a member, as if its process was killed.
    func kill(_ member: Member) {
        member.job.cancel()
        for giver in lock.withLock({ member.givers }) { giver.cancel() }
        lock.withLock { member.sharedFile = nil }
    }

    func sharedFile(of number: Int) -> SharedFile? {
        lock.withLock { number < 0 ? (hasAuthor ? author : nil) : members[number].sharedFile }
    }

    private func keepConnected(_ member: Member) {
        while lock.withLock({ !isOver }) {
            let count = lock.withLock { members.count }
            for number in -1..<count where number < 0 || lock.withLock({ members[number] !== member }) {
                guard let sharedFile = sharedFile(of: number) else { continue }
                let isFree = lock.withLock {
                    if case .lied = member.ends[number] { return false }
                    return member.sources.insert(number).inserted
                }
                if isFree { connect(member, to: number, sharedFile) }
            }
            usleep(20_000)
        }
    }

    private func connect(_ member: Member, to number: Int, _ sharedFile: SharedFile) {
        guard let (giving, taking) = try? connectionPair() else { return }
        let giver = SwarmUploader(sharedFile)
        lock.withLock { if number >= 0 { members[number].givers.append(giver) } }
        Thread {
            guard case .pieces(let request) = try? giving.receiveGreeting() else { return }
            _ = try? giver.run(giving, request: request)
        }.start()
        Thread { [self] in
            let end = member.job.fetch(from: taking, isAuthor: number < 0)
            lock.withLock {
                member.ends[number] = end
                if end != .complete { member.sources.remove(number) }
            }
        }.start()
    }

    func finish() { lock.withLock { isOver = true } }
}
