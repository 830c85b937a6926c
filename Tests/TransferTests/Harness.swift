import Basics
import Crypto
import Foundation
import Glibc
import TestSupport
import Testing

@testable import Transfer

/// A folder for one test, removed afterwards.
final class TemporaryFolder {
    let path: String

    init() throws {
        var template = Array("/tmp/kibo-transfer-XXXXXX".utf8CString)
        let made = try #require(mkdtemp(&template))
        path = String(cString: made)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    func path(_ name: String) -> String { path + "/" + name }

    @discardableResult
    func write(_ name: String, _ bytes: [UInt8]) throws -> String {
        let target = path(name)
        let folder = (target as NSString).deletingLastPathComponent
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        try Data(bytes).write(to: URL(fileURLWithPath: target))
        return target
    }

    @discardableResult
    func folder(_ name: String) throws -> String {
        try FileManager.default.createDirectory(atPath: path(name), withIntermediateDirectories: true)
        return path(name)
    }

    func read(_ name: String) throws -> [UInt8] { [UInt8](try Data(contentsOf: URL(fileURLWithPath: path(name)))) }

    /// The names in a folder, sorted, including hidden ones.
    func list(_ name: String = "") throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: path(name)).sorted()
    }
}

/// Content that is the same for the same seed and differs from page to page.
func content(_ count: Int, seed: UInt64) -> [UInt8] { TestContent.bytes(count, seed: seed) }

/// Burns through after a number of steps on disk or in the journal. Every later step fails, as for a killed process.
final class Fuse: @unchecked Sendable {  // Owner: the lock.
    private let lock = NSLock()
    private var left: Int
    private let isLasting: Bool
    private var _steps = 0
    private var _names: [String: Int] = [:]
    private var _isBurnt = false

    /// - Parameter isLasting: false makes only that one step fail.
    init(after steps: Int, isLasting: Bool = true) {
        left = steps
        self.isLasting = isLasting
    }

    var steps: Int { lock.withLock { _steps } }
    /// How many of these steps there were.
    func steps(_ name: String) -> Int { lock.withLock { _names[name] ?? 0 } }
    var isBurnt: Bool { lock.withLock { _isBurnt } }

    /// Whether this step has to fail.
    func step(_ name: String = "") -> Bool {
        lock.withLock {
            _steps += 1
            _names[name, default: 0] += 1
            left -= 1
            let fails = isLasting ? left < 0 : left == -1
            if fails { _isBurnt = true }
            return fails
        }
    }
}

/// The system's files, with failures decided by a fuse.
struct FusedFiles: FileLayer {
    let fuse: Fuse
    var code: CInt = EIO
    private let system = SystemFiles()

    init(_ fuse: Fuse, code: CInt = EIO) {
        self.fuse = fuse
        self.code = code
    }

    /// A fuse that never burns. Its `syncfs` covers one file only: the real one would wait for all writes of this
    /// machine.
    static let lasting = FusedFiles(Fuse(after: .max))

    private func step(_ name: String) throws(FileError) { if fuse.step(name) { throw FileError(name, code) } }

    func open(_ path: String, in folder: CInt, flags: CInt, mode: mode_t) throws(FileError) -> CInt {
        try step("open")
        // This behaves as for an owner who isn't root: a mode without writing keeps even the owner out.
        if flags & O_ACCMODE == O_RDWR, flags & O_CREAT == 0, let found = try system.status(path, in: folder),
            found.kind == .file, found.mode & 0o200 == 0
        {
            throw FileError("open", EACCES)
        }
        return try system.open(path, in: folder, flags: flags, mode: mode)
    }
    func openFolder(_ path: String) throws(FileError) -> CInt {
        try step("open folder")
        return try system.openFolder(path)
    }
    func close(_ descriptor: CInt) { system.close(descriptor) }
    func status(_ descriptor: CInt) throws(FileError) -> FileStatus { try system.status(descriptor) }
    func status(_ name: String, in folder: CInt) throws(FileError) -> FileStatus? {
        try system.status(name, in: folder)
    }
    func makeFolder(_ name: String, in folder: CInt) throws(FileError) {
        try step("make folder")
        try system.makeFolder(name, in: folder)
    }
    func write(_ bytes: UnsafeRawBufferPointer, to descriptor: CInt, at offset: UInt64) throws(FileError) {
        if fuse.step() {
            // A dying disk or process leaves half a chunk.
            try system.write(UnsafeRawBufferPointer(rebasing: bytes[..<(bytes.count / 2)]), to: descriptor, at: offset)
            throw FileError("write", code)
        }
        try system.write(bytes, to: descriptor, at: offset)
    }
    func read(
        into bytes: UnsafeMutableRawBufferPointer, from descriptor: CInt, at offset: UInt64
    ) throws(FileError) -> Int {
        try system.read(into: bytes, from: descriptor, at: offset)
    }
    func reserve(_ descriptor: CInt, size: UInt64) throws(FileError) {
        try step("reserve")
        try system.reserve(descriptor, size: size)
    }
    func truncate(_ descriptor: CInt, size: UInt64) throws(FileError) {
        try step("truncate")
        try system.truncate(descriptor, size: size)
    }
    func punch(_ descriptor: CInt, offset: UInt64, length: UInt64) throws(FileError) {
        try step("punch")
        try system.punch(descriptor, offset: offset, length: length)
    }
    func synchronise(_ descriptor: CInt, _ scope: SyncScope) throws(FileError) {
        try step("synchronise")
        // This avoids synchronising the whole file system of the machine that runs the tests.
        try system.synchronise(descriptor, scope == .fileSystem ? .file : scope)
    }
    func setAttributes(_ descriptor: CInt, mode: UInt16?, modified: Int64) throws(FileError) {
        try step("set attributes")
        try system.setAttributes(descriptor, mode: mode, modified: modified)
    }
    func rename(_ name: String, from source: CInt, to other: String, in folder: CInt) throws(FileError) {
        try step("rename")
        try system.rename(name, from: source, to: other, in: folder)
    }
    func replace(_ name: String, in folder: CInt, by other: String, from source: CInt) throws(FileError) {
        try step("replace")
        try system.replace(name, in: folder, by: other, from: source)
    }
    func remove(_ name: String, in folder: CInt, isFolder: Bool) throws(FileError) {
        try step("remove")
        try system.remove(name, in: folder, isFolder: isFolder)
    }
    func freeBytes(_ descriptor: CInt) throws(FileError) -> UInt64 { try system.freeBytes(descriptor) }
}

/// The daemon's database, replaced by memory. A burnt fuse makes every call throw.
final class MemoryJournal: TransferJournal, @unchecked Sendable {  // Owner: the lock.
    struct Failed: Error {}
    private let lock = NSLock()
    private var _manifest: Manifest?
    private var _runs: [ChunkRun] = []
    private var _leftOut: [LeftOutFile] = []
    private var _mark: FinishMark?
    private var _finished: String?
    private var _renamed: [RenamedEntry] = []
    private var _calls: [String] = []
    private var _fuse: Fuse?
    private var _kept: Int?

    init(fuse: Fuse? = nil) { _fuse = fuse }

    /// Replaces the fuse, as after a restart: what was written is still there.
    func replaceFuse(_ fuse: Fuse?) { lock.withLock { _fuse = fuse } }

    var manifest: Manifest? { lock.withLock { _manifest } }
    var runs: [ChunkRun] { lock.withLock { _runs } }
    var leftOut: [LeftOutFile] { lock.withLock { _leftOut } }
    var mark: FinishMark? { lock.withLock { _mark } }
    var finished: String? { lock.withLock { _finished } }
    var renamed: [RenamedEntry] { lock.withLock { _renamed } }
    var calls: [String] { lock.withLock { _calls } }
    /// The number of chunks that counted after the last check of the part that found chunks missing.
    var kept: Int? { lock.withLock { _kept } }
    var committedChunks: Int { runs.reduce(0) { $0 + $1.count } }

    private func record(_ call: String, _ change: () -> Void) throws {
        try lock.withLock {
            _calls.append(call)
            if _fuse?.step() == true { throw Failed() }
            change()
        }
    }

    func manifestReceived(_ manifest: Manifest) throws { try record("manifest") { _manifest = manifest } }
    func committedChunksReplaced(_ runs: [ChunkRun]) throws {
        try record("replaced") {
            _runs = runs
            _kept = runs.reduce(0) { $0 + $1.count }
        }
    }
    func checkpoint(_ newChunks: [ChunkRun], bytesDone: UInt64, filesDone: Int) throws {
        try record("checkpoint") { _runs += newChunks }
    }
    func leftOut(_ files: [LeftOutFile]) throws { try record("leftOut") { _leftOut += files } }
    func willFinish(_ mark: FinishMark) throws { try record("willFinish") { _mark = mark } }
    func finished(path: String, renamed: [RenamedEntry]) throws {
        try record("finished") {
            _finished = path
            _renamed = renamed
        }
    }

    /// The plan that a daemon would make from its rows after a restart.
    func plan(_ base: ReceivePlan) -> ReceivePlan {
        ReceivePlan(
            transfer: base.transfer, name: base.name, offer: base.offer, directory: base.directory,
            freeSpaceReserve: base.freeSpaceReserve, manifest: manifest, committed: runs,
            leftOut: leftOut.map { RefusedFile(file: $0.file, reason: $0.problem.reason) }, finishMark: mark,
            inspector: base.inspector)
    }
}

/// The left-out files that a sender reported.
final class Collected: @unchecked Sendable {  // Owner: the lock.
    private let lock = NSLock()
    private var _files: [LeftOutFile] = []
    var files: [LeftOutFile] { lock.withLock { _files } }
    func add(_ more: [LeftOutFile]) { lock.withLock { _files += more } }
}

/// Two connected sockets: a pair of Unix sockets, or TCP on loopback.
func socketPair(tcp: Bool = false) throws -> (CInt, CInt) {
    if !tcp {
        var pair: [CInt] = [-1, -1]
        try #require(socketpair(AF_UNIX, CInt(SOCK_STREAM.rawValue), 0, &pair) == 0)
        return (pair[0], pair[1])
    }
    let listener = socket(AF_INET, CInt(SOCK_STREAM.rawValue), 0)
    defer { close(listener) }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let client = socket(AF_INET, CInt(SOCK_STREAM.rawValue), 0)
    let connected = withUnsafeMutablePointer(to: &address) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
            bind(listener, $0, size) == 0 && listen(listener, 1) == 0 && getsockname(listener, $0, &size) == 0
                && connect(client, $0, size) == 0
        }
    }
    try #require(connected)
    return (client, accept(listener, nil, nil))
}

/// Two connected ends: the sender's first, then the receiver's.
func connectionPair(tcp: Bool = false) throws -> (BulkConnection, BulkConnection) {
    try Sodium.start()
    let (left, right) = try socketPair(tcp: tcp)
    return try connections(left, right)
}

func connections(_ left: CInt, _ right: CInt) throws -> (BulkConnection, BulkConnection) {
    var first = try NoiseHandshake(.initiator, staticKey: AgreementKey(), prologue: [1], presharedKey: nil)
    var second = try NoiseHandshake(.responder, staticKey: AgreementKey(), prologue: [1], presharedKey: nil)
    _ = try second.read(try first.write(payload: [])[...])
    _ = try first.read(try second.write(payload: [])[...])
    _ = try second.read(try first.write(payload: [])[...])
    return (
        BulkConnection(fd: left, transport: try first.split(), leftover: []),
        BulkConnection(fd: right, transport: try second.split(), leftover: [])
    )
}

/// A result that one thread leaves for another.
final class Box<Value: Sendable>: @unchecked Sendable {  // Owner: the thread that joins after it was set.
    var value: Value?
}

/// Runs a body on a thread of its own; `wait` returns its result.
final class Background<Value: Sendable> {
    private let box = Box<Value>()
    private let thread: Thread
    private let done = DispatchSemaphore(value: 0)

    init(_ body: @escaping @Sendable () -> Value) {
        let box = box
        let done = done
        thread = Thread {
            box.value = body()
            done.signal()
        }
        thread.start()
    }

    func wait() throws -> Value {
        try #require(done.wait(timeout: .now() + 60) == .success)
        return try #require(box.value)
    }
}

typealias SendResult = Result<Bool, TransferFailure>
typealias ReceiveResult = Result<ReceiveOutcome, TransferFailure>

/// One transfer with both its plans.
struct Scenario {
    let send: SendPlan
    let receive: ReceivePlan
    /// What was sent over all connections.
    var sent = SentChunks()

    /// Offers the file or folder at `path` to the folder `destination`.
    init(_ path: String, to destination: String, reserve: UInt64 = 0, id: UInt64 = 0xABCD_EF01_2345_6789) throws {
        let scanned = try SourceScanner.scan(path)
        let transfer = UUIDv7(high: 0x0190_0000_0000_7000, low: id)
        send = SendPlan(transfer: transfer, path: path, source: scanned.source)
        receive = ReceivePlan(
            transfer: transfer, name: scanned.name,
            offer: .init(isFolder: scanned.kind == .folder, size: scanned.size, files: scanned.files),
            directory: destination, freeSpaceReserve: reserve)
    }

    func startSender(_ connection: BulkConnection, _ job: SendJob? = nil) -> Background<SendResult> {
        let job = job ?? SendJob(send, sent: sent) { _ in }
        return Background {
            do throws(TransferFailure) {
                guard case .open(let request) = try connection.receiveGreeting() else { return .success(false) }
                try job.run(connection, request: request)
                return .success(true)
            } catch { return .failure(error) }
        }
    }

    func startReceiver(
        _ connection: BulkConnection, _ journal: MemoryJournal, _ job: ReceiveJob? = nil,
        files: any FileLayer = FusedFiles.lasting
    ) -> Background<ReceiveResult> {
        let job = job ?? ReceiveJob(journal.plan(receive), journal: journal, files: files) { _ in }
        return Background {
            do throws(TransferFailure) { return .success(try job.run(connection)) } catch { return .failure(error) }
        }
    }

    /// Runs both sides to their end.
    func run(
        _ journal: MemoryJournal, tcp: Bool = false, files: any FileLayer = FusedFiles.lasting
    ) throws -> (SendResult, ReceiveResult) {
        let (left, right) = try connectionPair(tcp: tcp)
        let sender = startSender(left)
        let receiver = startReceiver(right, journal, files: files)
        return (try sender.wait(), try receiver.wait())
    }
}
