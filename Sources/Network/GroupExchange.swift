import Basics
import Messaging
import PeerProtocol
import Reactor
import Vocabulary

/// Catch-up with each session's peer: feeds a ``GroupSync`` for each session and carries out what it wants, with the
/// database.
@ReactorActor final class GroupExchange {
    private unowned let service: GroupService
    private var lines: [ObjectIdentifier: GroupLine] = [:]
    /// Told when a group has been compared with members enough to write in it.
    private let settled: @ReactorActor (EntryHash) -> Void
    private var partners = GroupPartners<ObjectIdentifier>()
    private var waits = GroupWaits()
    private var random = SystemRandomNumberGenerator()

    init(service: GroupService, settled: @escaping @ReactorActor (EntryHash) -> Void) {
        self.service = service
        self.settled = settled
    }

    /// The peer of a session and we share a group, or share it no more.
    func share(_ root: EntryHash, with session: PeerSession, _ isShared: Bool = true) {
        let id = ObjectIdentifier(session)
        guard isShared else {
            if let line = lines[id] { noteWait(for: root, on: line) }
            lines[id]?.unshare(root)
            tell(partners.unshared(root, with: id, using: &random), of: root)
            return settle(root)
        }
        // A session that takes the place of another goes on with the other's time.
        if !service.account.settledGroups.contains(root) {
            for other in lines.values where other.peer == session.peer.account { noteWait(for: root, on: other) }
        }
        line(session).share(root, waited: waits.time(of: session.peer.account, in: root))
        tell(partners.shared(root, with: id, using: &random), of: root)
    }

    private func noteWait(for root: EntryHash, on line: GroupLine) {
        guard !service.account.settledGroups.contains(root), let wait = line.wait(for: root) else { return }
        waits.note(wait.waited, of: line.peer, in: root)
    }

    private func tell(_ changes: [GroupPartners<ObjectIdentifier>.Change], of root: EntryHash) {
        for change in changes { lines[change.session]?.feed(.partner(root, change.isPartner)) }
    }

    private func line(_ session: PeerSession) -> GroupLine {
        if let line = lines[ObjectIdentifier(session)], line.session === session { return line }
        let line = GroupLine(session: session, service: service) { [weak self] in self?.settle($0) }
        lines[ObjectIdentifier(session)] = line
        return line
    }

    func heard(_ frame: GroupFrame, from session: PeerSession) { line(session).feed(.heard(frame)) }

    /// Notes that a group can be written in, once all members with a session have been compared with, or had time for
    /// it.
    func settle(_ root: EntryHash) {
        guard !service.account.settledGroups.contains(root) else { return waits.forget(root) }
        let open = lines.values.filter { $0.shares(root) }.map { $0.wait(for: root) }
        guard !open.isEmpty else { return }
        let hasAnswer = open.contains(nil)
        guard let rest = open.compactMap({ $0?.rest(hasAnswer: hasAnswer) }).max(), rest > .zero else {
            waits.forget(root)
            return settled(root)
        }
        // Without an answer, and while a chain is coming in, the next look settles it.
        guard hasAnswer, rest <= NetworkLimits.groupSettleTimeOfOthers else { return }
        _ = Reactor.shared.schedule(at: service.environment.clocks.now + rest) { [weak self] in self?.settle(root) }
    }

    /// Entries that a session has brought wait for others, which it must have, too.
    func lacks(_ missing: GroupMissing, of root: EntryHash, from session: PeerSession) {
        line(session).lacks(missing, of: root)
    }

    /// We have something of a group that we hadn't: others may lack it.
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
