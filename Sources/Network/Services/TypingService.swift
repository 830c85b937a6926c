import Basics
import ControlProtocol
import Messaging
import PeerProtocol
import Reactor
import Runtime
import Store
import Vocabulary

/// Tells friends that we are typing, and clients that friends are.
///
/// It feeds the two machines of typing and carries out their effects. One setting governs both directions: a user who
/// doesn't show their typing doesn't see that of others.
@ReactorActor package final class TypingService {
    private let environment: Environment
    private let sessions: Sessions
    private let groups: GroupIndex
    private unowned let clients: any NetworkObserver
    private var friends = TypingMachine()
    private var own = TypingPace()
    private var timer: TimerToken?
    private var armedFor: Instant?

    package init(environment: Environment, sessions: Sessions, groups: GroupIndex, clients: any NetworkObserver) {
        self.environment = environment
        self.sessions = sessions
        self.groups = groups
        self.clients = clients
        environment.settings.onChange(SettingsCatalogue.typing) { [weak self] isOn in
            if !isOn { self?.endAll() }
        }
    }

    private var isOn: Bool { environment.settings[SettingsCatalogue.typing] }

    // MARK: Typing here

    /// A client says that its user is typing to a friend, or no more. Nothing happens for a friend that is not here.
    package func set(_ account: AccountID, isTyping: Bool) {
        guard isOn, sessions.with(account) != nil else { return }
        send(own.set(account, isTyping: isTyping, now: environment.clocks.now))
        arm()
    }

    /// Does the same in a group: the members that are connected are told.
    package func set(in group: EntryHash, isTyping: Bool) {
        guard isOn, let entry = groups.entry(group), entry.isMember else { return }
        for account in entry.others.keys where sessions.with(account) != nil {
            send(own.set(account, in: group, isTyping: isTyping, now: environment.clocks.now))
        }
        arm()
    }

    /// Ends the typing that belongs to messages which one commit put into the outbox: a message shows by itself that
    /// its writing is over.
    package func outboxGrew(_ rows: [OutboxRow]) {
        for row in rows {
            if row.kind == FrameKind.message.rawValue { own.ended(row.account) }
            if row.kind == FrameKind.groupEntry.rawValue, let group = row.group {
                own.ended(row.account, in: groups.entry(group)?.root)
            }
        }
    }

    private func send(_ states: [TypingState]) {
        for state in states {
            guard let session = sessions.with(state.account) else { continue }
            if let group = state.group {
                session.groupTyping(group, state.isTyping)
            } else {
                session.typing(state.isTyping)
            }
        }
    }

    // MARK: Typing of others

    /// Takes a friend's frame about typing.
    package func heard(_ account: AccountID, isTyping: Bool) {
        guard isOn else { return }
        tell(friends.heard(account, isTyping: isTyping, now: environment.clocks.now))
        arm()
    }

    /// Takes a member's frame about typing in a group that we share.
    package func heard(_ account: AccountID, in group: EntryHash, isTyping: Bool) {
        guard isOn else { return }
        tell(friends.heard(account, in: group, isTyping: isTyping, now: environment.clocks.now))
        arm()
    }

    /// Call when a message has come, from a friend or in a group.
    func messageCame(from account: AccountID, in group: EntryHash? = nil) {
        tell(friends.ended(account, in: group))
        arm()
    }

    /// Call when a member has written in a group that we share: this ends its typing, wherever that was.
    func entryCame(from account: AccountID) {
        tell(friends.left(account))
        arm()
    }

    /// Call when a session with the account is over.
    func sessionEnded(_ account: AccountID) {
        own.left(account)
        tell(friends.left(account))
        arm()
    }

    /// Tells clients who is typing. A friend without a conversation here has no place to be shown.
    private func tell(_ states: [TypingState]) {
        for state in states {
            let group = state.group.flatMap { groups.entry($0)?.id }
            environment.store.read {
                guard state.group != nil else { return try $0.contact(state.account)?.conversation }
                guard let group else { return nil }
                return try $0.group(group)?.conversation
            } then: { [weak clients] result in
                guard case .success(let conversation?) = result else { return }
                clients?.typingChanged(state.account, in: conversation, isTyping: state.isTyping)
            }
        }
    }

    // MARK: Both directions

    private func endAll() {
        send(own.endAll())
        tell(friends.endAll())
    }

    private func tick() {
        let now = environment.clocks.now
        send(own.tick(now: now))
        tell(friends.tick(now: now))
        arm()
    }

    /// Sets the timer, unless one is set already that isn't later than needed.
    private func arm() {
        guard let deadline = [friends.nextDeadline, own.nextDeadline].compactMap({ $0 }).min() else { return }
        if timer != nil, let armedFor, armedFor <= deadline { return }
        timer?.cancel()
        armedFor = deadline
        timer = Reactor.shared.schedule(at: deadline) { [weak self] in
            self?.timer = nil
            self?.tick()
        }
    }
}
