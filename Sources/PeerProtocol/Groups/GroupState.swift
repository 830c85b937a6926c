import Basics
import Crypto
import Vocabulary

/// A member of a group, as a set of membership entries says.
public struct GroupMember: Hashable, Sendable {
    public let account: AccountID
    public internal(set) var role: GroupRole
    /// The name under which the one who added them knew them.
    public let name: String
    /// The entry that added them.
    public let since: EntryHash
    public let addedBy: AccountID
    public let addedAt: WallTime
    /// From which sequence on they see each device's chain; a device that isn't here: from 1.
    public internal(set) var floors: [DeviceID: UInt64]
    /// Their devices, in the order in which they became known.
    public internal(set) var certificates: [DeviceCertificate]

    /// The entries since which they have been an admin at least, and an owner.
    var adminSince: EntryHash?
    var ownerSince: EntryHash?
    /// Seniority goes by the place of ``since`` in the linear order, then by the place in that entry.
    let seniority: Seniority

    struct Seniority: Hashable, Comparable, Sendable {
        let entry: Int
        let seed: Int

        static func < (left: Seniority, right: Seniority) -> Bool {
            (left.entry, left.seed) < (right.entry, right.seed)
        }
    }

    /// The entry that gave the role `needed`, or a higher one.
    func grant(of needed: GroupRole) -> EntryHash? {
        switch needed {
        case .member: since
        case .admin: adminSince
        case .owner: ownerSince
        }
    }

    mutating func setRole(_ new: GroupRole, by entry: EntryHash) {
        role = new
        adminSince = new >= .admin ? adminSince ?? entry : nil
        ownerSince = new >= .owner ? ownerSince ?? entry : nil
    }
}

/// The state of a group after a set of membership entries: a function of the set alone, whatever the order in which it
/// came.
public struct GroupState: Hashable, Sendable {
    public internal(set) var name = ""
    public internal(set) var description = ""
    /// The digest of the avatar's file.
    public internal(set) var avatar: [UInt8]?
    /// How many of the last messages new members see.
    public internal(set) var history = 0
    public internal(set) var createdAt = WallTime(milliseconds: 0)
    public internal(set) var members: [AccountID: GroupMember] = [:]
    /// The account of each device.
    var devices: [DeviceID: AccountID] = [:]

    /// The member whose device this is.
    public func account(of device: DeviceID) -> AccountID? { devices[device] }

    /// Whether the account is a member.
    public func has(_ account: AccountID) -> Bool { members[account] != nil }

    /// The role of a member.
    public func role(of account: AccountID) -> GroupRole? { members[account]?.role }

    // MARK: The fold

    /// Takes an effective entry.
    /// - Parameters:
    ///   - position: its place in the linear order.
    ///   - voidSeeds: the seeds of it that were removed meanwhile.
    mutating func apply(_ entry: MembershipEntry, position: Int, voidSeeds: Set<AccountID> = []) {
        if !entry.isCreate { learn(entry.certificate, of: entry.author) }
        switch entry.operation {
        case .create(let name, let description, let history, let creator, let seeds):
            (self.name, self.description, self.history, createdAt) = (name, description, history, entry.at)
            let founder = GroupSeed(certificate: entry.certificate, name: creator)
            add([founder] + seeds, floors: [:], by: entry, position: position)
            members[entry.author]?.setRole(.owner, by: entry.hash)
        case .add(let seeds, let floors):
            let floors = Dictionary(floors.map { ($0.device, $0.sequence) }, uniquingKeysWith: min)
            add(seeds.filter { !voidSeeds.contains($0.account) }, floors: floors, by: entry, position: position)
        case .remove(let account):
            remove(account)
            handOver(entry.hash)
        case .leave:
            remove(entry.author)
            handOver(entry.hash)
        case .role(let account, let role):
            members[account]?.setRole(role, by: entry.hash)
            handOver(entry.hash)
        case .rename(let name): self.name = name
        case .describe(let description): self.description = description
        case .avatar(let digest): avatar = digest
        case .history(let count): history = count
        case .device, .unknown: break
        }
    }

    private mutating func add(
        _ seeds: [GroupSeed], floors: [DeviceID: UInt64], by entry: MembershipEntry, position: Int
    ) {
        for (index, seed) in seeds.enumerated() {
            if members[seed.account] != nil {
                // Two added the same person without knowing of each other: that person sees what either let them see.
                members[seed.account]?.floors.lower(to: floors)
            } else {
                members[seed.account] = GroupMember(
                    account: seed.account, role: .member, name: seed.name, since: entry.hash, addedBy: entry.author,
                    addedAt: entry.at, floors: floors, certificates: [],
                    seniority: GroupMember.Seniority(entry: position, seed: index))
            }
            learn(seed.certificate, of: seed.account)
        }
    }

    private mutating func remove(_ account: AccountID) {
        guard let member = members.removeValue(forKey: account) else { return }
        for certificate in member.certificates { devices[certificate.device] = nil }
    }

    /// A device belongs to the account that came first with it.
    private mutating func learn(_ certificate: DeviceCertificate, of account: AccountID) {
        guard devices[certificate.device] == nil, let member = members[account],
            member.certificates.count < PeerLimits.groupDevices
        else { return }
        devices[certificate.device] = account
        members[account]?.certificates.append(certificate)
    }

    /// A group without an owner gets one: the most senior admin, or else the most senior member.
    private mutating func handOver(_ entry: EntryHash) {
        guard !members.values.contains(where: { $0.role == .owner }) else { return }
        let admins = members.values.filter { $0.role == .admin }
        let candidates = admins.isEmpty ? Array(members.values) : admins
        guard let heir = candidates.min(by: { $0.seniority < $1.seniority }) else { return }
        members[heir.account]?.setRole(.owner, by: entry)
    }
}

extension [DeviceID: UInt64] {
    /// Permits what either of two tables of floors permits. A device that isn't in one is permitted from 1 there.
    fileprivate mutating func lower(to other: Self) {
        for (device, floor) in self {
            if let lower = other[device] { self[device] = Swift.min(floor, lower) } else { self[device] = nil }
        }
    }
}
