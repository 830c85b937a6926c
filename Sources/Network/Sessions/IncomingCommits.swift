import Basics
import Messaging
import PeerProtocol
import Reactor
import Runtime
import Store
import Threads
import Vocabulary

/// Looks at the places where received files go. A file system that hangs holds it up for a few seconds at most.
@ReactorActor package protocol DownloadInspector {
    func lookAtDownloads(then: @escaping @ReactorActor (Destination) -> Void)
}

/// What sees to frames that are stored, as the sessions know it. It outlives the network, because something may still be
/// on its way to the disk when the network goes.
@ReactorActor package protocol IncomingServices: DownloadInspector {
    /// Frames have come that are about to be stored.
    func came(_ frames: [DurableFrame], from account: AccountID)
    /// The graphs of the groups' memberships that are kept in memory.
    var graphs: GroupGraphs { get }
    /// How many groups there are.
    var groupCount: Int { get }
    /// The committer of a session's frames.
    func committer(
        of frames: [DurableFrame], from session: PeerSession, at destination: Destination
    ) -> IncomingCommitter
    /// Opens parcels for this account; nil while it has no keys.
    var parcels: ParcelOpening? { get }
    /// Tells other members of a group what was stored.
    func spread(_ effects: GroupEffects, from session: PeerSession)
}

/// What one account sends, over any of its sessions, on its way into the database. All sessions of an account together
/// have as many jobs in the store as one session has, so opening session after session gains an account nothing.
///
/// Pages of a group's catch-up don't go through it: each session has one of them under way (``GroupSync``).
@ReactorActor package final class IncomingCommits {
    /// Tells the jobs after a failed one that they must not overtake it.
    private final class Chain: Sendable {
        private let state = Lock(false)
        var isBroken: Bool { state.withLock { $0 } }
        func breakOff() { state.withLock { $0 = true } }
    }

    /// How many lanes have jobs in the store.
    @ReactorActor final class Company { fileprivate(set) var busy = 0 }

    /// A job before this one has failed.
    private struct BehindFailure: Error {}

    private let environment: Environment
    let services: any IncomingServices
    private let log: Logger
    private let company: Company
    private var isBusy = false
    /// Whether a piece is being prepared, so that the pieces after it wait.
    private var isChecking = false
    private var queue = CommitQueue()
    /// Parcels that are opened for the account, and those that it may leave here for others.
    private var openings = RateLimiter(NetworkLimits.parcelsOpened)
    private var deposits = RateLimiter(NetworkLimits.parcelsKept)
    private var chain = Chain()
    /// Sessions that something is under way for, by number.
    private var sessions: [Int: PeerSession] = [:]
    private var lastNumber = 0
    /// The number of the session that ended last.
    private var ended: Int?

    init(environment: Environment, services: any IncomingServices, company: Company) {
        self.company = company
        self.environment = environment
        self.services = services
        log = environment.log.labelled("session")
    }

    /// - Returns: the session's number here.
    package func enter() -> Int {
        lastNumber += 1
        return lastNumber
    }

    package func append(_ frames: [DurableFrame], destination: Destination, from session: PeerSession) {
        // The session stays until everything is committed, even if it has ended meanwhile: a peer that has said goodbye
        // can't soon say everything again.
        sessions[session.number] = session
        queue.append(frames, destination: destination, from: session.number)
        submitNext()
    }

    /// Call when a session has ended. What is left of the session that ended last is committed. What is left of earlier
    /// sessions is sent again.
    package func left(_ session: PeerSession) {
        if let ended, ended != session.number { queue.drop(ended) }
        ended = session.number
        note()
        if queue.isEmpty, queue.underWay == 0 { sessions = [:] }
    }

    private func submitNext() {
        note()
        let limit = NetworkLimits.commitsAtOnce(onDisk: environment.store.commitCost, for: company.busy)
        while !isChecking, let piece = queue.next(limit: limit) {
            if queue.underWay == 1 { chain = Chain() }
            submit(piece)
        }
        note()
        if queue.isEmpty, queue.underWay == 0 { sessions = [:] }
    }

    /// Tells the other lanes whether this one has jobs, or is about to.
    private func note() {
        let isNow = queue.underWay > 0 || !queue.isEmpty
        guard isNow != isBusy else { return }
        isBusy = isNow
        company.busy += isNow ? 1 : -1
    }

    private func submit(_ piece: CommitQueue.Piece) {
        guard let session = sessions[piece.source] else { return queue.finished() }
        prepare(preparations(for: piece)[...], of: session, Prepared()) { prepared in
            self.commit(piece, of: session, prepared)
        }
    }

    /// What was found before the commit, by the ids of frames.
    private struct Prepared: Sendable {
        var checked: [UUIDv7: CheckedEntries] = [:]
        var opened: [UUIDv7: OpenedParcel] = [:]
    }

    /// Work that takes too long for the writing thread, for which everything waits.
    private enum Preparation {
        case check(UUIDv7, GroupChangeBody)
        case warm(EntryHash)
        case open(UUIDv7, ParcelBody)
    }

    private func preparations(for piece: CommitQueue.Piece) -> [Preparation] {
        let graphs = services.graphs
        // With fewer groups each graph is made once and kept.
        let someAreCold = services.groupCount > MessagingLimits.keptGraphs
        var cold: Set<EntryHash> = []
        return piece.frames.compactMap { frame in
            switch frame.content {
            case .groupChange(let body): return .check(frame.id, body)
            case .groupEntry(let body) where someAreCold:
                guard let root = body.root, !graphs.isKept(root), cold.insert(root).inserted else { return nil }
                return .warm(root)
            case .parcel(let body):
                guard services.parcels?.isOurs(body) == true, openings.acquire(now: environment.clocks.now) else {
                    return nil
                }
                return .open(frame.id, body)
            default: return nil
            }
        }
    }

    /// The parcels for others in a piece that are more than the account may leave here now.
    private func parcelsPutOff(_ frames: [DurableFrame]) -> Set<UUIDv7> {
        var putOff: Set<UUIDv7> = []
        for frame in frames {
            guard case .parcel(let body) = frame.content, services.parcels?.isOurs(body) == false else { continue }
            if !deposits.acquire(now: environment.clocks.now) { putOff.insert(frame.id) }
        }
        return putOff
    }

    /// Checks membership entries, makes graphs and opens parcels, one after the other, on a thread for which nobody waits.
    private func prepare(
        _ preparations: ArraySlice<Preparation>, of session: PeerSession, _ prepared: Prepared,
        then: @escaping @ReactorActor (Prepared) -> Void
    ) {
        guard let next = preparations.first else { return then(prepared) }
        isChecking = true
        let (account, graphs, parcels) = (session.peer.account, services.graphs, services.parcels)
        environment.store.read(by: .long) { transaction in
            var prepared = prepared
            switch next {
            case .check(let id, let body):
                let entries = try CheckedEntries.check(body, from: account, in: transaction)
                if entries?.isEmpty == false { graphs.warm(body.root, in: transaction) }
                prepared.checked[id] = entries
            case .warm(let root): graphs.warm(root, in: transaction)
            case .open(let id, let body): prepared.opened[id] = try parcels?.open(body, id: id, in: transaction)
            }
            return prepared
        } then: { result in
            self.isChecking = false
            self.prepare(preparations.dropFirst(), of: session, (try? result.get()) ?? prepared, then: then)
            if !self.isChecking { self.submitNext() }
        }
    }

    private func commit(
        _ piece: CommitQueue.Piece, of session: PeerSession, _ prepared: Prepared
    ) {
        var ready = services.committer(of: piece.frames, from: session, at: piece.destination)
        (ready.checked, ready.opened) = (prepared.checked, prepared.opened)
        ready.parcelsPutOff = parcelsPutOff(piece.frames)
        let (committer, chain) = (ready, chain)
        environment.store.commit { transaction in
            guard !chain.isBroken else { throw BehindFailure() }
            do {
                return try committer.commit(piece.frames, in: transaction)
            } catch {
                chain.breakOff()
                throw error
            }
        } failed: {
            chain.breakOff()
        } then: {
            self.finish(piece, of: session, $0)
        }
    }

    private func finish(
        _ piece: CommitQueue.Piece, of session: PeerSession, _ result: Result<IncomingResult, any Error>
    ) {
        switch result {
        case .success(let result):
            queue.finished()
            services.spread(result.groups, from: session)
            environment.putOff.note(result.intake)
            if !result.couriers.isEmpty { session.owner?.heard(result.couriers) }
            for (outcome, ids) in result.outcomes { session.feed(.committed(ids, outcome)) }
        case .failure(is BehindFailure): queue.failed(piece, .earlier)
        case .failure(let error):
            let isPassing = (error as? StoreError)?.isPassing ?? false
            // Where the disk is at fault, trying each frame by itself would only take the writing thread's time.
            if !isPassing, !piece.isAlone, piece.frames.count > 1 {
                queue.failed(piece, .one)
            } else {
                log.error("what a peer sent can't be stored", [("error", "\(error)")])
                queue.failed(piece, .all)
                session.feed(.committed(piece.frames.map(\.id), .putOff(Self.refusal(error))))
            }
        }
        submitNext()
    }

    /// The refusal for an error of the store: the sender sends the same again after a while, so that a full disk
    /// doesn't cost a message.
    private static func refusal(_ error: any Error) -> Refusal {
        if case StoreError.full = error { return Refusal(.noSpace) }
        return Refusal(.busy, detail: "it can't be stored now")
    }
}

extension StoreError {
    /// Whether the fault isn't in the data, so that the same data may be written at another time.
    package var isPassing: Bool {
        switch self {
        case .full, .inputOutput, .busy, .tooLong, .noThread, .closed, .cannotOpen: true
        case .foreign, .corrupt, .unreleased, .newer, .constraint, .missing, .sql: false
        }
    }
}

/// The lanes of all accounts that have a session.
@ReactorActor struct CommitLanes {
    private struct Entry {
        weak var lane: IncomingCommits?
    }

    private var entries: [AccountID: Entry] = [:]
    let company = IncomingCommits.Company()

    /// Returns the account's lane, which lives as long as a session or a job of it.
    mutating func lane(for account: AccountID, make: () -> IncomingCommits) -> IncomingCommits {
        if let lane = entries[account]?.lane { return lane }
        entries = entries.filter { $0.value.lane != nil }
        let lane = make()
        entries[account] = Entry(lane: lane)
        return lane
    }
}
