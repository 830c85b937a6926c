import Basics
import Messaging
import PeerProtocol
import Reactor
import Store

/// Groups on the network: who is looked for, who is told what we have, who is asked for what we lack.
///
/// This room (`Groups`) knows how a group goes from and to the database. What is said goes through the outbox, like what is said
/// between two; this shell sees to the rest: that members who missed something get it from whoever has it.
@ReactorActor final class GroupService {
    private unowned let context: Context
    let index: GroupIndex
    let log: Logger
    private(set) lazy var logos = GroupAvatars(context: context, service: self)
    private lazy var exchange = GroupExchange(context: context) { [weak self] in self?.settled($0) }
    /// Groups in which what was written before anybody was met has yet to get its place in our chain.
    private var unsaid: Set<UUIDv7> = []
    private var meeting: TimerToken?
    private var looks = 0
    private var random = SystemRandomNumberGenerator()

    init(context: Context, index: GroupIndex) {
        self.context = context
        self.index = index
        log = context.log.labelled("groups")
    }

    // MARK: Coming and going

    func start() { look() }

    func stop() {
        meeting?.cancel()
        exchange.end()
        index.setHere([])
    }

    /// A session's peer has said who they are.
    func met(_ session: PeerSession) {
        session.groupMateChanged(index.knows(session.peer.account))
        for root in index.shared(with: session.peer.account) { exchange.share(root, with: session) }
    }

    func ended(_ session: PeerSession) { exchange.ended(session) }

    /// A member's frame that needs no receipt. Whether they are a member of that group is looked up where it matters.
    func heard(_ frame: GroupFrame, from session: PeerSession) {
        let account = session.peer.account
        if case .typing(let body) = frame {
            guard index.shared(with: account).contains(body.root) else { return }
            return context.typing.heard(account, in: body.root, isTyping: body.isTyping)
        }
        exchange.heard(frame, from: session)
    }

    // MARK: After a commit

    /// - Parameter session: through which it came; nil for what the person here wanted.
    func apply(_ effects: GroupEffects, from session: PeerSession? = nil) {
        for group in effects.groups {
            let (came, went) = index.update(group)
            for account in came.union(went) { mateChanged(account) }
            for session in context.network?.sessions.all ?? [] where session.isMet {
                let isShared = group.isMember && group.others[session.peer.account] != nil
                exchange.share(group.root, with: session, isShared)
            }
        }
        for transfer in effects.transfers { context.transfers.peerChanged(transfer) }
        // What came by the page is news to others, too, who have no session with whoever gave it.
        for root in effects.news {
            exchange.news(root, but: session, within: PeerLimits.announceAfterCatchUp)
        }
        for root in effects.live.subtracting(effects.news) {
            exchange.news(root, but: session, within: PeerLimits.announceAfterLive)
        }
        if let session { for (root, missing) in effects.missing { exchange.lacks(missing, of: root, from: session) } }
        if !effects.groups.isEmpty { logos.look() }
    }

    /// What others have of our own chain in a group is here.
    private func settled(_ root: EntryHash) {
        guard !context.settledGroups.contains(root), let group = index.entry(root) else { return }
        context.settledGroups.insert(root)
        unsaid.insert(group.id)
        sayDrafts(of: group.id)
    }

    /// A few at a time; what can't be stored now is tried again at the next look.
    private func sayDrafts(of id: UUIDv7) {
        guard let voice = context.voice else { return }
        context.store.submit { transaction -> Bool in
            guard let row = try transaction.group(id) else { return false }
            return try GroupCommands(voice, transaction).sayDrafts(of: row)
        } completion: { [weak self] result in
            Reactor.shared.post {
                switch result {
                case .success(true): self?.sayDrafts(of: id)
                case .success(false): self?.unsaid.remove(id)
                case .failure(let error):
                    self?.log.error("what was written in a group can't be sent yet", [("error", "\(error)")])
                }
            }
        }
    }

    private func mateChanged(_ account: AccountID) {
        context.network?.session(with: account)?.groupMateChanged(index.knows(account))
    }

    // MARK: Meeting

    /// Sees to it that each group has a few sessions, and notes who is about.
    private func look() {
        guard let network = context.network else { return }
        var standings: [GroupMeetings.Standing] = []
        var here: Set<AccountID> = []
        for group in index.all {
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
        index.setHere(here)
        for account in GroupMeetings.wanted(standings, using: &random) {
            for device in index.devices(of: account) where network.dialler.mayDial(device) {
                network.dialler.pend(device)
            }
        }
        logos.look()
        for group in index.all where !context.settledGroups.contains(group.root) { exchange.settle(group.root) }
        for id in unsaid { sayDrafts(of: id) }
        looks += 1
        if looks % DaemonLimits.groupComparisonLooks == 0 {
            compare()
            giveUp()
        }
        meeting = Reactor.shared.schedule(at: context.clocks.now + DaemonLimits.groupMeetingInterval) { [weak self] in
            self?.look()
        }
    }

    /// Whatever went wrong, in the end everybody has everything: each group is compared with somebody now and then.
    private func compare() {
        for group in index.all {
            let connected = group.others.keys.filter { context.network?.session(with: $0) != nil }
            if let account = connected.randomElement(using: &random),
                let session = context.network?.session(with: account)
            {
                exchange.changed(group.root, only: session)
            }
        }
    }

    /// What has waited for a day for something that nobody gives is shown without it.
    private func giveUp() {
        guard let scope = context.voice?.scope else { return }
        let moment = context.clocks.wallTime + (.zero - PeerLimits.heldTime)
        let groups = index.all.map(\.id)
        context.store.submit { transaction -> GroupEffects in
            var effects = GroupEffects()
            for id in groups {
                guard let row = try transaction.group(id), row.state == .member else { continue }
                var receiver = GroupReceiver(scope: scope, peer: scope.own, transaction: transaction, choices: .stored)
                try receiver.giveUp(since: moment, in: row)
                effects.add(receiver.effects)
            }
            return effects
        } completion: { [weak self] result in
            guard case .success(let effects) = result else { return }
            Reactor.shared.post { self?.apply(effects) }
        }
    }
}
