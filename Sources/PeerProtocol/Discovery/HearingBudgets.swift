import Basics

/// Decides which datagrams have their signature checked, so that no flood costs more than some percent of a core, and
/// none in a device's name or from its address keeps that device from being heard.
///
/// Before the signature is checked, nothing distinguishes a genuine datagram from a forged one, except for the nonce of
/// an answer. So lots are drawn beyond a budget (``DatagramLottery``), and each kind of sender has a budget of its own.
struct HearingBudgets: Sendable {
    private var sources: SourceBudgets
    /// Devices that are unknown, or known and not heard from there.
    private var strangers: DatagramLottery
    /// Known devices from where they were heard.
    private var known: DatagramLottery
    /// Contacts, wherever they speak from, beyond the others.
    private var contacts: DatagramLottery
    /// Known strangers who speak from elsewhere, beyond what their source has.
    private var moved: DatagramLottery

    init(salt: UInt64, now: Instant) {
        sources = SourceBudgets(DiscoveryLimits.perSource, six: DiscoveryLimits.fromSix, salt: salt)
        strangers = DatagramLottery(DiscoveryLimits.fromStrangers, now: now)
        known = DatagramLottery(DiscoveryLimits.fromKnown, now: now)
        contacts = DatagramLottery(DiscoveryLimits.fromContacts, now: now)
        moved = DatagramLottery(DiscoveryLimits.fromMoved, now: now)
    }

    /// Whether the signature of a datagram of this device from there is to be checked.
    mutating func acquire(
        _ device: DeviceID, in table: inout SightingTable, from source: SocketAddress, now: Instant,
        using random: inout some RandomNumberGenerator
    ) -> Bool {
        let sighting = table[device]
        let isContact = table.isContact(device)
        if let sighting, sighting.isPresent, sighting.isAt(source) {
            if table.draw(device, now: now, using: &random), known.draw(now: now, using: &random) { return true }
            return isContact && contacts.draw(now: now, using: &random)
        }
        if sources.acquire(source.host, now: now), strangers.draw(now: now, using: &random) { return true }
        if isContact { return contacts.draw(now: now, using: &random) }
        return sighting != nil && moved.draw(now: now, using: &random)
    }
}
