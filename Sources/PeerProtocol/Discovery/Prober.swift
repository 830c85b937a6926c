import Basics

/// Finds out which devices have crashed, like SWIM (Das, Gupta, Motivala: SWIM, 2002). Each second a probe goes to the
/// next device in a shuffled round. If it doesn't answer, three others are asked to try. If they fail, too, a suspicion
/// is broadcast, and the device has two seconds to answer for itself. No device is given up on another's word: whoever
/// hears of a suspicion checks for itself.
///
/// A part of ``DiscoveryMachine``, which owns the table of devices and makes the datagrams.
struct Prober: Sendable {
    enum Action: Hashable, Sendable {
        case probe(DeviceID, nonce: UInt64)
        /// The same again, at the device's other address if it has one.
        case probeAgain(DeviceID, nonce: UInt64)
        case ask(helper: DeviceID, about: DeviceID, nonce: UInt64)
        case accuse(DeviceID)
        case giveUp(DeviceID)
    }

    enum Stage: Hashable, Sendable {
        /// Our probe is under way.
        case direct
        /// The helpers' are too.
        case indirect
        /// We have said so before all, or another device has.
        case accused
        /// Our last probes are under way.
        case confirming(left: Int)
    }

    private struct Check: Sendable {
        var stage: Stage
        var nonce: UInt64 = 0
        var helpers: [DeviceID] = []
        /// Whether it was we who said so before all.
        var isOurs = false
        var due: Instant
        /// Signatures that were checked because of the nonce.
        var looks = 0
    }

    /// A probe made for another device.
    private struct IndirectProbe: Sendable {
        let asker: DeviceID
        let askerNonce: UInt64
        let subject: DeviceID
        let until: Instant
        /// Signatures that were checked because of the nonce.
        var looks = 0
    }

    private(set) var isOn = false
    /// The limit for questions to devices that too many datagrams claim to come from.
    private var questions = RateLimiter(DiscoveryLimits.questions)
    private var checks: [DeviceID: Check] = [:]
    private var indirectProbes: [UInt64: IndirectProbe] = [:]
    /// The devices that this round still has to probe, the next last, each once; and the same as a set.
    private var round: [DeviceID] = []
    private var isQueued: Set<DeviceID> = []
    /// All devices of the round: helpers are drawn from it without looking through the table.
    private var all: [DeviceID] = []
    private var nextProbeAt: Instant?
    /// Devices with an open session: its keep-alive watches them.
    private(set) var connected: Set<DeviceID> = []

    /// Begins, or ends and forgets what is under way.
    mutating func setOn(_ isOn: Bool, now: Instant, using random: inout some RandomNumberGenerator) {
        guard isOn != self.isOn else { return }
        self.isOn = isOn
        checks = [:]
        indirectProbes = [:]
        round = []
        isQueued = []
        all = []
        nextProbeAt = isOn ? now + .random(in: DiscoveryLimits.probeInterval, using: &random) : nil
    }

    var nextDeadline: Instant? {
        checks.values.reduce(nextProbeAt) { least, check in least.map { min($0, check.due) } ?? check.due }
    }

    /// Places of this round that are still to come.
    var queued: Int { round.count }

    /// How far a device is suspected; nil: not at all.
    func stage(of device: DeviceID) -> Stage? { checks[device]?.stage }

    // MARK: Time

    mutating func tick(now: Instant, table: SightingTable, using random: inout some RandomNumberGenerator) -> [Action] {
        var actions: [Action] = []
        // Nearly always there are none, and never many.
        for device in checks.filter({ $0.value.due <= now }).map(\.key).sorted() {
            actions += advance(device, now: now, table: table, using: &random)
        }
        if let due = nextProbeAt, due <= now {
            nextProbeAt = nil
            if let device = nextInRound(table, using: &random) {
                actions.append(begin(device, .direct, now: now, using: &random))
                let interval = DiscoveryLimits.probeInterval
                nextProbeAt = now + interval * 9 / 10 + .random(in: interval / 5, using: &random)
            }
        }
        return actions
    }

    private mutating func nextInRound(
        _ table: SightingTable, using random: inout some RandomNumberGenerator
    ) -> DeviceID? {
        for mayRefill in [true, false] {
            while let device = round.popLast() {
                isQueued.remove(device)
                if table.isOpen(device), !connected.contains(device), checks[device] == nil { return device }
            }
            if mayRefill {
                round = table.open.shuffled(using: &random)
                isQueued = Set(round)
                all = round
            }
        }
        return nil
    }

    private mutating func begin(
        _ device: DeviceID, _ stage: Stage, now: Instant, using random: inout some RandomNumberGenerator
    ) -> Action {
        let nonce = random.next()
        checks[device] = Check(stage: stage, nonce: nonce, due: now + DiscoveryLimits.probeTime)
        return .probe(device, nonce: nonce)
    }

    /// The time of a check's stage is over.
    private mutating func advance(
        _ device: DeviceID, now: Instant, table: SightingTable, using random: inout some RandomNumberGenerator
    ) -> [Action] {
        guard var check = checks[device], table.isOpen(device), !connected.contains(device) else {
            checks[device] = nil
            return []
        }
        if now - check.due > DiscoveryLimits.lateness {
            checks[device]?.due = now + DiscoveryLimits.probeTime
            return []
        }
        switch check.stage {
        case .direct:
            check.helpers = helpers(for: device, table, using: &random)
            check.stage = .indirect
            check.due = now + DiscoveryLimits.helpersTime
            checks[device] = check
            // Our own probe goes out again, too: without helpers it is all there is.
            return [.probeAgain(device, nonce: check.nonce)]
                + check.helpers.map { .ask(helper: $0, about: device, nonce: check.nonce) }
        case .indirect:
            checks[device]?.stage = .accused
            checks[device]?.isOurs = true
            checks[device]?.due = now + DiscoveryLimits.suspectTime
            return [.accuse(device)]
        case .accused:
            // We repeat our suspicion for devices that missed it, because no other device will tell them.
            let again: [Action] = check.isOurs ? [.accuse(device)] : []
            return again + [
                begin(device, .confirming(left: DiscoveryLimits.confirmations - 1), now: now, using: &random)
            ]
        case .confirming(let left) where left > 0:
            return [begin(device, .confirming(left: left - 1), now: now, using: &random)]
        case .confirming:
            checks[device] = nil
            return [.giveUp(device)]
        }
    }

    /// Others to try, at random. With many about a few draws find them; looking through thousands for each probe that was lost
    /// is most of the work otherwise.
    private func helpers(
        for device: DeviceID, _ table: SightingTable, using random: inout some RandomNumberGenerator
    ) -> [DeviceID] {
        var devices: [DeviceID] = []
        func mayHelp(_ other: DeviceID) -> Bool {
            other != device && checks[other] == nil && table.isOpen(other) && !devices.contains(other)
        }
        if all.count >= DiscoveryLimits.helperDraws {
            for _ in 0..<DiscoveryLimits.helperDraws where devices.count < DiscoveryLimits.helpers {
                let other = all[Int.random(in: all.indices, using: &random)]
                if mayHelp(other) { devices.append(other) }
            }
            if devices.count == DiscoveryLimits.helpers { return devices }
            devices = []
        }
        return Array(table.open.filter(mayHelp).shuffled(using: &random).prefix(DiscoveryLimits.helpers))
    }

    // MARK: What is heard

    /// Something has come from the device itself: it lives.
    mutating func heard(
        _ device: DeviceID, isNew: Bool, now: Instant, table: SightingTable,
        using random: inout some RandomNumberGenerator
    ) {
        guard isOn else { return }
        checks[device] = nil
        // A newcomer waits for no next round, or a short life would be missed by all.
        if isNew, isQueued.insert(device).inserted {
            // Strangers come in any number and push each other out: one that is not there any more has no place.
            if round.count >= 2 * table.presentCount + DiscoveryLimits.helperDraws {
                round.removeAll { !table.isOpen($0) }
                isQueued = Set(round).union([device])
            }
            round.insert(device, at: Int.random(in: 0...round.count, using: &random))
        }
        if nextProbeAt == nil { nextProbeAt = now + .random(in: DiscoveryLimits.probeInterval, using: &random) }
    }

    /// Whether it answers one of our probes, judging by the nonce. Its signature is then checked whatever else comes,
    /// because nobody knows the nonce without having seen the question. Someone who has seen it can make us check a few
    /// times more than once.
    mutating func isAwaited(_ content: DiscoveryDatagram) -> Bool {
        guard content.kind == .probeAck, let subject = content.subject else { return false }
        let (sender, nonce) = (content.device, subject.nonce)
        if let check = checks[subject.device], check.nonce == nonce, nonce != 0,
            sender == subject.device || check.helpers.contains(sender), check.looks < DiscoveryLimits.looksAtAnswer
        {
            checks[subject.device]?.looks += 1
            return true
        }
        guard sender == subject.device, let indirectProbe = indirectProbes[nonce],
            indirectProbe.subject == subject.device, indirectProbe.looks < DiscoveryLimits.looksAtAnswer
        else { return false }
        indirectProbes[nonce]?.looks += 1
        return true
    }

    /// More datagrams come in the name of a known device than are checked, perhaps from somebody who floods in its
    /// name. If we haven't heard the device for a moment, we ask it directly, at its known address, where only it can
    /// answer.
    mutating func question(
        _ device: DeviceID, in table: SightingTable, now: Instant, using random: inout some RandomNumberGenerator
    ) -> [Action] {
        guard table.isOpen(device), let sighting = table[device],
            now - sighting.heardAt >= DiscoveryLimits.questionPause,
            mayAsk(device), questions.acquire(now: now)
        else { return [] }
        return [begin(device, .direct, now: now, using: &random)]
    }

    /// Whether the device may be probed before its turn.
    private func mayAsk(_ device: DeviceID) -> Bool { isOn && !connected.contains(device) && checks[device] == nil }

    /// A helper says that it reached the device. Only those that were asked are believed, for this probe.
    mutating func vouched(for device: DeviceID, by helper: DeviceID, nonce: UInt64) -> Bool {
        guard let check = checks[device], check.nonce == nonce, check.helpers.contains(helper) else { return false }
        checks[device] = nil
        return true
    }

    /// Whether a suspicion of the device would be news.
    func wouldSuspect(_ device: DeviceID) -> Bool {
        guard isOn, !connected.contains(device) else { return false }
        return switch checks[device]?.stage {
        case nil, .direct, .indirect: true
        case .accused, .confirming: false
        }
    }

    /// Another device suspects this one. It has its time to answer; then we look for ourselves.
    mutating func lookInto(
        _ device: DeviceID, among count: Int, now: Instant, using random: inout some RandomNumberGenerator
    ) {
        let spread = min(DiscoveryLimits.suspicionJitterPerPeer * count, DiscoveryLimits.longestSuspicionJitter)
        checks[device] = Check(
            stage: .accused, due: now + DiscoveryLimits.suspectTime + .random(in: spread, using: &random))
    }

    // MARK: Indirect probes

    /// Takes on a probe for another device. Returns nil if there are too many already.
    mutating func indirectProbe(
        for asker: DeviceID, askerNonce: UInt64, about subject: DeviceID, now: Instant,
        using random: inout some RandomNumberGenerator
    ) -> Action? {
        if indirectProbes.count >= DiscoveryLimits.indirectProbes {
            indirectProbes = indirectProbes.filter { $0.value.until > now }
        }
        guard isOn, indirectProbes.count < DiscoveryLimits.indirectProbes else { return nil }
        let nonce = random.next()
        indirectProbes[nonce] = IndirectProbe(
            asker: asker, askerNonce: askerNonce, subject: subject, until: now + DiscoveryLimits.helpersTime)
        return .probe(subject, nonce: nonce)
    }

    /// The device has answered a probe. Returns the device for which it was made, if it was an indirect probe.
    mutating func answered(_ device: DeviceID, nonce: UInt64) -> (asker: DeviceID, nonce: UInt64)? {
        guard let indirectProbe = indirectProbes[nonce], indirectProbe.subject == device else { return nil }
        indirectProbes[nonce] = nil
        return (indirectProbe.asker, indirectProbe.askerNonce)
    }

    // MARK: Sessions

    /// - Parameter isLost: the session broke: reason enough to look at once.
    mutating func setConnected(
        _ device: DeviceID, _ isConnected: Bool, isLost: Bool, now: Instant,
        using random: inout some RandomNumberGenerator
    ) -> [Action] {
        if isConnected {
            connected.insert(device)
            checks[device] = nil
            return []
        }
        guard connected.remove(device) != nil, isOn else { return [] }
        if nextProbeAt == nil { nextProbeAt = now + .random(in: DiscoveryLimits.probeInterval, using: &random) }
        return isLost && checks[device] == nil ? [begin(device, .direct, now: now, using: &random)] : []
    }
}
