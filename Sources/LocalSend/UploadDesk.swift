public import Basics

/// What this host answers to devices that want to give something: one offer at a time waits for the user, and one upload is
/// under way (LocalSend protocol 2.1, section 4). A value: requests, the user's word, randomness and the time come in.
public struct UploadDesk: Sendable {
    /// The statuses of HTTP that the protocol knows.
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
        var offers = RateLimiter(
            RateLimit(
                burst: LocalSendLimits.offersOfAddress,
                every: .milliseconds(60_000 / Int64(LocalSendLimits.offersOfAddress))))
        var wrongPINs = 0
        var mayTryAgain = Instant(nanoseconds: 0)
        var quietUntil = Instant(nanoseconds: 0)
        var seen: Instant
    }

    private struct Waiting: Sendable {
        let number: Int
        let offer: UploadOffer
        let address: IPAddress
        let ends: Instant
    }

    private struct Part: Sendable {
        let item: UploadOffer.Item
        let token: String
        var received: Int64 = 0
        var state = State.expected

        enum State: Sendable { case expected, coming, over }
    }

    private struct Upload: Sendable {
        let session: String
        let address: IPAddress
        var parts: [String: Part]
        var restsSince: Instant
    }

    private enum Stage: Sendable {
        case free
        case waiting(Waiting)
        case upload(Upload)
    }

    /// What devices have to say before the user is asked; nil: nothing.
    public var pin: String?
    private var stage = Stage.free
    private var last = 0
    private var sources: [IPAddress: Source] = [:]
    private var offers = RateLimiter(
        RateLimit(burst: LocalSendLimits.offers, every: .milliseconds(60_000 / Int64(LocalSendLimits.offers))))

    public init(pin: String? = nil) { self.pin = pin }

    // MARK: Offers

    /// Whether an offer of an address is looked at; if not, this is the answer. Ask before its body is read.
    public mutating func objection(to address: IPAddress, pin: String?, now: Instant) -> Status? {
        let key = address
        var source = sources[key] ?? Source(seen: now)
        source.seen = now
        defer { note(source, of: key) }
        guard source.offers.mayTake(now: now), now >= source.mayTryAgain, offers.acquire(now: now) else {
            return .tooMany
        }
        source.offers.charge(1, now: now)
        if let wanted = self.pin {
            guard let pin, !pin.isEmpty else { return .pinNeeded }
            guard pin == wanted else {
                source.wrongPINs += 1
                guard source.wrongPINs >= LocalSendLimits.wrongPINs else { return .pinNeeded }
                source.wrongPINs = 0
                source.mayTryAgain = now + LocalSendLimits.pinPause
                return .tooMany
            }
            source.wrongPINs = 0
        }
        guard case .free = stage else { return .busy }
        return now < source.quietUntil ? .declined : nil
    }

    /// Takes an offer that ``objection(to:pin:now:)`` let pass. Another one may have come meanwhile.
    public mutating func offer(_ offer: UploadOffer, from address: IPAddress, now: Instant) -> OfferVerdict {
        guard case .free = stage else { return .refuse(.busy) }
        last += 1
        stage = .waiting(
            Waiting(number: last, offer: offer, address: address, ends: now + LocalSendLimits.patience))
        return .ask(last)
    }

    /// The user's answer.
    /// - Parameters:
    ///   - items: the ids of the files that are wanted; nil declines, and none takes what needs no upload, such as a text.
    ///   - token: makes a token that can't be guessed.
    /// - Returns: what the request with that number is answered; nil if the offer is over.
    public mutating func answer(
        _ number: Int, taking items: Set<String>?, token: () -> String, now: Instant
    ) -> Answer? {
        guard case .waiting(let waiting) = stage, waiting.number == number else { return nil }
        stage = .free
        guard let items else {
            hush(waiting.address, now: now)
            return Answer(status: .declined, session: nil, tokens: [:])
        }
        let wanted = waiting.offer.items.filter { items.contains($0.id) }
        guard !wanted.isEmpty else { return Answer(status: .nothingToSend, session: nil, tokens: [:]) }
        var parts: [String: Part] = [:]
        for item in wanted { parts[item.id] = Part(item: item, token: token()) }
        let session = token()
        stage = .upload(Upload(session: session, address: waiting.address, parts: parts, restsSince: now))
        return Answer(status: .done, session: session, tokens: parts.mapValues(\.token))
    }

    /// The device has gone before the user answered.
    /// - Returns: whether that offer was open.
    public mutating func withdraw(_ number: Int) -> Bool {
        guard case .waiting(let waiting) = stage, waiting.number == number else { return false }
        stage = .free
        return true
    }

    // MARK: Uploads

    /// A file begins to come.
    /// - Parameter length: the bytes that the request says its body has; nil if it doesn't.
    public mutating func begin(
        session: String, file: String, token: String, from address: IPAddress, length: Int64?, now: Instant
    ) -> UploadVerdict {
        guard case .upload(var upload) = stage else { return .refuse(.busy) }
        guard upload.session == session, upload.address == address, var part = upload.parts[file],
            part.token == token, part.state == .expected
        else { return .refuse(.declined) }
        guard length == nil || length == part.item.size else { return .refuse(.malformed) }
        part.state = .coming
        upload.parts[file] = part
        upload.restsSince = now
        stage = .upload(upload)
        return .take(part.item)
    }

    /// Bytes of a file have come.
    /// - Returns: false if there are more than it should have, or nobody waits for them any more.
    public mutating func receive(_ count: Int, of file: String, session: String, now: Instant) -> Bool {
        guard case .upload(var upload) = stage, upload.session == session, var part = upload.parts[file],
            part.state == .coming, Int64(count) <= part.item.size - part.received
        else { return false }
        part.received += Int64(count)
        upload.parts[file] = part
        upload.restsSince = now
        stage = .upload(upload)
        return true
    }

    /// The body of a file has ended, as it should or not.
    /// - Parameter isKept: whether everything that came is on the disk.
    /// - Returns: whether the file is whole, and whether no other is to come; nil if nobody waits for it any more.
    public mutating func end(
        _ file: String, session: String, isKept: Bool, now: Instant
    ) -> (isWhole: Bool, isLast: Bool)? {
        guard case .upload(var upload) = stage, upload.session == session, var part = upload.parts[file],
            part.state == .coming
        else { return nil }
        part.state = .over
        upload.parts[file] = part
        upload.restsSince = now
        let isLast = upload.parts.values.allSatisfy { $0.state == .over }
        stage = isLast ? .free : .upload(upload)
        return (isKept && part.received == part.item.size, isLast)
    }

    /// The device takes everything back.
    /// - Parameter session: nil while the user hasn't answered.
    /// - Returns: the offer that waited, or the session that was under way; nil if it has nothing here.
    public mutating func cancel(session: String?, from address: IPAddress) -> Cancelled? {
        switch stage {
        case .waiting(let waiting) where waiting.address == address && session == nil:
            stage = .free
            return .offer(waiting.number)
        case .upload(let upload) where upload.address == address && session == upload.session:
            stage = .free
            return .upload(session: upload.session)
        default: return nil
        }
    }

    /// What a device has taken back.
    public enum Cancelled: Hashable, Sendable {
        case offer(Int)
        case upload(session: String)
    }

    /// The user, or a full disk, ends what is under way.
    /// - Returns: whether that session was under way.
    public mutating func stop(session: String) -> Bool {
        guard case .upload(let upload) = stage, upload.session == session else { return false }
        stage = .free
        return true
    }

    // MARK: Time

    public var nextDeadline: Instant? {
        switch stage {
        case .free: nil
        case .waiting(let waiting): waiting.ends
        case .upload(let upload): upload.restsSince + LocalSendLimits.idle
        }
    }

    public mutating func tick(now: Instant) -> Overdue? {
        guard let nextDeadline, now >= nextDeadline else { return nil }
        switch stage {
        case .free: return nil
        case .waiting(let waiting):
            stage = .free
            hush(waiting.address, now: now)
            return .offer(waiting.number, Answer(status: .declined, session: nil, tokens: [:]))
        case .upload(let upload):
            stage = .free
            return .upload(session: upload.session)
        }
    }

    private mutating func hush(_ address: IPAddress, now: Instant) {
        let key = address
        var source = sources[key] ?? Source(seen: now)
        source.quietUntil = now + LocalSendLimits.quiet
        note(source, of: key)
    }

    private mutating func note(_ source: Source, of key: IPAddress) {
        if sources[key] == nil, sources.count >= LocalSendLimits.addresses,
            let oldest = sources.min(by: { $0.value.seen < $1.value.seen })
        {
            sources[oldest.key] = nil
        }
        sources[key] = source
    }
}
