import Basics
import ControlProtocol
import Crypto
import Glibc
import Messaging
import Reactor
import Runtime
import Store

/// Files that clients without paths, such as a browser, hand over. They lie beneath the data directory until they are
/// sent, and for a while after.
@ReactorActor package final class UploadService {
    private let environment: Environment
    private let choices: TransactionSettings
    private let files: UploadFiles
    private var table: UploadTable
    /// The ways into files that clients have now.
    private var intakes: [UUIDv7: UploadIntake] = [:]
    /// Whether the database was asked which uploads messages name.
    private var knowsSent = false
    private let log: Logger
    private lazy var removal = Chore(clocks: environment.clocks, log: log) { [weak self] in
        try await self?.removeOld()
        return false
    }

    /// Reads what is there from the disk.
    package init(environment: Environment, choices: TransactionSettings) {
        self.environment = environment
        self.choices = choices
        files = UploadFiles(data: environment.directory)
        table = UploadTable(files.scan())
        log = environment.log.labelled("uploads")
    }

    /// Begins to remove old uploads now and then.
    package func start() {
        environment.settings.onChange(SettingsCatalogue.filesKeepSentDays) { [weak self] _ in self?.removal.wake() }
        removal.start()
    }

    package func stop() {
        removal.stop()
        for intake in intakes.values { intake.close() }
    }

    /// Does something with the files on the thread that may block.
    private func work<Result: Sendable>(
        _ body: @escaping @Sendable (UploadFiles) throws -> Result
    ) async throws -> Result {
        let files = files
        do {
            return try await environment.workers.uploads.run { try body(files) }
        } catch let failure as UploadFiles.Failure where failure.isFull {
            throw ControlError(.noSpace, "the disk that holds Kibo's data is full", hint: .freeSpace)
        }
    }

    /// Asks the database, the first time, which uploads messages name: these don't wait to be sent.
    private func knowSent() async throws {
        guard !knowsSent else { return }
        let root = files.root + "/"
        let sent = try await environment.store.read { try $0.sentPaths(beneath: root) }
        for use in sent { if let id = files.upload(at: use.path) { table.noteSent(id) } }
        knowsSent = true
    }

    // MARK: One upload

    func begin(_ request: UploadTable.Request) async throws -> Upload {
        try await knowSent()
        let policy = try await environment.store.read { [choices] in try choices.files($0) }
        var random = SodiumGenerator()
        let now = environment.clocks.wallTime
        let record = try table.begin(request, id: UUIDv7(at: now, using: &random), at: now, policy: policy)
        let (others, parent) = (table.promised(beside: record.id), record.parent.flatMap(table.record))
        do {
            try await work { files in
                if let parent, files.has(record.place, in: parent) { throw UploadTable.isThere }
                try Self.checkRoom(for: record.size ?? 0, others, policy, files)
                try files.make(record)
            }
        } catch {
            table.forget(record.id)
            throw error
        }
        table.settle(record.id)
        return record.shown(received: 0)
    }

    /// Puts small files into a folder.
    /// - Returns: the places that no file can have.
    func put(_ files: [UploadTable.SmallFile], into id: UUIDv7, anyType: Bool) async throws -> [String] {
        let policy = try await environment.store.read { [choices] in try choices.files($0) }
        let (folder, taking, leftOut) = try table.put(files, into: id, anyType: anyType, policy: policy)
        let others = table.promised(beside: id)
        var done = UploadFiles.Put()
        defer { table.added(done.files, bytes: done.bytes, to: id) }
        done = try await work { files in
            let size = taking.reduce(Int64(0)) { $0 + Int64($1.bytes.count) }
            try Self.checkRoom(for: size, others, policy, files)
            return files.put(taking, in: folder)
        }
        guard let failure = done.failure else { return leftOut }
        if failure.code == EEXIST { throw UploadTable.isThere }
        return try await work { _ in throw failure }
    }

    /// Takes small files, each as an upload of its own that is finished.
    /// - Returns: their ids, in the order of the files.
    func put(_ files: [UploadTable.SmallFile], anyType: Bool) async throws -> [UUIDv7] {
        try await knowSent()
        let policy = try await environment.store.read { [choices] in try choices.files($0) }
        let others = table.promised(beside: .zero)
        var random = SodiumGenerator()
        let now = environment.clocks.wallTime
        var taking: [(record: UploadRecord, bytes: [UInt8])] = []
        do {
            for file in files {
                var request = UploadTable.Request(name: file.path, size: Int64(file.bytes.count))
                request.anyType = anyType
                let id = UUIDv7(at: now, using: &random)
                taking.append((try table.begin(request, id: id, at: now, policy: policy), file.bytes))
            }
            try await work { [taking] files in
                try Self.checkRoom(for: taking.reduce(0) { $0 + Int64($1.bytes.count) }, others, policy, files)
                try files.make(taking)
            }
        } catch {
            for one in taking { table.forget(one.record.id) }
            throw error
        }
        for one in taking { _ = table.finished(one.record, size: Int64(one.bytes.count)) }
        return taking.map(\.record.id)
    }

    /// Checks the room. What the other uploads may still write counts as taken.
    nonisolated private static func checkRoom(
        for size: Int64, _ others: [UploadRecord], _ policy: FilePolicy, _ files: UploadFiles
    ) throws {
        try? Paths.makeDirectory(files.root)
        guard let free = files.free() else { return }
        let promised = others.reduce(UInt64(0)) { sum, other in
            sum.addingReportingOverflow(UInt64(clamping: (other.size ?? 0) - files.received(other))).partialValue
        }
        let size = UInt64(clamping: size)
        guard policy.fits(size, in: free, promised: promised) else {
            throw ControlError(
                .noSpace,
                "there is not enough room: \(SizeText.text(free)) are free, \(SizeText.text(size)) are needed, and "
                    + "\(SizeText.text(policy.freeSpaceReserve)) are to stay free",
                hint: .freeSpace, field: "size")
        }
    }

    /// - Returns: a socket for the bytes that follow, and how many are there.
    func open(_ id: UUIDv7) async throws -> (socket: Descriptor, received: Int64) {
        let policy = try await environment.store.read { [choices] in try choices.files($0) }
        let record = try table.work(on: id)
        defer { table.settle(id) }
        guard !record.isFolder else { throw ControlError(.invalid, "a folder has no bytes of its own", field: "id") }
        await intakes[id]?.end()
        let (file, received) = try await work { try $0.open(record) }
        var ends: [CInt] = [-1, -1]
        guard socketpair(AF_UNIX, CInt(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0, &ends) == 0 else {
            throw SocketError.system("socketpair", errno)
        }
        let (near, far) = (Descriptor(adopting: ends[0]), Descriptor(adopting: ends[1]))
        let most = record.size ?? UploadTable.most(for: record.purpose, policy)
        let tap = UploadTap(socket: near, file: file, start: received, most: most, policy: policy)
        intakes[id] = try UploadIntake(tap, worker: environment.workers.uploads) { [weak self] intake in
            if self?.intakes[id] === intake { self?.intakes[id] = nil }
        }
        return (far, received)
    }

    func finish(_ id: UUIDv7) async throws -> Upload {
        let policy = try await environment.store.read { [choices] in try choices.files($0) }
        let record = try table.finish(id)
        let parent = record.parent.flatMap(table.record)
        await intakes[id]?.end()
        let size: Int64
        do {
            size = try await work { files in
                let size = record.isFolder ? record.bytes : files.received(record)
                if let expected = record.size, expected != size {
                    throw ControlError(
                        .invalid, "\(size) bytes of \(expected) are here", parameters: ["received": .integer(size)],
                        field: "id")
                }
                try UploadTable.check(size: size, for: record.purpose, policy)
                if let parent { try files.place(record, in: parent) } else { try files.finish(record) }
                return size
            }
        } catch {
            table.settle(id)
            if let failure = error as? UploadFiles.Failure, failure.code == EEXIST { throw UploadTable.isThere }
            throw error
        }
        return table.finished(record, size: size).shown(received: size)
    }

    func cancel(_ id: UUIDv7) async throws {
        try await knowSent()
        let records = try table.cancel(id)
        try await remove(records)
    }

    private func remove(_ records: [UploadRecord]) async throws {
        for record in records { await intakes[record.id]?.end() }
        try await work { files in for record in records { files.remove(record.id) } }
        for record in records { table.forget(record.id) }
    }

    /// The uploads that no message names.
    func list() async throws -> [Upload] {
        try await knowSent()
        let records = table.unsent
        return try await work { files in records.map { $0.shown(received: $0.isFolder ? 0 : files.received($0)) } }
    }

    // MARK: Use

    /// Keeps an upload that a request names until ``release(_:isSent:)``.
    /// - Returns: where it lies.
    func hold(_ id: UUIDv7) throws -> String { files.path(of: try table.hold(id)) }

    /// Keeps the uploads that lie at these paths until ``release(_:isSent:)``.
    /// - Returns: their ids; other paths count for nothing.
    package func hold(paths: [String]) -> [UUIDv7] {
        paths.compactMap(files.upload(at:)).filter { (try? table.hold($0)) != nil }
    }

    /// - Parameter isSent: whether messages name them now.
    package func release(_ ids: [UUIDv7], isSent: Bool) {
        for id in ids { table.release(id, isSent: isSent) }
    }

    /// Removes uploads that were not sent within a day and those that were sent long ago, by the trusted clock.
    private func removeOld() async throws {
        guard !table.isEmpty else { return }
        let root = files.root + "/"
        let days = environment.settings[SettingsCatalogue.filesKeepSentDays]
        table.beginExpiry()
        let (sent, ages) = try await environment.store.commit { transaction in
            try transaction.noteSent(beneath: root)
            let kept = days > 0 ? transaction.stamp(before: .seconds(days * 86_400)) : nil
            let ages = UploadTable.Ages(
                now: transaction.stamp, day: transaction.stamp(before: ControlLimits.uploadAge), kept: kept)
            return (try transaction.sentPaths(beneath: root), ages)
        }
        let new = table.stamp(now: ages.now)
        try await work { files in for id in new { try files.note(since: ages.now, of: id) } }
        var uses: [UUIDv7: Int64?] = [:]
        for use in sent {
            guard let id = files.upload(at: use.path) else { continue }
            let other: Int64? = uses[id] ?? .min
            let end: Int64? = if use.isOver, let other, let since = use.since { max(other, since) } else { nil }
            uses.updateValue(end, forKey: id)
        }
        let old = table.expire(ages, uses: uses)
        guard !old.isEmpty else { return }
        try await remove(old)
        log.info("old uploads were removed", [("count", "\(old.count)")])
    }
}
