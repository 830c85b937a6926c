import Basics
import Glibc
import Messaging
import Network
import Reactor
import Runtime
import Store
import Transfer

/// The files that go with parcels (docs/PROTOCOL-COURIERS.md): fetches those that are to be kept for others, removes those
/// that are kept no more, and knows which of our transfers couriers have.
///
/// The row of a file is written first and removed first: a file in the folder without a row is nobody's.
@ReactorActor final class ParcelFiles {
    /// The folder with the sealed files that are kept for others.
    nonisolated let directory: String
    private unowned let service: TransferService
    private let environment: Environment
    private let log: Logger
    /// The couriers that have the file of each transfer of ours.
    private var couriers: [UUIDv7: Set<AccountID>] = [:]
    private var turns = ParcelTurns()
    private var timer: TimerToken?
    private var isLooking = false
    private var isStale = false
    private var isNew = true

    init(service: TransferService, environment: Environment, log: Logger) {
        self.service = service
        self.environment = environment
        self.log = log
        directory = environment.directory + "/parcels"
    }

    nonisolated static func path(of file: UUIDv7, in directory: String) -> String { "\(directory)/\(file)" }

    /// The couriers that have the file of a transfer of ours.
    func couriers(of transfer: UUIDv7) -> Set<AccountID> { couriers[transfer] ?? [] }

    func start() {
        isNew = true
        look()
    }

    func stop() { timer?.cancel() }

    // MARK: What there is

    /// What the database and the folder have.
    private struct Found: Sendable {
        var lacking: [SealedFileRow]
        var coming: [ComingSealedFileRow]
    }

    /// Call when rows have come or gone.
    func look() {
        guard !isLooking else {
            isStale = true
            return
        }
        isLooking = true
        isStale = false
        let (store, directory, isNew) = (environment.store, directory, isNew)
        environment.workers.uploads.submit { [weak self] in
            let found = Result { try Self.look(store, in: directory, isNew: isNew) }
            Reactor.shared.post { self?.looked(found) }
        }
    }

    /// Removes what has no row. Blocking.
    /// - Parameter isNew: whether nothing is being fetched yet, so that what isn't whole has to go.
    private nonisolated static func look(_ store: Store, in directory: String, isNew: Bool) throws -> Found {
        // The names come first: a row that is written meanwhile may have a file by then.
        let names = names(in: directory)
        let (kept, coming) = try store.readAndWait { (try SealedFiles.kept($0), try SealedFiles.coming($0)) }
        var wanted: Set<String> = []
        var gone: [UUIDv7] = []
        for row in kept {
            let name = "\(row.id)"
            if row.leaves != nil || !isNew { wanted.insert(name) }
            if row.leaves == nil, !isNew { wanted.insert(SafeName.part(row.id)) }
            if row.leaves != nil, isNew, !names.contains(name) { gone.append(row.id) }
        }
        for name in names where !wanted.contains(name) { unlink("\(directory)/\(name)") }
        // Somebody has removed them, or the disk has lost them: they are fetched again, if they are still to be had.
        let lost = gone
        if !lost.isEmpty {
            try store.commitAndWait { for id in lost { try SealedFiles.lose(id, in: $0) } }
        }
        return Found(lacking: kept.filter { $0.leaves == nil || lost.contains($0.id) }, coming: coming)
    }

    private nonisolated static func names(in directory: String) -> Set<String> {
        guard let folder = opendir(directory) else { return [] }
        defer { closedir(folder) }
        var names: Set<String> = []
        while let entry = readdir(folder) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if name != ".", name != ".." { names.insert(name) }
        }
        return names
    }

    private func looked(_ result: Result<Found, any Error>) {
        isLooking = false
        switch result {
        case .failure(let error): log.error("the files of parcels can't be looked at", [("error", "\(error)")])
        case .success(let found):
            isNew = false
            for file in turns.replace(found.lacking) { service.running[file]?.cancel() }
            couriers = [:]
            for row in found.coming { couriers[row.transfer, default: []].insert(row.courier) }
            service.couriersChanged()
            fetch()
        }
        if isStale { look() }
    }

    // MARK: Kept for others

    /// An account is here: what it has is fetched without a pause.
    func appeared(_ account: AccountID) {
        turns.appeared(account)
        fetch()
    }

    /// Fetches files whose depositor is here.
    private func fetch() {
        guard !service.isStopping else { return }
        let now = environment.clocks.now
        let isHere: (AccountID) -> Bool = { [service] in service.canBeDialled($0) }
        while let row = turns.next(at: now, from: isHere) {
            ParcelFetch(row, into: directory, service: service, environment: environment, log: log) { [weak self] in
                self?.fetched(row, $0)
            }.start()
        }
        // Its end leads back here.
        if let file = turns.overdue(at: now, from: isHere) { service.running[file]?.cancel() }
        timer?.cancel()
        timer = turns.wakeUp(after: now).map {
            Reactor.shared.schedule(at: $0) { [weak self] in self?.fetch() }
        }
    }

    private func fetched(_ row: SealedFileRow, _ end: ParcelFetch.End) {
        turns.ended(row, end, at: environment.clocks.now)
        switch end {
        // It may have been dropped meanwhile.
        case .over: look()
        case .never: environment.commits.commit(.sealedFile(row.id)) { try SealedFiles.forget(row, in: $0) }
        case .later: break
        }
        fetch()
    }

    // MARK: For us

    /// A courier has not got a file of ours: what it said is over, or was never so.
    func isNot(_ file: UUIDv7, at courier: AccountID) {
        environment.commits.commit(.sealedFile(file)) { try SealedFiles.forget(file, at: courier, in: $0) }
    }

    /// What a courier has under the name of a file for us is something else: nobody wants it.
    func spurn(_ file: UUIDv7, at courier: AccountID) {
        environment.commits.commit(.sealedFile(file)) {
            try ParcelRecords(transaction: $0).release(file, at: courier)
        }
    }

    /// A transfer is over. The couriers that have its file are told.
    func over(_ transfer: UUIDv7) {
        let store = environment.store
        environment.workers.uploads.submit { [weak self] in
            guard (try? store.readAndWait { try SealedFiles.concern(transfer, $0) }) ?? true else { return }
            Reactor.shared.post {
                self?.environment.commits.commit(.sealedFile(transfer)) {
                    try ParcelRecords(transaction: $0).releaseFiles()
                }
            }
        }
    }
}
