import Basics
import Vocabulary

/// A group whose members may call each other, as its membership stands.
public struct CallGroup: Hashable, Sendable {
    public let root: EntryHash
    /// All members but this account, with their devices.
    public let members: [AccountID: Set<DeviceID>]

    public init(root: EntryHash, members: [AccountID: Set<DeviceID>]) {
        self.root = root
        self.members = members
    }

    /// Whether its calls may ring: in a large group most members would hear them for nothing.
    var isSmall: Bool { members.count < PeerLimits.callPeople }
}

/// The other devices of a group's call: those with a session, those that say that they take part, and those that only
/// others tell us about.
struct GroupCallPeers: Sendable {
    private(set) var group: CallGroup
    /// The members' devices that have a session with this one and can be called, with their accounts.
    private(set) var here: [DeviceID: AccountID]
    private var known: [DeviceID: CallPeer] = [:]
    /// The devices with which the window has a connection.
    private(set) var connected: Set<DeviceID> = []

    init(_ group: CallGroup, here: [DeviceID: AccountID]) {
        self.group = group
        self.here = here.filter { group.members[$0.value] != nil }
    }

    /// Restores what is remembered of a call; ``regroup(_:here:)`` says next who the members are.
    init(_ root: EntryHash, remembering peers: [CallPeer]) {
        self.init(CallGroup(root: root, members: [:]), here: [:])
        for peer in peers { known[peer.party.device] = peer }
    }

    var all: Dictionary<DeviceID, CallPeer>.Values { known.values }

    /// What a known device has said, which may be changed; nil for a device that isn't known.
    subscript(_ device: DeviceID) -> CallPeer? {
        get { known[device] }
        set { known[device] = newValue }
    }

    func isMember(_ account: AccountID) -> Bool { group.members[account] != nil }
    func takesPart(_ device: DeviceID) -> Bool { known[device]?.takesPart ?? false }
    func asksToRing(_ device: DeviceID) -> Bool { known[device]?.state?.sends.contains(.ring) ?? false }

    /// Returns the devices of the first eight accounts, by the time of joining and the device id. All devices that have heard the
    /// same find the same.
    /// - Parameter own: this device and when it joined; nil if it doesn't take part.
    func seated(with own: (HybridTime, CallParty)?) -> [CallParty] {
        var all = known.values.filter(\.takesPart).compactMap { peer in peer.state.map { ($0.time, peer.party) } }
        if let own { all.append(own) }
        all.sort { ($0.0, $0.1.device) < ($1.0, $1.1.device) }
        var accounts: Set<AccountID> = []
        return all.map(\.1).filter { accounts.insert($0.account).inserted }.prefix(PeerLimits.callPeople).map(\.self)
    }

    /// Returns the devices that these name and that have said nothing to this one, because they have no session with it.
    func hearsay(of company: [CallParty], but own: DeviceID) -> [CallParty] {
        var devices: Set<DeviceID> = []
        for party in company { devices.formUnion(known[party.device]?.state?.with ?? []) }
        devices.remove(own)
        return devices.filter { here[$0] == nil && known[$0] == nil }.sorted().compactMap { device in
            group.members.first { $0.value.contains(device) }.map { CallParty(account: $0.key, device: device) }
        }
    }

    /// Returns a time later than this one, and than those at which the others have joined, as far as their clocks can be
    /// believed.
    func timeToJoin(after own: HybridTime, at moment: CallMoment) -> HybridTime {
        let now = HybridTime(milliseconds: moment.wall.milliseconds)
        let most = HybridTime(milliseconds: (moment.wall + HybridClock.maximumLead).milliseconds)
        let joined = known.values.filter(\.takesPart).compactMap { $0.state?.time }.filter { $0 <= most }
        return HybridTime(rawValue: max(now.rawValue, (joined + [own]).map(\.rawValue).max().map { $0 + 1 } ?? 0))
    }

    // MARK: Sessions and members

    /// Notes that a session with a device is open.
    /// - Returns: whether the device is a member's.
    mutating func met(_ party: CallParty) -> Bool {
        guard isMember(party.account) else { return false }
        here[party.device] = party.account
        known[party.device]?.met()
        return true
    }

    /// Notes that no session with the device is open any more.
    /// - Returns: whether there was one.
    mutating func lost(_ device: DeviceID, now: Instant) -> Bool {
        guard here.removeValue(forKey: device) != nil else { return false }
        known[device]?.lost(now: now)
        // Only a device that takes part is waited for.
        if !takesPart(device) { known[device] = nil }
        return true
    }

    /// Takes over the group's new membership.
    /// - Parameter present: all devices that have a session with this one and can be called.
    /// - Returns: the devices that belong to members now and didn't before, and the known ones that no longer do.
    mutating func regroup(
        _ group: CallGroup, here present: [DeviceID: AccountID]
    ) -> (came: [DeviceID], went: [DeviceID]) {
        self.group = group
        let before = here
        here = present.filter { group.members[$0.value] != nil }
        let came = here.keys.filter { before[$0] == nil }.sorted()
        for device in came { known[device]?.met() }
        return (came, known.filter { group.members[$0.value.party.account] == nil }.map(\.key))
    }

    /// Stops telling anything to the account's devices.
    /// - Returns: those of them that are known.
    mutating func part(_ account: AccountID) -> [DeviceID] {
        here = here.filter { $0.value != account }
        return known.filter { $0.value.party.account == account }.map(\.key)
    }

    mutating func forget(_ device: DeviceID) {
        known[device] = nil
        connected.remove(device)
    }

    /// Forgets the devices that don't take part.
    mutating func forgetIdle() { known = known.filter { $0.value.takesPart } }

    mutating func forgetAll() { (known, connected) = ([:], []) }

    /// Makes room for a device by forgetting, if need be, those that don't take part.
    /// - Returns: whether one more device of the account may be remembered.
    mutating func makeRoom(for account: AccountID) -> Bool {
        if known.count >= PeerLimits.callDevices { forgetIdle() }
        return known.count < PeerLimits.callDevices
            && known.values.count { $0.party.account == account } < PeerLimits.callDevicesOfAccount
    }

    // MARK: Connections and time

    /// Notes with which devices the window has a connection.
    /// - Returns: whether that has changed.
    mutating func connect(_ devices: Set<DeviceID>) -> Bool {
        defer { connected = devices.filter(takesPart) }
        return devices.filter(takesPart) != connected
    }

    mutating func disconnect(_ device: DeviceID) { connected.remove(device) }

    /// Forgets what was said for the window before, because this side has a new one, or none any more.
    mutating func beginGeneration() {
        connected = []
        for device in known.keys { known[device]?.beginGeneration() }
    }

    /// Returns the time from which a device that takes part or rings is waited for no longer; nil if there is none. While media flow
    /// the device needs no session.
    private func deadline(_ peer: CallPeer) -> Instant? {
        if let rings = peer.ringsSince { return rings + PeerLimits.callRingLongest }
        guard peer.takesPart else { return nil }
        let away = peer.awaySince.map { $0 + PeerLimits.callAwayTime }
        if connected.contains(peer.party.device) { return away }
        // A device that has a session says again and again that it takes part.
        let lost = peer.lostAt.map { $0 + PeerLimits.callAwayTime } ?? peer.heardAt + PeerLimits.callUnheard
        return [lost, away].compactMap(\.self).min()
    }

    var nextDeadline: Instant? { known.values.compactMap(deadline).min() }

    /// Returns the devices that are waited for no longer.
    func late(_ now: Instant) -> [DeviceID] {
        known.filter { deadline($0.value).map { $0 <= now } ?? false }.map(\.key)
    }
}
