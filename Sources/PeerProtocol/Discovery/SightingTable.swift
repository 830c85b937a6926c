import Basics

/// Remembers each device that was heard. The number of strangers is bounded; the user bounds that of contacts.
struct SightingTable: Sendable {
    /// One device.
    struct Sighting: Sendable {
        var address: SocketAddress
        /// Where its datagrams come from, and where probes reach it.
        var source: SocketAddress
        /// The other place that they came from: by the other family, or on another network.
        var other: SocketAddress?
        /// The last HELLO or BEACON, which others may be shown. It tells about the sender's card and peer exchange.
        var announcement: Announcement?
        var card: UInt16 = 0
        var peerExchange = PeerExchangeDigest.empty
        var incarnation: UInt32
        var sequence: UInt32
        var heardAt: Instant
        /// Our own beacon interval when it was heard: a measure of the segment's size, and so of the sender's interval.
        var interval: Duration
        /// False after a BYE or after its time ran out; the sighting is kept for a while against replays.
        var isPresent: Bool
        /// The budget for datagrams in its name from its known address.
        var budget: DatagramLottery
        /// How many epochs its clock is ahead of ours; nil if it was heard openly. One that was heard under a veil is
        /// shown to no other, and not probed.
        var veilSkew: Int?
        /// Whether it was heard under a key for us alone. Then it is heard seldom, for we are one of many in turn.
        var isForUs = false
        /// The address of the peer that has told us about the device, while we have not heard the device itself.
        var toldBy: IPAddress?

        /// Whether all can hear it.
        var isOpen: Bool { veilSkew == nil }

        /// Whether the device was heard from this host.
        func isFrom(_ host: IPAddress) -> Bool { source.host == host || other?.host == host }

        /// Whether its datagrams come from this very socket.
        func isAt(_ source: SocketAddress) -> Bool { self.source == source || other == source }
    }

    private var sightings: [DeviceID: Sighting] = [:]
    private(set) var presentCount = 0
    private var strangerCount = 0
    private var contacts: Set<DeviceID> = []

    subscript(device: DeviceID) -> Sighting? { sightings[device] }

    func isPresent(_ device: DeviceID) -> Bool { sightings[device]?.isPresent ?? false }

    /// Whether the device is present, and all can hear it.
    func isOpen(_ device: DeviceID) -> Bool { sightings[device].map { $0.isPresent && $0.isOpen } ?? false }

    /// The devices that all can hear, in the order of their keys, so that draws from them are repeatable.
    var open: [DeviceID] { sightings.lazy.filter { $1.isPresent && $1.isOpen }.map(\.key).sorted() }

    /// The devices heard under a veil, and how many epochs their clocks are ahead of ours.
    var veiled: [DeviceID: Int] {
        sightings.lazy.filter(\.value.isPresent).reduce(into: [:]) { $0[$1.key] = $1.value.veilSkew }
    }

    /// Contacts are never evicted and don't count as strangers.
    mutating func setContacts(_ devices: Set<DeviceID>) {
        contacts = devices
        strangerCount = sightings.keys.reduce(0) { $0 + (devices.contains($1) ? 0 : 1) }
    }

    /// Stores the sighting. Returns the present devices that it pushed out.
    mutating func set(_ sighting: Sighting, for device: DeviceID) -> Evicted {
        let old = sightings.updateValue(sighting, forKey: device)
        presentCount += (sighting.isPresent ? 1 : 0) - (old?.isPresent == true ? 1 : 0)
        guard old == nil, !contacts.contains(device) else { return Evicted() }
        strangerCount += 1
        return strangerCount > DiscoveryLimits.strangers ? makeRoom(sparing: device) : Evicted()
    }

    /// The result of a believed datagram of a device.
    struct Noted {
        /// Where the device takes connections.
        let address: SocketAddress
        /// Whether the device was there before, at the place that the datagram came from.
        let isKnown: Bool
        /// Whether it was not heard before, has restarted since then, or is back.
        let isNew: Bool
        /// When the device is given up unless it is heard again.
        let deadline: Instant
        let evicted: Evicted
    }

    /// Notes a believed datagram other than a BYE.
    /// - Parameters:
    ///   - isForUs: it came under a key that is for us alone.
    ///   - teller: the peer that has handed it on; nil: it was heard.
    ///   - interval: our own beacon interval.
    mutating func note(
        _ received: ReceivedDatagram, from source: SocketAddress, isForUs: Bool, toldBy teller: IPAddress?,
        interval: Duration, in epoch: VeilEpoch, now: Instant
    ) -> Noted {
        let content = received.content
        let before = sightings[content.device]
        let isKnown = before.map { $0.isPresent && $0.isFrom(source.host) } ?? false
        let isAnnouncement = !content.kind.hasSubject
        var address = SocketAddress(source.host, port: content.port)
        var place = source
        var other = before?.source.host == source.host ? before?.other : before?.source
        if let before, isKnown, !isAnnouncement {
            // Only announcements move a device from one of its addresses to another.
            (address, place, other) = (before.address, before.source, before.other)
        }
        let sighting = Sighting(
            address: address, source: place, other: other,
            announcement: isAnnouncement ? received.announcement(from: source) : before?.announcement,
            card: isAnnouncement ? content.card : before?.card ?? 0,
            peerExchange: isAnnouncement ? content.peerExchange : before?.peerExchange ?? .empty,
            incarnation: content.incarnation, sequence: content.sequence, heardAt: now, interval: interval,
            isPresent: true, budget: before?.budget ?? DatagramLottery(DiscoveryLimits.perKnownDevice, now: now),
            veilSkew: received.veiledIn.map { Int(clamping: $0.rawValue) - Int(clamping: epoch.rawValue) },
            isForUs: isForUs, toldBy: teller)
        let evicted = set(sighting, for: content.device)
        return Noted(
            address: address, isKnown: isKnown,
            isNew: before.map { !$0.isPresent || content.incarnation > $0.incarnation } ?? true,
            deadline: deadline(of: sighting, interval: interval), evicted: evicted)
    }

    struct Evicted {
        var count = 0
        var present: [DeviceID] = []
    }

    /// Whether a datagram in the device's name, from where it was heard, is within its own budget.
    mutating func draw(_ device: DeviceID, now: Instant, using random: inout some RandomNumberGenerator) -> Bool {
        sightings[device]?.budget.draw(now: now, using: &random) ?? false
    }

    /// Whether another stranger is remembered without forgetting one.
    var hasRoom: Bool { strangerCount < DiscoveryLimits.strangers }

    func isContact(_ device: DeviceID) -> Bool { contacts.contains(device) }

    /// The device was heard from there, too.
    mutating func add(_ source: SocketAddress, of device: DeviceID) {
        guard let sighting = sightings[device], sighting.source.host != source.host else { return }
        sightings[device]?.other = source
    }

    /// Marks the device as gone.
    mutating func leave(_ device: DeviceID, incarnation: UInt32, sequence: UInt32, now: Instant) {
        guard var sighting = sightings[device] else { return }
        if sighting.isPresent { presentCount -= 1 }
        sighting.isPresent = false
        sighting.incarnation = incarnation
        sighting.sequence = sequence
        sighting.heardAt = now
        sightings[device] = sighting
    }

    /// Gives up devices that have been silent for too long and forgets those that went long ago. Returns the former, in
    /// the order of their keys, and the next moment at which there may be something to do.
    mutating func sweep(interval: Duration, now: Instant) -> (expired: [DeviceID], next: Instant?) {
        var expired: [DeviceID] = []
        var next: Instant?
        for (device, sighting) in sightings {
            var deadline = self.deadline(of: sighting, interval: interval)
            if deadline <= now {
                if sighting.isPresent {
                    leave(device, incarnation: sighting.incarnation, sequence: sighting.sequence, now: now)
                    expired.append(device)
                    deadline = now + DiscoveryLimits.goneMemory
                } else {
                    remove(device)
                    continue
                }
            }
            next = next.map { min($0, deadline) } ?? deadline
        }
        return (expired.sorted(), next)
    }

    private func deadline(of sighting: Sighting, interval: Duration) -> Instant {
        guard sighting.isPresent else { return sighting.heardAt + DiscoveryLimits.goneMemory }
        let intervals = sighting.isForUs ? DiscoveryLimits.silentTurns : DiscoveryLimits.silentIntervals
        return sighting.heardAt + max(interval, sighting.interval) * intervals
    }

    private mutating func remove(_ device: DeviceID) {
        guard let old = sightings.removeValue(forKey: device) else { return }
        if old.isPresent { presentCount -= 1 }
        if !contacts.contains(device) { strangerCount -= 1 }
    }

    /// Forgets the sixteenth of the strangers that are gone or were heard least recently: many at a time, because
    /// finding them takes a walk through all.
    private mutating func makeRoom(sparing newest: DeviceID) -> Evicted {
        let strangers = sightings.filter { !contacts.contains($0.key) && $0.key != newest }
        let byAge = strangers.sorted {
            if $0.value.isPresent != $1.value.isPresent { return !$0.value.isPresent }
            // Devices that we know only from others go first.
            if ($0.value.toldBy == nil) != ($1.value.toldBy == nil) { return $0.value.toldBy != nil }
            return ($0.value.heardAt, $0.key) < ($1.value.heardAt, $1.key)
        }
        var evicted = Evicted()
        for (device, sighting) in byAge.prefix(max(1, DiscoveryLimits.strangers / 16)) {
            remove(device)
            evicted.count += 1
            if sighting.isPresent { evicted.present.append(device) }
        }
        return evicted
    }
}
