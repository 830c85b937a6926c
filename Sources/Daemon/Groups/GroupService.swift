import Basics
import PeerProtocol
import Reactor
import Store

/// Groups on the network: who is looked for, who is told what we have, who is asked for what we lack.
///
/// This room (`Groups`) knows how a group goes from and to the database. What is said goes through the outbox, like what is said
/// between two; this shell sees to the rest: that members who missed something get it from whoever has it.
@ReactorActor final class GroupService {
    private unowned let context: Context
    let book: GroupBook
    let log: Logger
    private lazy var exchange = GroupExchange(context: context, service: self)
    private var meeting: TimerToken?
    private var telling: TimerToken?
    /// Groups that have learnt something, and whom they have it from: those need not be told.
    private var news: [EntryHash: Set<AccountID>] = [:]
    private var looks = 0
    private var random = SystemRandomNumberGenerator()

    init(context: Context, book: GroupBook) {
        self.context = context
        self.book = book
        log = context.log.labelled("groups")
    }

    // MARK: Coming and going

    func start() { look() }

    func stop() {
        meeting?.cancel()
        telling?.cancel()
        news = [:]
        exchange.end()
        book.setHere([])
    }

    /// A session's peer has said who they are.
    func met(_ session: PeerSession) {
        session.groupMateChanged(book.isMate(session.peer.account))
        for root in book.shared(with: session.peer.account) { exchange.begin(root, with: session) }
    }

    func ended(_ session: PeerSession) { exchange.ended(session) }

    /// A member's frame that needs no receipt. Whether they are a member of that group is looked up where it matters.
    func heard(_ frame: GroupFrame, from session: PeerSession) {
        let account = session.peer.account
        if case .typing(let body) = frame {
            guard book.shared(with: account).contains(body.root) else { return }
            return context.typing.heard(account, in: body.root, isTyping: body.isTyping)
        }
        exchange.heard(frame, from: session)
    }

    // MARK: After a commit

    /// - Parameter session: through which it came; nil for what the person here wanted.
    func apply(_ effects: GroupEffects, from session: PeerSession? = nil) {
        for group in effects.groups {
            let (came, went) = book.update(group)
            for account in came.union(went) { mateChanged(account) }
            guard group.isMember else { continue }
            for account in came { begin(group.root, with: account) }
        }
        for transfer in effects.transfers { context.transfers.peerChanged(transfer) }
        for root in effects.news {
            if let session { news[root, default: []].insert(session.peer.account) }
        }
        if let session {
            for (root, missing) in effects.missing { exchange.lacks(missing, of: root, from: session) }
            if !effects.news.isEmpty { tellSoon() }
        }
        if !effects.groups.isEmpty { fetchLogos() }
    }

    private func mateChanged(_ account: AccountID) {
        context.network?.session(with: account)?.groupMateChanged(book.isMate(account))
    }

    private func begin(_ root: EntryHash, with account: AccountID) {
        guard let session = context.network?.session(with: account), session.isMet else { return }
        exchange.begin(root, with: session)
    }

    // MARK: Telling

    /// What came by catch-up is news to others, too, who have no session with whoever gave it.
    private func tellSoon() {
        guard telling == nil else { return }
        telling = Reactor.shared.schedule(at: context.clocks.now + DaemonLimits.groupNewsDelay) { [weak self] in
            self?.telling = nil
            self?.tell()
        }
    }

    private func tell() {
        let told = news
        news = [:]
        for (root, sources) in told {
            guard let group = book.entry(root), group.isMember else { continue }
            for account in group.others.keys where !sources.contains(account) { begin(root, with: account) }
        }
    }

    // MARK: Meeting

    /// Sees to it that each group has a few sessions, and notes who is about.
    private func look() {
        guard let network = context.network else { return }
        var standings: [GroupMeetings.Standing] = []
        var here: Set<AccountID> = []
        for group in book.all {
            var standing = GroupMeetings.Standing(reachable: [], connected: [])
            for (account, devices) in group.others {
                if network.session(with: account) != nil {
                    standing.connected.insert(account)
                    here.insert(account)
                } else if context.contacts.relation(account) != .blocked,
                    devices.contains(where: { network.directory.entry($0)?.isPresent == true })
                {
                    standing.reachable.append(account)
                    here.insert(account)
                }
            }
            standings.append(standing)
        }
        book.setHere(here)
        for account in GroupMeetings.wanted(standings, using: &random) {
            for device in book.devices(of: account) { network.dialler.pend(device) }
        }
        looks += 1
        if looks % DaemonLimits.groupComparisonLooks == 0 { compare() }
        meeting = Reactor.shared.schedule(at: context.clocks.now + DaemonLimits.groupMeetingInterval) { [weak self] in
            self?.look()
        }
    }

    /// Whatever went wrong, in the end everybody has everything: each group is compared with somebody now and then.
    private func compare() {
        for group in book.all {
            let connected = group.others.keys.filter { context.network?.session(with: $0) != nil }
            if let account = connected.randomElement(using: &random) { begin(group.root, with: account) }
        }
    }

    // MARK: Pictures

    private func fetchLogos() {}
}
