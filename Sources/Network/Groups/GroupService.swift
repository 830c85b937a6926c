import Account
import Basics
import Messaging
import PeerProtocol
import Reactor
import Runtime
import Store
import Vocabulary

/// Groups on the network: which members we look for, tell what we have, and ask for what we lack.
///
/// What is said in a group goes through the outbox, like what is said between two. This shell sees to the rest: that a
/// member that missed something gets it from another member.
@ReactorActor package final class GroupService: GroupExchangeOwner {
    package let environment: Environment
    package let account: CurrentAccount
    package let index: GroupIndex
    package let log: Logger
    package let destinations: any DownloadInspector
    package let choices: TransactionSettings
    package let sessions: Sessions
    private let contacts: ContactIndex
    private let typing: TypingService
    private let avatarService: AvatarService
    private unowned let finder: any DeviceFinder
    /// Is told of each group that has changed, once that is stored.
    package var onChange: @ReactorActor (GroupIndex.Entry) -> Void = { _ in }
    package private(set) lazy var avatars = GroupAvatars(
        environment: environment, account: account, sessions: sessions, avatarService: avatarService, index: index)
    private lazy var exchange = GroupExchange(service: self) { [weak self] in self?.settled($0) }
    /// Groups with drafts: entries that were written before a member was met, and have yet to get their place in our
    /// chain.
    private var unsaid: Set<UUIDv7> = []
    private var isRunning = false
    private var meeting: TimerToken?
    private var looks = 0
    private var random = SystemRandomNumberGenerator()

    package init(
        environment: Environment, account: CurrentAccount, index: GroupIndex, contacts: ContactIndex,
        sessions: Sessions, destinations: any DownloadInspector, choices: TransactionSettings, typing: TypingService,
        avatarService: AvatarService,
        finder: any DeviceFinder
    ) {
        self.environment = environment
        self.account = account
        self.index = index
        self.contacts = contacts
        self.sessions = sessions
        self.destinations = destinations
        self.choices = choices
        self.typing = typing
        self.avatarService = avatarService
        self.finder = finder
        log = environment.log.labelled("groups")
    }

    // MARK: Coming and going

    package func start() {
        isRunning = true
        look()
    }

    package func stop() {
        isRunning = false
        meeting?.cancel()
        exchange.end()
        index.setHere([])
    }

    /// Call when the card of a session's peer has come.
    package func met(_ session: PeerSession) {
        session.groupMateChanged(index.knows(session.peer.account))
        for root in index.shared(with: session.peer.account) { exchange.share(root, with: session) }
        avatars.look()
    }

    package func ended(_ session: PeerSession) {
        exchange.ended(session)
        avatars.ended(session)
    }

    /// Takes a frame that needs no receipt. Whether its sender is a member of the group is looked up where it matters.
    package func heard(_ frame: GroupFrame, from session: PeerSession) {
        let account = session.peer.account
        if case .typing(let body) = frame {
            guard index.shared(with: account).contains(body.root) else { return }
            return typing.heard(account, in: body.root, isTyping: body.isTyping)
        }
        exchange.heard(frame, from: session)
    }

    // MARK: After a commit

    /// Call with the groups that a commit has changed.
    package func committed(_ groups: [WholeGroup]) {
        guard !groups.isEmpty, let own = account.profile?.account else { return }
        for group in groups.compactMap({ GroupIndex.entry(of: $0, own: own) }) {
            let (came, went) = index.update(group)
            for account in came.union(went) { mateChanged(account) }
            onChange(group)
            for session in sessions.all where session.isMet {
                let isShared = group.isMember && group.others[session.peer.account] != nil
                exchange.share(group.root, with: session, isShared)
            }
        }
        avatars.look()
        if meeting == nil { lookLater() }
    }

    /// Tells other members of entries that were stored, and asks for those that they wait for.
    /// - Parameter session: the session through which the entries came; nil if they were here already.
    package func spread(_ effects: GroupEffects, from session: PeerSession? = nil) {
        // Entries from a page are news also to members that have no session with the one that gave the page.
        for root in effects.news {
            exchange.news(root, but: session, within: PeerLimits.announceAfterCatchUp)
        }
        for root in effects.live.subtracting(effects.news) {
            exchange.news(root, but: session, within: PeerLimits.announceAfterLive)
        }
        if let session { for (root, missing) in effects.missing { exchange.lacks(missing, of: root, from: session) } }
    }

    /// Call when everything that other members have of our own chain in a group is here.
    private func settled(_ root: EntryHash) {
        guard !account.settledGroups.contains(root), let group = index.entry(root) else { return }
        account.settledGroups.insert(root)
        unsaid.insert(group.id)
        sayDrafts(of: group.id)
    }

    /// Gives a few drafts at a time their place. If they can't be stored now, the next look tries again.
    private func sayDrafts(of id: UUIDv7) {
        guard let voice = account.voice else { return }
        environment.store.commit { transaction -> Bool in
            guard let row = try transaction.group(id) else { return false }
            return try GroupCommands(voice, transaction).sayDrafts(of: row)
        } then: { [weak self] result in
            switch result {
            case .success(true): self?.sayDrafts(of: id)
            case .success(false): self?.unsaid.remove(id)
            case .failure(let error):
                self?.log.error("what was written in a group can't be sent yet", [("error", "\(error)")])
            }
        }
    }

    private func mateChanged(_ account: AccountID) {
        sessions.with(account)?.groupMateChanged(index.knows(account))
    }

    // MARK: Meeting

    /// Makes sure that each group has a few sessions, and notes which members can be reached.
    private func look() {
        var standings: [GroupPeerSelection.Standing] = []
        var here: Set<AccountID> = []
        let connected = Set(sessions.all.map(\.peer.account))
        for group in index.all {
            var standing = GroupPeerSelection.Standing(reachable: [], connected: [])
            for (account, devices) in group.others {
                if connected.contains(account) {
                    standing.connected.insert(account)
                    here.insert(account)
                } else if contacts.relation(account) != .blocked,
                    devices.contains(where: finder.isPresent)
                {
                    standing.reachable.append(account)
                    here.insert(account)
                }
            }
            standings.append(standing)
        }
        index.setHere(here)
        for account in GroupPeerSelection.wanted(standings, using: &random) {
            for device in index.devices(of: account) { finder.seek(device) }
        }
        avatars.look()
        for group in index.all where !account.settledGroups.contains(group.root) { exchange.settle(group.root) }
        for id in unsaid { sayDrafts(of: id) }
        looks += 1
        if looks % NetworkLimits.groupComparisonLooks == 0 {
            compare()
            giveUp(index.all.map(\.id)[...])
        }
        lookLater()
    }

    /// Looks again a moment later, as long as there is a group.
    private func lookLater() {
        meeting?.cancel()
        meeting = nil
        guard isRunning, !index.all.isEmpty else { return }
        meeting = Reactor.shared.schedule(at: environment.clocks.now + NetworkLimits.groupMeetingInterval) {
            [weak self] in
            self?.look()
        }
    }

    /// Compares a group with one member now and then, so that in the end every member has everything, whatever went
    /// wrong.
    private func compare() {
        let connected = Set(sessions.all.map(\.peer.account))
        for group in index.all {
            let members = connected.filter { group.others[$0] != nil }
            if let account = members.randomElement(using: &random), let session = sessions.with(account) {
                exchange.changed(group.root, only: session)
            }
        }
    }

    /// Shows entries that have waited a day for something that no member gives. One transaction takes one group at
    /// most.
    private func giveUp(_ groups: ArraySlice<UUIDv7>) {
        guard let scope = account.voice?.scope, !groups.isEmpty else { return }
        let moment = environment.clocks.wallTime + (.zero - PeerLimits.heldTime)
        environment.store.commit { [choices] transaction -> (GroupEffects, rest: ArraySlice<UUIDv7>) in
            var rest = groups
            while let id = rest.popFirst() {
                guard let row = try transaction.group(id), row.state == .member else { continue }
                var receiver = GroupReceiver(scope: scope, peer: scope.own, transaction: transaction, choices: choices)
                if try receiver.giveUp(since: moment, in: row) { return (receiver.effects, rest) }
            }
            return (GroupEffects(), rest)
        } then: { [weak self] result in
            guard case .success(let (effects, rest)) = result else { return }
            self?.spread(effects)
            self?.giveUp(rest)
        }
    }
}
