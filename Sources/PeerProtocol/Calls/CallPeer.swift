import Basics
import Vocabulary

/// One other device in a call: what it last said of itself, and the signals in both directions.
struct CallPeer: Sendable {
    let party: CallParty
    /// The last state that it has told; nil before the first.
    private(set) var state: CallStateBody?
    /// The last of its signals that was taken.
    private(set) var heard = CallHeard()
    /// The signals of this side that it may not have yet, in order.
    private(set) var unheard: [CallSignalBody] = []
    /// The number of the last signal in this side's generation.
    private(set) var lastSent: UInt64 = 0
    /// Whether it has a session with this device.
    private(set) var isHere = false
    /// When it was last sent, in this session, the signals that it had not heard yet; nil before that.
    private var caughtUpAt: Instant?
    /// When its session was lost; nil while there is one.
    private(set) var lostAt: Instant?
    /// When it last sent a state that was obeyed.
    private(set) var heardAt: Instant
    /// When it began to be away; nil while it isn't. ``ringsSince`` says the same of ringing.
    private(set) var awaySince: Instant?
    private(set) var ringsSince: Instant?
    /// The number of the last signal of this side's generation that it has said to have heard.
    private var acknowledged: UInt64 = 0
    /// Whether its next state counts whatever its number is, because it is the first of a session.
    private var isFresh = false
    /// Whether the device may take part more than once, and each generation of either side numbers its signals from 1. It is so
    /// in calls of groups.
    private let numbersAnew: Bool
    private var states = RateLimiter(PeerLimits.callStates)
    private var signalsIn = RateLimiter(PeerLimits.callSignalsHeard)
    private var signalsOut = RateLimiter(PeerLimits.callSignals)

    init(_ party: CallParty, isHere: Bool, numbersAnew: Bool = false, now: Instant) {
        self.party = party
        self.numbersAnew = numbersAnew
        self.isHere = isHere
        heardAt = now
        // Before the call began, there was nothing that the device could have missed.
        caughtUpAt = isHere ? now : nil
        lostAt = isHere ? nil : now
    }

    var phase: CallPhase? { state?.phase }
    var isOver: Bool { phase == .ended }
    /// Whether it takes part, or did a moment ago.
    var takesPart: Bool { phase?.takesPart ?? false }

    // MARK: Sessions

    mutating func met() {
        isHere = true
        caughtUpAt = nil
        isFresh = numbersAnew
        lostAt = nil
    }

    mutating func lost(now: Instant) {
        guard isHere else { return }
        isHere = false
        caughtUpAt = nil
        lostAt = now
    }

    // MARK: States

    enum Heard {
        /// The device says something new.
        case news
        /// The device repeats what it said before.
        case same
        case refused(CallRefused)
    }

    /// Takes a state of the device.
    mutating func hear(_ body: CallStateBody, now: Instant) -> Heard {
        guard states.acquire(now: now) else { return .refused(.tooOften) }
        if numbersAnew, let state, isAnew(body, after: state) { begin() }
        guard let state else {
            accept(body, now)
            return .news
        }
        if body.number == state.number {
            heardAt = now
            return .same
        }
        // This state is old, as a newer one overtook it on another session, or it comes after the end.
        guard body.number > state.number, !isOver else { return .refused(.unknown) }
        guard body.generation >= state.generation else { return .refused(.generation) }
        if body.generation == state.generation, body.fingerprint != state.fingerprint { return .refused(.fingerprint) }
        accept(body, now)
        return .news
    }

    /// Whether the device takes part again, or has forgotten what it said.
    private func isAnew(_ body: CallStateBody, after state: CallStateBody) -> Bool {
        if body.number < state.number { return isFresh }
        return body.number > state.number && body.phase.takesPart && body.time != state.time
    }

    /// Forgets what the device said before, which is void.
    private mutating func begin() {
        state = nil
        (awaySince, ringsSince) = (nil, nil)
        heard = CallHeard()
        beginGeneration()
    }

    private mutating func accept(_ body: CallStateBody, _ now: Instant) {
        if body.generation != state?.generation {
            heard = CallHeard(generation: body.generation)
            if numbersAnew { beginGeneration() }
        }
        if body.phase != .away { awaySince = nil } else if phase != .away { awaySince = now }
        ringsSince = body.phase.rings ? ringsSince ?? now : nil
        isFresh = false
        (state, heardAt) = (body, now)
    }

    /// Returns the signals that the device has not heard yet, as far as it says: at the beginning of a session, and now and then in
    /// it, since it may not have known of this side's part when the first signals came.
    mutating func catchUp(generation: UInt64, now: Instant) -> [CallSignalBody] {
        trim(generation: generation)
        guard isHere, state != nil, caughtUpAt.map({ $0 + PeerLimits.callRepeat <= now }) ?? true else { return [] }
        caughtUpAt = now
        return unheard
    }

    private mutating func trim(generation: UInt64) {
        if numbersAnew { follow(generation) }
        guard let heard = state?.heard, heard.generation == generation else { return }
        unheard.removeAll { $0.number <= heard.number }
    }

    /// Goes on where the device says that it is, if it has forgotten what it had heard, or this side what it had said.
    private mutating func follow(_ generation: UInt64) {
        guard let heard = state?.heard else { return }
        let number = heard.generation == generation ? heard.number : 0
        if number < acknowledged || number > lastSent, number < PeerLimits.callSignalsOfGeneration {
            (unheard, lastSent) = ([], number)
        }
        acknowledged = number
    }

    // MARK: Signals

    /// Forgets what was said with the old certificate of this side, which has a new one.
    mutating func beginGeneration() {
        unheard = []
        (lastSent, acknowledged) = (0, 0)
        if numbersAnew { heard = CallHeard(generation: heard.generation) }
    }

    /// Numbers a signal of this side, and keeps it until the device has heard it.
    /// - Parameter make: makes the signal; `to` is the device's generation, nil before it has one.
    /// - Returns: the signal if it can go now; nil if it waits for a session.
    mutating func send(
        _ make: (_ number: UInt64, _ to: UInt64?) -> CallSignalBody, now: Instant
    ) throws(CallObjection) -> CallSignalBody? {
        guard lastSent < PeerLimits.callSignalsOfGeneration, signalsOut.acquire(now: now) else { throw .tooOften }
        let generation = state?.generation ?? 0
        let signal = make(lastSent + 1, generation > 0 ? generation : nil)
        guard unheard.reduce(signal.cost, { $0 + $1.cost }) <= PeerLimits.callSignalsKept else { throw .tooOften }
        lastSent += 1
        unheard.append(signal)
        return isHere && caughtUpAt != nil ? signal : nil
    }

    /// Takes a signal of the device: checks its number, and the certificate in its session description.
    /// - Parameter generation: the generation of this side.
    mutating func hear(_ body: CallSignalBody, generation: UInt64, now: Instant) throws(CallRefusedError) {
        guard signalsIn.acquire(now: now) else { throw .init(.tooOften) }
        guard let state, body.generation == state.generation else { throw .init(.generation) }
        if numbersAnew, body.to != generation { throw .init(.generation) }
        guard body.number > heard.number else { throw .init(nil) }
        guard body.number == heard.number + 1 else { throw .init(.gap) }
        guard body.number <= PeerLimits.callSignalsOfGeneration else { throw .init(.tooMuch) }
        heard = CallHeard(generation: body.generation, number: body.number)
        // A peer that knew no seat of this side yet means the first one.
        if let to = body.to, to != generation { throw .init(.generation) }
        if body.to == nil, generation > 1 { throw .init(.generation) }
        guard let sdp = body.sdp else { return }
        guard let description = try? SessionDescription(checking: sdp) else { throw .init(.description) }
        guard description.fingerprint == state.fingerprint else { throw .init(.fingerprint) }
    }

    // MARK: Memory

    var memory: CBOR {
        var map: CBORMap = [
            1: .bytes(party.account.bytes), 2: .bytes(party.device.bytes), 4: .unsigned(heard.generation),
            5: .unsigned(heard.number), 6: .unsigned(lastSent),
            7: .array(unheard.compactMap { (try? $0.encoded()).map { .bytes($0) } }),
        ]
        map[3] = state.flatMap { try? $0.encoded() }.map { .bytes($0) }
        return .map(map)
    }

    init(remembering value: CBOR, numbersAnew: Bool = false, now: Instant) throws(WireError) {
        let body = try BodyReader(value, field: "peer")
        guard let account = AccountID(bytes: try body.bytes(1, "account", maximum: 32)) else {
            throw .invalid(field: "account")
        }
        let party = CallParty(account: account, device: try body.device(2, "device"))
        self.init(party, isHere: false, numbersAnew: numbersAnew, now: now)
        if let bytes = try body.optionalBytes(3, "state", maximum: PeerLimits.callStateBytes) {
            state = try CallStateBody(decoding: bytes)
        }
        heard = CallHeard(generation: try body.unsigned(4, "heard"), number: try body.unsigned(5, "heard"))
        lastSent = try body.unsigned(6, "sent")
        unheard =
            try body.optionalList(7, "signals", maximum: Int(PeerLimits.callSignalsOfGeneration)) {
                (item, field) throws(WireError) in
                guard case .bytes(let bytes) = item else { throw .wrongType(field: field) }
                return try CallSignalBody(decoding: bytes)
            } ?? []
        if phase == .away { awaySince = now }
    }
}

/// The refusal of a signal; its reason is nil for a signal that has come before.
struct CallRefusedError: Error {
    let why: CallRefused?

    init(_ why: CallRefused?) { self.why = why }
}

extension CallSignalBody {
    /// The bytes of memory that it takes, estimated.
    fileprivate var cost: Int { 64 + (sdp?.utf8.count ?? 0) + candidates.count * 32 }
}
