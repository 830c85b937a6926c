import Basics
import Messaging
import Network
import PeerProtocol
import Reactor
import Store
import Vocabulary

/// Tells the call machine what peers say, which accounts may be called, and who the members of groups are, as the sessions,
/// contacts and groups change.
@ReactorActor package final class CallWatch {
    private unowned let service: CallService
    private let rules: CallRules
    private let network: NetworkNode

    init(service: CallService, rules: CallRules, network: NetworkNode) {
        self.service = service
        self.rules = rules
        self.network = network
    }

    /// Tells the machine of all groups and open sessions, now that the account's keys are there.
    func begin() {
        regroup(nil)
        for session in network.sessions.all where session.isMet { met(session) }
    }

    /// Notes that a contact's row has changed: a former friend is told of calls only in groups, and a contact that is blocked or
    /// whose key has changed isn't told of them there either.
    package func contactChanged(_ row: ContactRow) {
        let account = row.account
        if !rules.mayCall(account) { service.tell { $0.parted(account, now: $1, wall: $2) } }
        if !rules.mayHear(account) { service.tell { $0.shunned(account, now: $1, wall: $2) } }
        meet([account])
        regroup(nil)
    }

    /// Notes that a group or its members have changed.
    package func groupChanged(_ entry: GroupIndex.Entry) {
        meet(Set(entry.others.keys).union(entry.former))
        regroup(entry.root)
    }

    /// Tells the machine which sessions with these accounts may now hear of calls, and which may no longer.
    private func meet(_ accounts: Set<AccountID>) {
        for session in network.sessions.all where accounts.contains(session.peer.account) && session.isMet {
            if !rules.mayHear(session.peer.account) {
                service.tell { $0.lost(session.peer.device, now: $1, wall: $2) }
            } else {
                met(session, ifNew: true)
            }
        }
    }

    /// Tells the machine who the members of a group are; nil for all groups with a known call.
    private func regroup(_ root: EntryHash?) {
        service.tell { machine, now, wall in
            (root.map { [$0] } ?? machine.roots.sorted()).flatMap {
                machine.regrouped($0, rules.group($0), now: now, wall: wall)
            }
        }
    }

    private func met(_ session: PeerSession, ifNew: Bool) {
        guard rules.mayHear(session.peer.account), session.peer.capabilities.contains(Capability.calls) else { return }
        service.tell { machine, now, wall in
            if ifNew, machine.isHere(session.peer.account) { return [] }
            return machine.met(session.party, now: now, wall: wall)
        }
    }
}

extension CallWatch: CallObserver {
    package func addressesChanged() { service.addressesChanged() }

    package func met(_ session: PeerSession) { met(session, ifNew: false) }

    package func ended(_ session: PeerSession) {
        guard network.sessions.with(session.peer.device) == nil else { return }
        service.tell { $0.lost(session.peer.device, now: $1, wall: $2) }
    }

    package func heard(_ body: CallStateBody, from session: PeerSession) {
        let account = session.peer.account
        guard body.root == nil ? rules.mayCall(account) : rules.mayHear(account) else { return }
        let policy = rules.policy(for: account, in: body.root, canRing: service.bells.canRing)
        let group = rules.group(body.root, of: account)
        service.tell { $0.heard(body, from: session.party, in: group, policy: policy, now: $1, wall: $2) }
    }

    package func acceptsRecord(of call: UUIDv7, from account: AccountID) -> Bool {
        var takes = false
        service.tell { machine, now, _ in
            takes = machine.acceptsRecord(of: call, from: account, now: now)
            return []
        }
        return takes
    }

    package func heard(_ body: CallSignalBody, from session: PeerSession) {
        guard rules.mayHear(session.peer.account) else { return }
        let addresses = network.callAddresses(of: session.peer.device)
        service.tell { $0.heard(body, from: session.party, addresses: addresses, now: $1, wall: $2) }
    }
}

extension PeerSession {
    fileprivate var party: CallParty { CallParty(account: peer.account, device: peer.device) }
}
