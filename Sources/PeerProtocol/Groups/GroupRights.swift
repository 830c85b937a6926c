import Basics
import Vocabulary

/// The rights of members, judged by the state of an entry's own past alone: every peer comes to the same verdict, for
/// ever.
enum GroupRights {
    /// The change of an operation to an account's standing, as seen from its own past.
    enum Change: Hashable, Sendable {
        case none
        case removal
        case promotion
        case demotion
    }

    struct Verdict: Hashable, Sendable {
        /// The role that the author must have.
        var needed: GroupRole
        var change = Change.none

        /// Whether it takes standing away from an account.
        var isChange: Bool { change == .removal || change == .demotion }
    }

    /// - Parameter made: how many entries of those that every member may make the author has in the entry's past.
    /// - Throws: why not.
    static func verdict(
        on operation: GroupOperation, by author: AccountID, certificate device: DeviceID?, in state: GroupState,
        made count: @autoclosure () -> Int = 0
    ) throws(Denial) -> Verdict {
        guard let role = state.role(of: author) else { throw Denial(.notAllowed, "only a member can do this") }
        if let device {
            guard state.account(of: device) ?? author == author else {
                throw Denial(.notAllowed, "the device belongs to another member")
            }
            let isKnown = state.account(of: device) != nil
            if isKnown, operation == .device { throw Denial(.alreadyExists, "the device is known already") }
            guard isKnown || (state.members[author]?.certificates.count ?? 0) < PeerLimits.groupDevices else {
                throw Denial(.tooLarge, "a member has at most \(PeerLimits.groupDevices) devices")
            }
        }
        let verdict = try verdict(on: operation, by: author, in: state)
        guard role >= verdict.needed else {
            throw Denial(
                .notAllowed,
                verdict.needed == .owner ? "only an owner can do this" : "only an owner or an admin can do this")
        }
        // Always to be had: to leave.
        guard role != .member || operation == .leave || count() < PeerLimits.groupEntriesOfMember else {
            throw Denial(.tooLarge, "a member makes at most \(PeerLimits.groupEntriesOfMember) entries")
        }
        return verdict
    }

    private static func verdict(
        on operation: GroupOperation, by author: AccountID, in state: GroupState
    ) throws(Denial) -> Verdict {
        switch operation {
        case .create: throw Denial(.invalid, "a group is created once")
        case .leave, .device, .unknown: return Verdict(needed: .member)
        case .rename, .describe, .avatar, .history: return Verdict(needed: .admin)
        case .add(let seeds, _):
            for seed in seeds {
                guard !state.has(seed.account) else { throw Denial(.alreadyExists, "this account is a member already") }
                guard state.account(of: seed.certificate.device) == nil else {
                    throw Denial(.notAllowed, "the device belongs to another member")
                }
            }
            guard state.members.count + seeds.count <= SharedLimits.groupMembers else {
                throw Denial(.tooLarge, "a group has at most \(SharedLimits.groupMembers) members")
            }
            return Verdict(needed: .admin)
        case .remove(let account):
            guard account != author else { throw Denial(.invalid, "a member can't remove itself, but leave the group") }
            guard let role = state.role(of: account) else {
                throw Denial(.notFound, "this account is not a member of the group")
            }
            return Verdict(needed: role == .owner ? .owner : .admin, change: .removal)
        case .role(let account, let new):
            guard let old = state.role(of: account) else {
                throw Denial(.notFound, "this account is not a member of the group")
            }
            guard new != old else { throw Denial(.alreadyExists, "this member has that role already") }
            if old == .owner {
                guard state.members.values.contains(where: { $0.role == .owner && $0.account != account }) else {
                    throw Denial(.notAllowed, "a group has an owner: make another member the owner first")
                }
            }
            return Verdict(
                needed: max(old, new) == .owner ? .owner : .admin, change: new > old ? .promotion : .demotion)
        }
    }

    /// Why something may not be done.
    struct Denial: Error, Hashable, Sendable, CustomStringConvertible {
        let refusal: Refusal

        init(_ reason: Reason, _ detail: String) { refusal = Refusal(reason, detail: detail) }

        var description: String { refusal.detail ?? refusal.reason.rawValue }
    }
}
