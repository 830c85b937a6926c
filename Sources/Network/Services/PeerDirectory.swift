import Basics

/// The devices that are on the network now, as announcements and sessions tell it. A value without I/O.
///
/// A device is *present* while it is announced, has a session, or had one a moment ago that ended in good order (a look
/// at a stranger is closed when it is done). It is *known* once handshake and card have told its account and name. Only
/// devices that are both are shown. What an announcement says never changes a name or an account.
package struct PeerDirectory {
    package struct Entry: Sendable, Equatable {
        package let device: DeviceID
        package var account: AccountID?
        package var displayName: String?
        package var address: SocketAddress?
        /// All addresses that were heard or proved lately, the latest first. The device is dialled at these.
        package fileprivate(set) var addresses: [SocketAddress] = []
        package var lastHeard: WallTime
        fileprivate(set) var isAnnounced = false
        fileprivate(set) var hasSession = false
        /// Whether the device is known from the database: it is kept while absent, so that its first announcement shows
        /// it.
        package fileprivate(set) var isContact = false
        /// Until when a device without announcements stays after a session that ended in good order.
        fileprivate(set) var lingersUntil: Instant?

        package var isPresent: Bool { isAnnounced || hasSession || lingersUntil != nil }
        /// Whether clients see the device. That needs a name: the card comes right after the handshake.
        package var isShown: Bool { isPresent && account != nil && displayName != nil }
    }

    /// A device listens on one port, so an older address of the same host is wrong.
    fileprivate static func known(_ addresses: [SocketAddress], and new: SocketAddress) -> [SocketAddress] {
        [new] + addresses.filter { $0.host != new.host }.prefix(NetworkLimits.addressesOfDevice - 1)
    }

    package enum Change: Equatable, Sendable {
        case appeared(Entry), vanished(Entry)
    }

    /// How long a device that only static addresses reach stays listed after a look at it.
    static let linger: Duration = .seconds(150)

    private var entries: [DeviceID: Entry] = [:]
    /// The devices of entries whose account is known: with thousands of contacts, looking through all entries for each
    /// takes too long.
    private var accounts: [AccountID: Set<DeviceID>] = [:]

    package var shown: [Entry] { entries.values.filter(\.isShown) }
    package func entry(_ device: DeviceID) -> Entry? { entries[device] }

    /// The devices of an account that are present.
    package func devices(of account: AccountID) -> [Entry] {
        (accounts[account] ?? []).compactMap { entries[$0] }.filter(\.isPresent)
    }

    /// Takes a device whose owner is known from the database (a contact's): an announcement is then enough to show it.
    package mutating func know(
        _ device: DeviceID, account: AccountID, displayName: String, at time: WallTime
    ) -> [Change] {
        change(device, at: time) {
            $0.account = account
            $0.displayName = displayName
            $0.isContact = true
        }
    }

    package mutating func announced(_ device: DeviceID, from address: SocketAddress, at time: WallTime) -> [Change] {
        change(device, at: time) {
            $0.isAnnounced = true
            // The address of a session has been proved; an announcement doesn't move it.
            if !$0.hasSession { $0.address = address }
            $0.know(address)
            $0.lastHeard = time
        }
    }

    /// The device was heard at another address as well: on a second network, or by the other family. This is news only
    /// to the code that dials.
    package mutating func heard(_ device: DeviceID, alsoAt address: SocketAddress) { entries[device]?.know(address) }

    /// Call when another device answered at the address.
    package mutating func forget(_ address: SocketAddress, of device: DeviceID) {
        entries[device]?.addresses.removeAll { $0 == address }
    }

    /// Call when the device said goodbye, or was silent for too long.
    mutating func unannounced(_ device: DeviceID, at time: WallTime) -> [Change] {
        guard entries[device] != nil else { return [] }
        return change(device, at: time) {
            $0.isAnnounced = false; $0.lingersUntil = nil
        }
    }

    package mutating func sessionOpened(
        _ device: DeviceID, account: AccountID, address: SocketAddress?, at time: WallTime
    ) -> [Change] {
        change(device, at: time) {
            $0.account = account
            $0.hasSession = true
            $0.lingersUntil = nil
            $0.address = address ?? $0.address
            if let address { $0.know(address) }
            $0.lastHeard = time
        }
    }

    package mutating func named(_ device: DeviceID, displayName: String, at time: WallTime) -> [Change] {
        change(device, at: time) {
            $0.displayName = displayName; $0.lastHeard = time
        }
    }

    /// Takes the card of a device on the network that a peer has handed on, if it is newer than any before. What an
    /// open session tells stays, and so does what is known of contacts.
    package mutating func introduced(
        _ device: DeviceID, account: AccountID, displayName: String, at time: WallTime
    ) -> [Change] {
        guard let entry = entries[device], entry.isAnnounced, !entry.isContact, !entry.hasSession,
            entry.account == nil || entry.account == account
        else { return [] }
        return change(device, at: entry.lastHeard) {
            $0.account = account
            $0.displayName = displayName
        }
    }

    /// - Parameter stays: the session ended because nothing was left to say, not because the peer went away.
    package mutating func sessionClosed(_ device: DeviceID, stays: Bool, at time: WallTime, now: Instant) -> [Change] {
        guard let entry = entries[device] else { return [] }
        // A host can come and go with a new key each time. So if there are many devices, a stranger that has left is
        // not listed.
        let stays = stays && (entry.isContact || entries.count <= NetworkLimits.listedPeers)
        return change(device, at: time) {
            $0.hasSession = false
            $0.lingersUntil = stays ? now + Self.linger : nil
        }
    }

    /// Call when the peer said that it is leaving, or its port is closed: it is gone, whatever was announced.
    package mutating func gone(_ device: DeviceID, at time: WallTime) -> [Change] {
        guard entries[device] != nil else { return [] }
        return change(device, at: time) {
            $0.hasSession = false
            $0.isAnnounced = false
            $0.lingersUntil = nil
        }
    }

    /// Drops the devices whose time is over.
    mutating func expire(now: Instant, at time: WallTime) -> [Change] {
        entries.values.filter { $0.lingersUntil.map { $0 <= now } ?? false }.flatMap { entry in
            change(entry.device, at: time) { $0.lingersUntil = nil }
        }
    }

    private mutating func index(_ device: DeviceID, from old: AccountID?, to new: AccountID?) {
        guard old != new else { return }
        if let old {
            accounts[old]?.remove(device)
            if accounts[old]?.isEmpty == true { accounts[old] = nil }
        }
        if let new { accounts[new, default: []].insert(device) }
    }

    private mutating func change(_ device: DeviceID, at time: WallTime, _ body: (inout Entry) -> Void) -> [Change] {
        var entry = entries[device] ?? Entry(device: device, lastHeard: time)
        let wasShown = entry.isShown
        body(&entry)
        let old = entries[device]?.account
        entries[device] = entry.isPresent || entry.isContact ? entry : nil
        index(device, from: old, to: entries[device]?.account)
        switch (wasShown, entry.isShown) {
        case (false, true): return [.appeared(entry)]
        case (true, false): return [.vanished(entry)]
        default: return []
        }
    }
}

extension PeerDirectory.Entry {
    fileprivate mutating func know(_ address: SocketAddress) {
        addresses = PeerDirectory.known(addresses, and: address)
    }
}
