import Account
import Basics
import Messaging
import PeerProtocol
import Reactor
import Runtime
import Vocabulary

/// The groups, as the exchange with other members knows them.
@ReactorActor package protocol GroupExchangeOwner: AnyObject {
    var environment: Environment { get }
    var account: CurrentAccount { get }
    var index: GroupIndex { get }
    var destinations: any DownloadInspector { get }
    var choices: TransactionSettings { get }
    var log: Logger { get }
    /// Tells other members of entries that were stored, and asks for those that they wait for.
    /// - Parameter session: the session through which the entries came; nil if they were here already.
    func spread(_ effects: GroupEffects, from session: PeerSession?)
}

/// Takes in the pages that a member gives.
@ReactorActor final class GroupPages {
    private let peer: AccountID
    private unowned let service: any GroupExchangeOwner
    private let reads: ReadLane
    private var environment: Environment { service.environment }

    init(from peer: AccountID, service: any GroupExchangeOwner, reads: ReadLane) {
        self.peer = peer
        self.service = service
        self.reads = reads
    }

    /// Commits a page. If files are offered, the disk is looked at first.
    /// - Parameters:
    ///   - session: the session that it came over.
    ///   - then: gets the result; nil if nothing could be taken now.
    func commit(
        _ page: GroupEntriesBody, asked question: GroupQuestion, by session: PeerSession?,
        then: @escaping @ReactorActor (GroupSyncInput?) -> Void
    ) {
        guard page.entries.contains(where: \.offersFiles) else {
            return check(page, asked: question, Destination(), session, then)
        }
        service.destinations.lookAtDownloads { [weak self, weak session] destination in
            self?.check(page, asked: question, destination, session, then)
        }
    }

    /// Signatures take time, so another thread than the writing thread checks them.
    private func check(
        _ page: GroupEntriesBody, asked question: GroupQuestion, _ destination: Destination, _ session: PeerSession?,
        _ then: @escaping @ReactorActor (GroupSyncInput?) -> Void
    ) {
        guard let scope = service.account.voice?.scope else { return }
        reads.read { transaction in
            scope.graphs.warm(page.root, in: transaction)
            return try CheckedGroupPage(page, asked: question, in: transaction)
        } then: { [weak self, weak session] result in
            switch result {
            case .success(let checked): self?.store(checked, destination, scope, session, then)
            case .failure: then(nil)
            }
        }
    }

    private func store(
        _ page: CheckedGroupPage, _ destination: Destination, _ scope: GroupScope, _ session: PeerSession?,
        _ then: @escaping @ReactorActor (GroupSyncInput?) -> Void
    ) {
        let (peer, space, root, choices) = (
            peer, DataSpace(of: environment.directory), page.body.root, service.choices
        )
        environment.store.commit { transaction in
            // Nothing is taken now, and we ask for the same later.
            let intake = try Intake(space, by: choices, in: transaction)
            guard !intake.isShut else { return nil as (GroupCommit?, GroupEffects, IntakeNews)? }
            var receiver = GroupReceiver(
                scope: scope, peer: peer, transaction: transaction, choices: choices, destination: destination,
                intake: intake)
            let commit = try receiver.page(page)
            return (commit, receiver.effects, receiver.news)
        } then: { [weak session, service] result in
            switch result {
            case .success(nil): then(nil)
            case .success((let commit, let effects, let news)?):
                service.environment.putOff.note(news)
                service.spread(effects, from: session)
                then(commit.map { .committed(root, $0) } ?? .unshared(root))
            case .failure(let error):
                service.log.error("what a member sent can't be stored", [("error", "\(error)")])
                then(nil)
            }
        }
    }
}
