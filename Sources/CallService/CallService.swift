import Account
import Basics
import Control
import ControlProtocol
import Crypto
import Messaging
import Network
import PeerProtocol
import Reactor
import Runtime
import Store
import Vocabulary

/// Runs the calls of this host: feeds the ``CallMachine``, and carries out its effects.
///
/// This module (`CallService`) rings, answers and remembers, and only the daemon's wiring knows it. Audio and video run between the
/// windows. What the machine says goes out after it is on disk, so that a daemon that is killed knows all that it has said.
@ReactorActor package final class CallService {
    private let environment: Environment
    private let account: CurrentAccount
    private let rules: CallRules
    let network: NetworkNode
    /// Tells the machine what sessions, contacts and groups mean for calls.
    package private(set) lazy var watch = CallWatch(service: self, rules: rules, network: network)
    package let bells: RingTargets
    private let log: Logger
    /// The machine of this account's calls; nil while there are no keys.
    private var machine: CallMachine?
    /// The calls that were under way when the daemon ended, until the machine has them.
    private var remembered: [[UInt8]]
    /// The conversation of each call between two, by the call's id.
    private var conversations: [UUIDv7: UUIDv7] = [:]
    private lazy var company = CallCompany(finder: network)
    private var lane = CallEffectQueue()
    private var timer: TimerToken?
    private var counted = CountedRefusals()
    private var wording: CallWording

    /// - Parameter remembered: the rows of calls as they are on disk.
    package init(
        environment: Environment, account: CurrentAccount, contacts: ContactIndex, groups: GroupIndex,
        network: NetworkNode, events: EventHub, remembered: [[UInt8]]
    ) {
        self.environment = environment
        self.account = account
        rules = CallRules(environment: environment, contacts: contacts, groups: groups)
        self.network = network
        bells = RingTargets(environment: environment, events: events)
        self.remembered = remembered
        log = environment.log.labelled("calls")
        wording = CallWording(now: environment.clocks.now)
        environment.metrics.declare(.calls, CallOutcome.allCases.map(\.rawValue))
        environment.metrics.declare(.callSignalsRefused, CallRefused.allCases.map(\.rawValue))
    }

    private var now: Instant { environment.clocks.now }
    private var wall: WallTime { environment.clocks.wallTime }

    // MARK: Coming and going

    /// Begins to take calls, now that the account's keys are there.
    package func start() {
        guard machine == nil, let profile = account.profile, account.keys != nil else { return }
        let own = CallParty(account: profile.account, device: profile.device)
        let restored = CallMachine(own: own, remembering: remembered, now: now, wall: wall)
        (machine, remembered) = (restored, [])
        // Before anything is said about the calls that were under way, their conversations are looked up.
        perform(restored.open.map(CallEffect.changed), places: restored.open)
        ringersChanged()
        watch.begin()
    }

    /// Ends all calls because the account's keys are about to go. Messages to others are sent at once, because the
    /// sessions end next.
    package func stop() {
        guard machine != nil else { return }
        let effects = machine?.endAll(now: now, wall: wall) ?? []
        for effect in effects { if case .tell(let device, let hint) = effect { tell(device, hint) } }
        perform(effects.filter { if case .tell = $0 { false } else { true } })
        timer?.cancel()
        (timer, machine) = (nil, nil)
    }

    /// Notes that something that rings has come or gone: a window, or the desktop's notification.
    package func ringersChanged() {
        machine?.note(canRing: bells.canRing, now: now)
        arm()
    }

    /// What `system.doctor` says about incoming calls; nil without keys.
    package var check: DoctorCheck? { machine == nil ? nil : bells.check() }

    // MARK: What clients ask

    /// Begins a call in a group, or joins the one that is under way there.
    func start(_ id: UUIDv7, in root: EntryHash, media: CallMedia, seat: CallSeat, time: HybridTime) throws -> Call {
        guard let group = rules.group(root) else { throw ControlError(CallObjection.noCall) }
        return try begin(id) { machine, ringTime throws(CallObjection) in
            try machine.start(
                id, in: group, media: media, seat: seat, time: time, ringTime: ringTime, now: now, wall: wall)
        }
    }

    /// Begins a call with a friend.
    func start(
        _ id: UUIDv7, with friend: AccountID, in conversation: UUIDv7, media: CallMedia, seat: CallSeat,
        time: HybridTime
    ) throws -> Call {
        guard machine != nil else { throw MessagingError.locked }
        if machine?.isHere(friend) == false, network.sessions.with(friend) != nil {
            throw ControlError(.unsupported, "the other side's Kibo can't take calls")
        }
        conversations[id] = conversation
        return try begin(id) { machine, ringTime throws(CallObjection) in
            try machine.start(
                id, with: friend, media: media, seat: seat, time: time, ringTime: ringTime, now: now, wall: wall)
        }
    }

    private func begin(
        _ id: UUIDv7,
        _ start: (inout CallMachine, Duration) throws(CallObjection) -> (id: UUIDv7, effects: [CallEffect])
    ) throws -> Call {
        let ringTime = Duration.seconds(environment.settings[SettingsCatalogue.callsRingSeconds])
        var begun: UUIDv7?
        try change { machine throws(CallObjection) in
            let (call, effects) = try start(&machine, ringTime)
            begun = call
            return effects
        }
        return try call(begun ?? id)
    }

    /// Lets the machine do what a client asks, and returns the call as it stands then.
    func change(
        _ id: UUIDv7, _ body: (inout CallMachine, Instant, WallTime) throws(CallObjection) -> [CallEffect]
    ) throws -> Call {
        try change { machine throws(CallObjection) in try body(&machine, now, wall) }
        return try call(id)
    }

    /// Tells the machine what others do; does nothing while there are no keys.
    func tell(_ body: (inout CallMachine, Instant, WallTime) -> [CallEffect]) {
        guard var changed = machine else { return }
        let effects = body(&changed, now, wall)
        machine = changed
        perform(effects)
    }

    private func change(_ body: (inout CallMachine) throws(CallObjection) -> [CallEffect]) throws {
        guard var changed = machine else { throw MessagingError.locked }
        let effects: [CallEffect]
        do { effects = try body(&changed) } catch { throw ControlError(error) }
        machine = changed
        perform(effects)
    }

    /// Returns the signals of other devices that wait for a window, and the index of the last.
    func signals(_ id: UUIDv7, seat: UUIDv7, after index: UInt64) throws -> (items: [CallSignalItem], next: UInt64) {
        guard var changed = machine else { throw MessagingError.locked }
        defer { machine = changed }
        do { return try changed.signals(id, seat: seat, after: index) } catch { throw ControlError(error) }
    }

    /// The calls that are not over.
    var open: [Call] { (machine?.open ?? []).compactMap { try? call($0) } }

    private func call(_ id: UUIDv7) throws -> Call {
        guard let view = machine?.view(id, now: now, wall: wall) else { throw ControlError(CallObjection.noCall) }
        let ofGroup = view.root.flatMap { rules.groups.entry($0)?.conversation }
        return wording.call(view, in: ofGroup ?? conversations[id], isVerified: { rules.isVerified($0) })
    }

    // MARK: What the machine wants

    private func perform(_ effects: [CallEffect], places: [UUIDv7] = []) {
        if let refused = machine?.refused { counted.count(refused, in: &environment.metrics) }
        let writes = CallWrites(
            effects, places: places.isEmpty ? newPlaces(effects) : places.compactMap { place($0, now) },
            author: author)
        if writes.isEmpty, lane.isEmpty {
            carryOut(effects)
        } else {
            let number = lane.enter(effects, isStored: writes.isEmpty)
            if !writes.isEmpty { commit(writes, number) }
        }
        arm()
    }

    /// Returns the calls among the effects whose conversation is not known yet, with the other account.
    private func newPlaces(_ effects: [CallEffect]) -> [CallWrites.Place] {
        effects.compactMap {
            guard case .keep(let id, _) = $0, conversations[id] == nil else { return nil }
            return place(id, now)
        }
    }

    private func place(_ id: UUIDv7, _ now: Instant) -> CallWrites.Place? {
        machine?.view(id, now: now, wall: wall)?.account.map { CallWrites.Place(call: id, account: $0) }
    }

    private var author: CallWrites.Author? {
        guard let profile = account.profile, let voice = account.voice else { return nil }
        return CallWrites.Author(
            party: CallParty(account: profile.account, device: profile.device), voice: voice)
    }

    private func commit(_ writes: CallWrites, _ number: UInt64) {
        environment.store.commit {
            try writes.commit(in: $0)
        } then: { [weak self] result in
            guard let self else { return }
            switch result {
            case .success(let added): conversations.merge(added) { $1 }
            case .failure(let error):
                // A full disk ends no call; the call's record is stored once there is room.
                log.warning("a call can't be stored", [("error", "\(error)")])
                writes.keep(in: environment.commits)
            }
            for effects in lane.stored(number) { carryOut(effects) }
        }
    }

    private func carryOut(_ effects: [CallEffect]) {
        for effect in effects {
            switch effect {
            case .tell(let device, let hint): tell(device, hint)
            case .changed(let id):
                if let call = try? call(id) { bells.tell(call) }
                if id == machine?.engaged {
                    company.look(for: machine?.view(id, now: now, wall: wall)?.missing ?? [], now: now)
                }
            case .record(let note): count(note.record)
            case .recordOfGroup(let note): count(note.record)
            case .drop(let id): conversations[id] = nil
            case .keep, .announce: break
            }
        }
    }

    private func count(_ record: CallRecord) {
        environment.metrics.count(.calls, record.outcome.rawValue)
    }

    private func tell(_ device: DeviceID, _ hint: Hint) { network.sessions.with(device)?.tell(hint) }

    private func arm() {
        timer?.cancel()
        timer = machine?.nextDeadline.map { deadline in
            Reactor.shared.schedule(at: deadline) { [weak self] in
                guard let self else { return }
                machine?.note(canRing: bells.canRing, now: now)
                perform(machine?.tick(now: now, wall: wall) ?? [])
            }
        }
    }

    /// Makes the windows look for a new route, because the daemon notices a change of addresses sooner than they do.
    func addressesChanged() {
        wording.moves += 1
        perform((machine?.open ?? []).map { .changed($0) })
    }
}
