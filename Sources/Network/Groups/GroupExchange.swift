import Basics
import Messaging
import PeerProtocol
import Reactor
import Vocabulary

/// Catch-up with each session's peer: feeds a ``GroupSync`` for each session and carries out what it wants, with the
/// database.
@ReactorActor final class GroupExchange {
    private unowned let service: any GroupExchangeOwner
    private var lines: [ObjectIdentifier: GroupSession] = [:]
    /// Called when a group has been compared with enough members that we may write in it.
    private let settled: @ReactorActor (EntryHash) -> Void
    private var partners = GroupPartners<ObjectIdentifier>()
    private var waits = GroupWaits()
    private var random = SystemRandomNumberGenerator()

    init(service: any GroupExchangeOwner, settled: @escaping @ReactorActor (EntryHash) -> Void) {
        self.service = service
        self.settled = settled
    }

    /// Call when we begin or cease to share a group with a session's peer.
    func share(_ root: EntryHash, with session: PeerSession, _ isShared: Bool = true) {
        let id = ObjectIdentifier(session)
        guard isShared else {
            if let line = lines[id] { noteWait(for: root, on: line) }
            lines[id]?.unshare(root)
            tell(partners.unshared(root, with: id, using: &random), of: root)
            return settle(root)
        }
        // A session that replaces another one inherits its waiting time.
        if !service.account.settledGroups.contains(root) {
            for other in lines.values where other.peer == session.peer.account { noteWait(for: root, on: other) }
        }
        line(session).share(root, waited: waits.time(of: session.peer.account, in: root))
        tell(partners.shared(root, with: id, using: &random), of: root)
    }

    private func noteWait(for root: EntryHash, on line: GroupSession) {
        guard !service.account.settledGroups.contains(root), let wait = line.wait(for: root) else { return }
        waits.note(wait.waited, of: line.peer, in: root)
    }

    private func tell(_ changes: [GroupPartners<ObjectIdentifier>.Change], of root: EntryHash) {
        for change in changes { lines[change.session]?.feed(.partner(root, change.isPartner)) }
    }

    private func line(_ session: PeerSession) -> GroupSession {
        if let line = lines[ObjectIdentifier(session)], line.session === session { return line }
        let line = GroupSession(session: session, service: service) { [weak self] in self?.settle($0) }
        lines[ObjectIdentifier(session)] = line
        return line
    }

    func heard(_ frame: GroupFrame, from session: PeerSession) { line(session).feed(.heard(frame)) }

    /// Notes that we may write in a group, once all members with a session have been compared with or have had their
    /// time.
    func settle(_ root: EntryHash) {
        guard !service.account.settledGroups.contains(root) else { return waits.forget(root) }
        let open = lines.values.filter { $0.shares(root) }.map { $0.wait(for: root) }
        guard !open.isEmpty else { return }
        let hasAnswer = open.contains(nil)
        guard let rest = open.compactMap({ $0?.rest(hasAnswer: hasAnswer) }).max(), rest > .zero else {
            waits.forget(root)
            return settled(root)
        }
        // Without an answer, or while a chain is still coming in, the next look settles the group.
        guard hasAnswer, rest <= NetworkLimits.groupSettleTimeOfOthers else { return }
        _ = Reactor.shared.schedule(at: service.environment.clocks.now + rest) { [weak self] in self?.settle(root) }
    }

    /// Call when entries that a session brought wait for other entries: its peer must have those too.
    func lacks(_ missing: GroupMissing, of root: EntryHash, from session: PeerSession) {
        line(session).lacks(missing, of: root)
    }

    /// Call when we have got something new of a group: others may lack it.
    /// - Parameters:
    ///   - source: the session that we have it from.
    ///   - pause: how long to wait for more of it.
    func news(_ root: EntryHash, but source: PeerSession?, within pause: Duration) {
        for line in lines.values where line.session !== source { line.feed(.news(root, within: pause)) }
    }

    /// Compares a group with one peer.
    func changed(_ root: EntryHash, only session: PeerSession) {
        lines[ObjectIdentifier(session)]?.feed(.changed(root, within: .zero))
    }

    func ended(_ session: PeerSession) {
        guard let line = lines.removeValue(forKey: ObjectIdentifier(session)) else { return }
        for root in line.shared { noteWait(for: root, on: line) }
        line.end()
        for (root, change) in partners.ended(ObjectIdentifier(session), using: &random) { tell([change], of: root) }
        for root in line.shared { settle(root) }
    }

    func end() {
        for line in lines.values {
            for root in line.shared { noteWait(for: root, on: line) }
            line.end()
        }
        lines = [:]
        partners = GroupPartners()
    }
}
