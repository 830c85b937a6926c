import Basics
import ControlProtocol
import Glibc
import Messaging
import Reactor
import Runtime
import Store
import Threads
import Transfer

/// One attempt to fetch a sealed file from the maker of its parcel, to keep it for the recipient.
@ReactorActor final class ParcelFetch {
    /// How an attempt has ended.
    enum End {
        /// It is here, or isn't wanted any more.
        case over
        /// The connection broke, or there is no room now.
        case later
        /// The maker hasn't got it any more, or gave what is not the file.
        case never
    }

    private let row: SealedFileRow
    private let directory: String
    private unowned let service: TransferService
    private let environment: Environment
    private let log: Logger
    private let then: @ReactorActor (End) -> Void
    private let transfer: RunningTransfer

    init(
        _ row: SealedFileRow, into directory: String, service: TransferService, environment: Environment, log: Logger,
        then: @escaping @ReactorActor (End) -> Void
    ) {
        self.row = row
        self.directory = directory
        self.service = service
        self.environment = environment
        self.log = log
        self.then = then
        transfer = RunningTransfer(id: row.id, peer: row.depositor, direction: .incoming)
    }

    func start() {
        let (row, directory, store, transfer) = (row, directory, environment.store, transfer)
        service.running[row.id] = transfer
        transfer.phase = .preparing
        transfer.onThread { () -> SwarmDownload? in
            // The row may have changed since it was read.
            guard try store.readAndWait({ try SealedFiles.kept(row.id, $0) }) == row else { return nil }
            let job = try Self.job(row, directory, store)
            _ = try job.prepare()
            Reactor.shared.post { transfer.isReady(job.cancel) }
            return job
        } then: { result in
            switch result {
            case .failure(let failure): self.fail(failure)
            case .success(nil): self.end(.over)
            case .success(let job?): self.dial(job)
            }
        }
    }

    private func dial(_ job: SwarmDownload) {
        guard !transfer.isCancelled, let address = service.sessions.address(of: row.depositor) else {
            return end(.later)
        }
        transfer.phase = .dialling
        let call = BulkDial(peer: row.depositor) { result in
            self.transfer.call = nil
            switch result {
            case .failure: self.end(.later)
            case .success(let connection): self.receive(job, over: connection)
            }
        }
        transfer.call = call
        call.connection = service.dialler.dial(for: row.depositor, at: address, call)
    }

    private func receive(_ job: SwarmDownload, over connection: BulkConnection) {
        transfer.moves(over: connection, now: environment.clocks.now)
        let row = row
        transfer.fetch(job, from: connection) { result, end in
            // The disk's failure has ended the source.
            if case .failure(let failure) = result, failure != .cancelled || end == .complete {
                return self.fail(failure)
            }
            switch end {
            case .complete: self.end(.over)
            case .ended(.peer(let reason, _)): self.end(reason == .notFound ? .never : .later)
            case .ended: self.end(.later)
            case .lied(let what):
                self.log.warning(
                    "a file for a parcel is not what its maker has named, and is kept for nobody",
                    [("id", "\(row.id)"), ("maker", "\(row.depositor)"), ("what", what)])
                self.end(.never)
            }
        }
    }

    private func fail(_ failure: TransferFailure) {
        log.debug("a file for a parcel can't be fetched now", [("id", "\(row.id)"), ("because", failure.detail)])
        end(.later)
    }

    private func end(_ end: End) {
        service.forget(transfer)
        then(end)
    }

    /// Blocking.
    private nonisolated static func job(
        _ row: SealedFileRow, _ directory: String, _ store: Store
    ) throws -> SwarmDownload {
        try Paths.makeDirectory(directory, mode: 0o700)
        // What is under its name was not noted as whole, so it isn't known what it is.
        unlink(ParcelFiles.path(of: row.id, in: directory))
        guard let root = TreeHash(row.root) else { throw TransferFailure.invalid("a root") }
        let reserve = try store.readAndWait { try $0.setting(SettingsCatalogue.filesFreeSpaceReserveBytes) }
        let plan = ReceivePlan(
            transfer: row.id, name: "\(row.id)",
            offer: ReceiverMachine.Offer(isFolder: false, size: UInt64(clamping: row.bytes), files: 1),
            directory: directory, freeSpaceReserve: UInt64(clamping: reserve), mask: 0o077, isPlain: true,
            isSealed: true)
        return SwarmDownload(
            plan, fileRoot: root, leaves: nil, journal: ParcelFileJournal(row, store: store))
    }
}

/// Notes that a sealed file is whole, or removes it if it isn't wanted any more. What came of one that isn't whole is
/// fetched again.
private final class ParcelFileJournal: DownloadJournal {
    private let row: SealedFileRow
    private let store: Store
    private let leaves = Lock<[UInt8]>([])

    init(_ row: SealedFileRow, store: Store) {
        self.row = row
        self.store = store
    }

    func hashesReceived(_ leaves: [UInt8]) { self.leaves.withLock { $0 = leaves } }

    func finished(path: String, renamed: [RenamedEntry]) throws {
        let (row, leaves) = (row, leaves.withLock { $0 })
        let isWanted = try store.commitAndWait { try SealedFiles.complete(row, leaves: leaves, in: $0) }
        // Nobody wants it, or another file has come under its id, as which it would count.
        if !isWanted { unlink(path) }
    }

    func manifestReceived(_ manifest: Manifest) {}
    func committedChunksReplaced(_ runs: [ChunkRun]) {}
    func leftOut(_ files: [LeftOutFile]) {}
    func checkpoint(_ newChunks: [ChunkRun], bytesDone: UInt64, filesDone: Int) {}
    func willFinish(_ mark: FinishMark) {}
}
