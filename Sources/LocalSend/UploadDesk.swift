import Basics

/// What this host answers to devices that want to give something: some offers wait for the user, one of each source, and one
/// upload is under way (LocalSend protocol 2.1, section 4). A value: requests, the user's word, randomness and the time come in.
public struct UploadDesk: Sendable {
    /// The statuses of HTTP that devices are answered: those of the protocol, 412 as the app has it, and 507 for a full disk.
    public enum Status: Int, Hashable, Sendable {
        case done = 200
        case nothingToSend = 204
        case malformed = 400
        case pinNeeded = 401
        case declined = 403
        case busy = 409
        case isOurself = 412
        case tooMany = 429
        case failed = 500
        case noRoom = 507
    }

    /// What to do with an offer.
    public enum OfferVerdict: Hashable, Sendable {
        /// The user is asked; the request waits for ``answer(_:taking:token:now:)`` under this number.
        case ask(Int)
        case refuse(Status)
    }

    /// The answer to an offer.
    public struct Answer: Hashable, Sendable {
        public let status: Status
        /// The name of the upload, and a token for each file by its id; nothing if no file is to come.
        public let session: String?
        public let tokens: [String: String]
    }

    /// What to do with an upload of a file.
    public enum UploadVerdict: Hashable, Sendable {
        case take(UploadOffer.Item)
        case refuse(Status)
    }

    /// What time has brought about.
    public enum Overdue: Hashable, Sendable {
        /// The user hasn't answered: the request with that number gets this answer.
        case offer(Int, Answer)
        /// Nothing came for long; what isn't whole is lost.
        case upload(session: String)
    }

    private struct Source: Sendable {
        var wrongPINs = 0
        var mayTryAgain = Instant(nanoseconds: 0)
        var quietUntil = Instant(nanoseconds: 0)
        var withdrawals = 0
        var withdrawnAt = Instant(nanoseconds: 0)
        var seen: Instant
    }

    private struct Waiting: Sendable {
        let offer: UploadOffer
        let address: IPAddress
        let source: IPAddress
        let ends: Instant
    }

    private struct Part: Sendable {
        let item: UploadOffer.Item
        let token: String
        var received: Int64 = 0
        var state = State.expected
        /// Whether the device waits for us, and not we for the device.
        var isHeld = false

        enum State: Sendable { case expected, coming, over }
    }

    private struct Upload: Sendable {
        let session: String
        let address: IPAddress
        var parts: [String: Part]
        var restsSince: Instant

        var isHeld: Bool { parts.values.contains(where: \.isHeld) }
    }

    /// What devices have to say before the user is asked; nil: nothing. It keeps questions away, and takes nothing by itself: so
    /// its tries are counted for each source only, and nobody's wrong ones keep others out.
    public var pin: String?
    private var waiting: [Int: Waiting] = [:]
    private var upload: Upload?
    private var last = 0
    private var sources: [IPAddress: Source] = [:]
    private var offersOfSources: SourceBudgets
    private var offers = RateLimiter(LocalSendLimits.offers)

    /// - Parameters:
    ///   - first: offers get numbers from the next one on.
    ///   - salt: a random number.
    public init(pin: String? = nil, first: Int = 0, salt: UInt64) {
        self.pin = pin
        last = first
        offersOfSources = SourceBudgets(
            LocalSendLimits.offersOfSource, six: LocalSendLimits.offersOfSix, countsLoopback: true, salt: salt)
    }

    /// Whether a file may come now: the user can take an offer only if none does.
    public var isFree: Bool { upload == nil }

    // MARK: Offers

    /// Whether an offer is looked at; if not, this is the answer. Ask before its body is read.
    /// - Parameter source: what counts as one host (``IPAddress/source(link:joinsNeighbours:)``).
    public mutating func objection(to source: IPAddress, pin: String?, now: Instant) -> Status? {
        let entry = sources[source]
        guard now >= entry?.mayTryAgain ?? now, offers.mayTake(now: now), offersOfSources.acquire(source, now: now)
        else { return .tooMany }
        offers.charge(1, now: now)
        if let wanted = self.pin {
            guard let pin, !pin.isEmpty else { return .pinNeeded }
            guard pin == wanted else { return wrongPIN(of: source, now: now) }
            sources[source]?.wrongPINs = 0
        }
        if let entry, now < entry.quietUntil { return .declined }
        return hasRoom(for: source) ? nil : .busy
    }

    /// Counts a wrong PIN.
    /// - Returns: the answer to it.
    private mutating func wrongPIN(of source: IPAddress, now: Instant) -> Status {
        var entry = sources[source] ?? Source(seen: now)
        entry.seen = now
        entry.wrongPINs += 1
        let isLast = entry.wrongPINs >= LocalSendLimits.wrongPINs
        if isLast { (entry.wrongPINs, entry.mayTryAgain) = (0, now + LocalSendLimits.pinPause) }
        note(entry, of: source)
        return isLast ? .tooMany : .pinNeeded
    }

    /// Takes an offer that ``objection(to:pin:now:)`` let pass. Others may have come meanwhile.
    public mutating func offer(
        _ offer: UploadOffer, from address: IPAddress, of source: IPAddress, now: Instant
    ) -> OfferVerdict {
        guard hasRoom(for: source) else { return .refuse(.busy) }
        last += 1
        waiting[last] = Waiting(
            offer: offer, address: address, source: source, ends: now + LocalSendLimits.patience)
        return .ask(last)
    }

    private func hasRoom(for source: IPAddress) -> Bool {
        waiting.count < LocalSendLimits.waiting && !waiting.values.contains { $0.source == source }
    }

    /// The user's answer.
    /// - Parameters:
    ///   - items: the ids of the files that are wanted; nil declines, and none takes what needs no upload, such as a text.
    ///   - token: makes a token that can't be guessed.
    /// - Returns: what the request with that number is answered; nil if the offer is over, or files are wanted while others come
    ///   (``isFree``): then it waits on.
    public mutating func answer(
        _ number: Int, taking items: Set<String>?, token: () -> String, now: Instant
    ) -> Answer? {
        guard let asked = waiting[number] else { return nil }
        guard let items else {
            waiting[number] = nil
            hush(asked.source, now: now)
            return Answer(status: .declined, session: nil, tokens: [:])
        }
        let wanted = asked.offer.items.filter { items.contains($0.id) }
        guard !wanted.isEmpty else {
            waiting[number] = nil
            return Answer(status: .nothingToSend, session: nil, tokens: [:])
        }
        guard isFree else { return nil }
        waiting[number] = nil
        var parts: [String: Part] = [:]
        for item in wanted { parts[item.id] = Part(item: item, token: token()) }
        let session = token()
        upload = Upload(session: session, address: asked.address, parts: parts, restsSince: now)
        return Answer(status: .done, session: session, tokens: parts.mapValues(\.token))
    }

    /// The device has gone before the user answered.
    /// - Returns: whether that offer was open.
    public mutating func withdraw(_ number: Int, now: Instant) -> Bool {
        guard let asked = waiting.removeValue(forKey: number) else { return false }
        var entry = sources[asked.source] ?? Source(seen: now)
        if now - entry.withdrawnAt >= LocalSendLimits.withdrawalLife { entry.withdrawals = 0 }
        (entry.seen, entry.withdrawnAt) = (now, now)
        entry.withdrawals += 1
        // Who asks and takes it back again and again only wants to be seen.
        if entry.withdrawals >= LocalSendLimits.withdrawals { entry.quietUntil = now + LocalSendLimits.quiet }
        note(entry, of: asked.source)
        return true
    }

    // MARK: Uploads

    /// A file begins to come.
    /// - Parameter length: the bytes that the request says its body has; nil if it doesn't.
    public mutating func begin(
        session: String, file: String, token: String, from address: IPAddress, length: Int64?, now: Instant
    ) -> UploadVerdict {
        guard let upload else { return .refuse(.busy) }
        guard upload.session == session, upload.address == address, let part = upload.parts[file],
            part.token == token, part.state == .expected
        else { return .refuse(.declined) }
        guard length == nil || length == part.item.size else { return .refuse(.malformed) }
        guard upload.parts.values.count(where: { $0.state == .coming }) < LocalSendLimits.atOnce else {
            return .refuse(.busy)
        }
        self.upload?.parts[file]?.state = .coming
        self.upload?.restsSince = now
        return .take(part.item)
    }

    /// Whether a device waits until we go on with a file: then it is not at fault if nothing comes.
    public mutating func hold(_ file: String, session: String, _ isHeld: Bool, now: Instant) {
        guard upload?.session == session, upload?.parts[file] != nil else { return }
        upload?.parts[file]?.isHeld = isHeld
        upload?.restsSince = now
    }

    /// Bytes of a file have come.
    /// - Returns: false if there are more than it should have, or nobody waits for them any more.
    public mutating func receive(_ count: Int, of file: String, session: String, now: Instant) -> Bool {
        guard count > 0, upload?.session == session, let part = upload?.parts[file], part.state == .coming,
            Int64(count) <= part.item.size - part.received
        else { return false }
        // In its place: there may be a thousand others.
        upload?.parts[file]?.received += Int64(count)
        upload?.restsSince = now
        return true
    }

    /// The body of a file has ended, as it should or not.
    /// - Parameter isKept: whether everything that came is on the disk.
    /// - Returns: whether the file is whole, and whether no other is to come; nil if nobody waits for it any more.
    public mutating func end(
        _ file: String, session: String, isKept: Bool, now: Instant
    ) -> (isWhole: Bool, isLast: Bool)? {
        guard upload?.session == session, let part = upload?.parts[file], part.state == .coming else { return nil }
        upload?.parts[file]?.state = .over
        upload?.parts[file]?.isHeld = false
        upload?.restsSince = now
        let isLast = upload?.parts.values.allSatisfy { $0.state == .over } ?? true
        if isLast { upload = nil }
        return (isKept && part.received == part.item.size, isLast)
    }

    /// The device takes everything back. While its offer waits, any session or none means that.
    /// - Returns: the offer that waited, or the session that was under way; nil if it has nothing here.
    public mutating func cancel(session: String?, from address: IPAddress, now: Instant) -> Cancelled? {
        if let upload, upload.address == address, upload.session == session {
            self.upload = nil
            return .upload(session: upload.session)
        }
        guard let number = waiting.first(where: { $0.value.address == address })?.key, withdraw(number, now: now) else {
            return nil
        }
        return .offer(number)
    }

    /// What a device has taken back.
    public enum Cancelled: Hashable, Sendable {
        case offer(Int)
        case upload(session: String)
    }

    /// The user, or a full disk, ends what is under way.
    /// - Returns: whether that session was under way.
    public mutating func stop(session: String) -> Bool {
        guard upload?.session == session else { return false }
        upload = nil
        return true
    }

    // MARK: Time

    public var nextDeadline: Instant? {
        let rests = upload.flatMap { $0.isHeld ? nil : $0.restsSince + LocalSendLimits.idle }
        return (waiting.values.map(\.ends) + [rests].compactMap(\.self)).min()
    }

    /// What time has brought about; call it until it is nil.
    public mutating func tick(now: Instant) -> Overdue? {
        if let (number, asked) = waiting.first(where: { now >= $0.value.ends }) {
            waiting[number] = nil
            hush(asked.source, now: now)
            return .offer(number, Answer(status: .declined, session: nil, tokens: [:]))
        }
        guard let upload, !upload.isHeld, now >= upload.restsSince + LocalSendLimits.idle else { return nil }
        self.upload = nil
        return .upload(session: upload.session)
    }

    private mutating func hush(_ source: IPAddress, now: Instant) {
        var entry = sources[source] ?? Source(seen: now)
        (entry.seen, entry.quietUntil) = (now, now + LocalSendLimits.quiet)
        note(entry, of: source)
    }

    private mutating func note(_ entry: Source, of source: IPAddress) {
        if sources[source] == nil, sources.count >= LocalSendLimits.sources,
            let oldest = sources.min(by: { $0.value.seen < $1.value.seen })
        {
            sources[oldest.key] = nil
        }
        sources[source] = entry
    }
}
