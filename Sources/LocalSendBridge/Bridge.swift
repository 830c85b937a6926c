import Basics
import ControlProtocol
import Crypto
import HTTP
import LocalSend
import Reactor

/// Serves devices that speak LocalSend: answers who this host is, takes their offers to the daemon, and the files that the user
/// wants from them. It decides nothing about files: the daemon says where each goes.
@ReactorActor final class Bridge {
    /// An offer that waits for the user.
    private struct Asked {
        let offer: UploadOffer
        let exchange: Exchange
    }

    /// The offer whose files come.
    private struct Upload {
        let number: Int
        let session: String
        /// The place of each file in the offer.
        let places: [String: Int]
        var came: Int64 = 0
        var isReported = true
    }

    private let role: BridgeOrder.Role
    private let channel: Channel
    private let gate: BridgeGate
    private var server: HTTPServer?
    private var announcer: Announcer?
    private var table: DeviceTable
    private var desk: UploadDesk
    private var asked: [Int: Asked] = [:]
    private var upload: Upload?
    private var intakes: [Int: FileIntake] = [:]
    private var lastTicket: Int
    /// Whether the daemon knows that a device has connected since all were asked last.
    private var isReached = false
    private var timer: TimerToken?
    private var report: TimerToken?
    private var devices: TimerToken?
    private var random = SodiumGenerator()
    private var now: Instant { Reactor.shared.now }

    init(_ role: BridgeOrder.Role, channel: Channel) throws(SocketError) {
        self.role = role
        self.channel = channel
        lastTicket = role.first
        var random = SodiumGenerator()
        table = DeviceTable(own: role.info.fingerprint, salt: .random(in: .min ... .max, using: &random))
        desk = UploadDesk(pin: role.pin, first: role.first, salt: .random(in: .min ... .max, using: &random))
        let gate = BridgeGate(links: role.links)
        self.gate = gate
        var identity: TLSIdentity?
        if let certificate = role.certificate, let key = role.key {
            identity = TLSIdentity(certificate: certificate, key: key)
        }
        server = try HTTPServer(
            limits: BridgeLimits.server, identity: identity,
            common: [("Content-Type", "application/json"), ("Cache-Control", "no-store")],
            objection: { fd in
                SocketAddress(peerOf: fd).map { gate.admits($0.host) } == true ? nil : "address"
            },
            begin: { [unowned self] in begin($0, $1) })
    }

    // MARK: The daemon's orders

    func obey(_ order: BridgeOrder, with descriptor: CInt) throws(SocketError) {
        switch order {
        case .listen: try server?.listen(on: descriptor)
        case .hear(let interfaces):
            announcer = try Announcer(
                descriptor, own: role.info, links: role.links.filter { interfaces.contains($0.index) },
                heard: { [unowned self] in hear($0, at: $1) }, echoed: { [channel] in channel.say(.echoed(on: $0)) })
        case .write(let ticket):
            guard let intake = intakes[ticket], !intake.exchange.hasEnded else {
                _ = Descriptor(adopting: descriptor)
                return
            }
            desk.hold(intake.file, session: intake.session, false, now: now)
            intake.begin(descriptor) { [unowned self] in
                receive($0, of: intake)
            } completed: { [unowned self] in
                complete(ticket)
            }
            schedule()
        default: _ = Descriptor(adopting: descriptor)
        }
    }

    func obey(_ order: BridgeOrder) {
        switch order {
        case .announce:
            isReached = false
            announcer?.announce()
        case .met(let device):
            note(table.hear(device.info, at: device.address, of: device.address, isProved: true, now: now))
        case .setPIN(let pin): desk.pin = pin
        case .answer(let number, let items): answer(number, taking: items)
        case .refuse(let ticket, let status):
            guard let intake = intakes.removeValue(forKey: ticket) else { return }
            end(intake, isKept: false)
            intake.exchange.intake = .dropped
            intake.exchange.answer(Self.reply(status))
        case .kept(let ticket, let isKept):
            guard let intake = intakes.removeValue(forKey: ticket) else { return }
            end(intake, isKept: isKept)
            intake.exchange.answer(Self.reply(isKept ? .done : .failed))
        case .stop(let number):
            guard let upload, upload.number == number else { return }
            _ = desk.stop(session: upload.session)
            endUpload(nil)
        case .begin, .listen, .hear, .write: break
        }
        schedule()
    }

    private func answer(_ number: Int, taking items: [Int]?) {
        guard let asked = asked[number] else { return }
        let wanted = items.map { Set($0.filter(asked.offer.items.indices.contains).map { asked.offer.items[$0].id }) }
        guard let answer = desk.answer(number, taking: wanted, token: { token() }, now: now) else { return }
        self.asked[number] = nil
        if let session = answer.session {
            var places: [String: Int] = [:]
            for (place, item) in asked.offer.items.enumerated() where answer.tokens[item.id] != nil {
                places[item.id] = place
            }
            upload = Upload(number: number, session: session, places: places)
        }
        asked.exchange.whenEnded = nil
        asked.exchange.answer(Self.reply(answer))
    }

    private func token() -> String {
        Hex.encode((0..<16).map { _ in UInt8.random(in: .min ... .max, using: &random) })
    }

    // MARK: Devices

    private func hear(_ bytes: ArraySlice<UInt8>, at address: IPAddress) -> Announcement? {
        guard gate.admits(address), bytes.count <= LocalSendLimits.announcementBytes,
            table.mayListen(to: address, isProved: false, now: now),
            let announcement = Announcement(datagram: Array(bytes)),
            announcement.info.fingerprint != role.info.fingerprint
        else { return nil }
        note(table.hear(announcement.info, at: address, of: address, isProved: false, now: now))
        return announcement
    }

    private func note(_ hearing: DeviceTable.Hearing) {
        if hearing == .news { tellDevices() }
        schedule()
    }

    private func tellDevices() {
        guard devices == nil else { return }
        devices = Reactor.shared.schedule(at: now + BridgeLimits.reportPause) { [weak self] in
            self?.devices = nil
            self?.sayDevices()
        }
    }

    private func sayDevices() {
        channel.say(.devices(table.shown(now: now).map { .init(info: $0.info, address: $0.address) }))
    }

    // MARK: Requests

    private func begin(_ exchange: Exchange, _ head: RequestHead) -> HTTPServer.Begun {
        guard let peer = exchange.peer, head.fields.count <= BridgeLimits.fields else {
            exchange.answer(Reply(400))
            return .refused
        }
        noteReach(of: peer)
        switch gate.admit(head) {
        case .failure(let refusal):
            exchange.answer(Reply(refusal.rawValue))
            return .refused
        case .success(let request):
            guard let begun = begin(exchange, request, from: peer) else {
                exchange.intake = .dropped
                return .answers
            }
            return begun
        }
    }

    /// A connection from another host shows that none of ours keeps them out; one from this host goes past its firewall.
    private func noteReach(of peer: IPAddress) {
        guard !isReached, !role.links.contains(where: { $0.address == peer }) else { return }
        isReached = true
        channel.say(.reached)
    }

    /// - Returns: nil if the answer is there.
    private func begin(_ exchange: Exchange, _ request: BridgeGate.Admitted, from peer: IPAddress) -> HTTPServer.Begun?
    {
        (exchange.length, exchange.isOpenEnded) = (request.length, request.length == nil)
        switch request.route {
        case .info:
            exchange.answer(Self.reply(.done, role.info.json))
        case .register:
            guard table.mayListen(to: peer, isProved: true, now: now) else {
                return refuse(exchange, request, LocalSendLimits.announcementBytes, .tooMany)
            }
            return gather(exchange, request, LocalSendLimits.announcementBytes) { [unowned self] in
                register(exchange, from: peer)
            }
        case .prepareUpload(let pin):
            if let status = desk.objection(to: peer, pin: pin, now: now) {
                return refuse(exchange, request, LocalSendLimits.bodyBytes, status)
            }
            return gather(exchange, request, LocalSendLimits.bodyBytes) { [unowned self] in
                prepare(exchange, from: peer)
            }
        case .upload(let session, let file, let token):
            return take(exchange, request, session: session, file: file, token: token, from: peer)
        case .cancel(let session):
            cancel(session, from: peer)
            exchange.answer(Self.reply(.done, [:]))
        case .malformed: return refuse(exchange, .malformed)
        }
        schedule()
        return nil
    }

    private func refuse(_ exchange: Exchange, _ status: UploadDesk.Status) -> HTTPServer.Begun? {
        exchange.answer(Self.reply(status))
        schedule()
        return nil
    }

    /// Refuses a document when it has come and was thrown away: an answer that comes before would get lost with the connection.
    private func refuse(
        _ exchange: Exchange, _ request: BridgeGate.Admitted, _ limit: Int, _ status: UploadDesk.Status
    ) -> HTTPServer.Begun? {
        schedule()
        exchange.intake = .dropped
        return gather(exchange, request, limit) { exchange.answer(Self.reply(status)) }
    }

    /// Gathers a document of at most that many bytes, and then calls `body`.
    private func gather(
        _ exchange: Exchange, _ request: BridgeGate.Admitted, _ limit: Int, _ body: @escaping @ReactorActor () -> Void
    ) -> HTTPServer.Begun? {
        let length = request.length ?? Int64(limit)
        guard 1...Int64(limit) ~= length else { return refuse(exchange, .malformed) }
        (exchange.length, exchange.isOpenEnded) = (length, request.length == nil)
        exchange.whenComplete = body
        return .takesBody
    }

    private func register(_ exchange: Exchange, from peer: IPAddress) {
        guard let json = try? JSONParser.parse(exchange.body, maximumBytes: LocalSendLimits.announcementBytes),
            let info = DeviceInfo(json)
        else { return exchange.answer(Self.reply(.malformed)) }
        note(table.hear(info, at: peer, of: peer, isProved: true, now: now))
        exchange.answer(Self.reply(.done, role.info.json))
    }

    private func prepare(_ exchange: Exchange, from peer: IPAddress) {
        guard let offer = try? UploadOffer(body: exchange.body) else {
            return exchange.answer(Self.reply(.malformed))
        }
        guard offer.sender.fingerprint != role.info.fingerprint || offer.sender.fingerprint.isEmpty else {
            return exchange.answer(Self.reply(.isOurself))
        }
        guard offer.text?.allSatisfy(\.isWhitespace) != true else { return exchange.answer(Self.reply(.malformed)) }
        switch desk.offer(offer, from: peer, of: peer, now: now) {
        case .refuse(let status): exchange.answer(Self.reply(status))
        case .ask(let number):
            asked[number] = Asked(offer: offer, exchange: exchange)
            exchange.endsWithPeer = true
            exchange.whenEnded = { [unowned self] in
                guard desk.withdraw(number, now: now) else { return }
                asked[number] = nil
                channel.say(.over(number, .withdrawn))
                schedule()
            }
            let text = offer.text
            channel.say(
                .offered(
                    number, .init(info: offer.sender, address: peer),
                    items: text == nil ? offer.items.map { .init(name: $0.name, size: $0.size) } : [], text: text))
        }
        schedule()
    }

    private func cancel(_ session: String?, from peer: IPAddress) {
        switch desk.cancel(session: session, from: peer, now: now) {
        case .upload: endUpload(.withdrawn)
        case .offer(let number): end(number, .withdrawn)
        case nil: break
        }
    }

    /// An offer that waited is over.
    private func end(_ number: Int, _ ending: BridgeReport.Ending, _ reply: Reply = Bridge.reply(.declined)) {
        guard let asked = asked.removeValue(forKey: number) else { return }
        asked.exchange.whenEnded = nil
        asked.exchange.answer(reply)
        channel.say(.over(number, ending))
    }

    // MARK: Files

    private func take(
        _ exchange: Exchange, _ request: BridgeGate.Admitted, session: String, file: String, token: String,
        from peer: IPAddress
    ) -> HTTPServer.Begun? {
        let item: UploadOffer.Item
        switch desk.begin(
            session: session, file: file, token: token, from: peer, length: request.length, now: now)
        {
        case .refuse(let status): return refuse(exchange, status)
        case .take(let found): item = found
        }
        guard let upload, upload.session == session, let place = upload.places[file] else {
            return refuse(exchange, .declined)
        }
        lastTicket += 1
        let ticket = lastTicket
        let intake = FileIntake(exchange, session: session, file: file)
        intakes[ticket] = intake
        (exchange.length, exchange.isOpenEnded) = (item.size, request.length == nil)
        exchange.isLarge = true
        (exchange.endsWithPeer, exchange.refusesEarly) = (true, true)
        exchange.intake = .dropped
        desk.hold(file, session: session, true, now: now)
        exchange.whenEnded = { [unowned self] in lose(ticket) }
        channel.say(.begins(ticket: ticket, offer: upload.number, item: place))
        schedule()
        return .waits
    }

    private func receive(_ count: Int, of intake: FileIntake) -> Bool {
        guard desk.receive(count, of: intake.file, session: intake.session, now: now) else { return false }
        upload?.came += Int64(count)
        upload?.isReported = false
        if report == nil {
            report = Reactor.shared.schedule(at: now + BridgeLimits.reportPause) { [weak self] in
                self?.report = nil
                self?.tellProgress()
            }
        }
        return true
    }

    private func tellProgress() {
        guard let upload, !upload.isReported else { return }
        self.upload?.isReported = true
        channel.say(.came(upload.number, bytes: upload.came))
    }

    /// The body of a file has ended.
    private func complete(_ ticket: Int) {
        guard let intake = intakes[ticket] else { return }
        intake.close()
        desk.hold(intake.file, session: intake.session, true, now: now)
        // It is kept, whether the device waits for the answer or not.
        intake.exchange.endsWithPeer = false
        tellProgress()
        channel.say(.ends(ticket: ticket, intake.outcome))
        schedule()
    }

    /// The connection of a file has ended, before the answer or after it.
    private func lose(_ ticket: Int) {
        guard let intake = intakes[ticket] else { return }
        intake.close()
        // What has come whole is kept, whether the device hears of it or not.
        guard !intake.isComplete else { return }
        intakes[ticket] = nil
        end(intake, isKept: false)
        let outcome = intake.outcome
        channel.say(.ends(ticket: ticket, outcome == .whole ? .broken : outcome))
        schedule()
    }

    private func end(_ intake: FileIntake, isKept: Bool) {
        intake.close()
        let end = desk.end(intake.file, session: intake.session, isKept: isKept, now: now)
        if end?.isLast == true, upload?.session == intake.session {
            tellProgress()
            upload = nil
        }
    }

    /// The upload under way is over.
    /// - Parameter ending: nil if the daemon has ended it.
    private func endUpload(_ ending: BridgeReport.Ending?) {
        guard let upload else { return }
        self.upload = nil
        if let ending { channel.say(.over(upload.number, ending)) }
        for (ticket, intake) in intakes where intake.session == upload.session && !intake.isComplete {
            intakes[ticket] = nil
            intake.close()
            intake.exchange.whenEnded = nil
            intake.exchange.abort()
            channel.say(.ends(ticket: ticket, .broken))
        }
    }

    // MARK: Time

    private func schedule() {
        timer?.cancel()
        timer = [desk.nextDeadline, table.nextDeadline].compactMap(\.self).min().map { due in
            Reactor.shared.schedule(at: due) { [weak self] in self?.tick() }
        }
    }

    private func tick() {
        while let overdue = desk.tick(now: now) {
            switch overdue {
            case .offer(let number, let answer): end(number, .expired, Self.reply(answer))
            case .upload: endUpload(.silent)
            }
        }
        if table.forget(now: now) { tellDevices() }
        schedule()
    }

    // MARK: Answers

    private static func reply(_ answer: UploadDesk.Answer) -> Reply {
        guard let session = answer.session else { return reply(answer.status) }
        var files = JSONObject()
        for (id, token) in answer.tokens { files[id] = .string(token) }
        return reply(answer.status, ["sessionId": .string(session), "files": .object(files)])
    }

    /// - Parameter document: nil for the words that belong to a refusal.
    private static func reply(_ status: UploadDesk.Status, _ document: JSONObject? = nil) -> Reply {
        guard status != .nothingToSend else { return Reply(204) }
        return Reply(
            UInt32(status.rawValue), [],
            .bytes(JSONValue.object(document ?? ["message": .string(status.words)]).encoded))
    }
}

extension UploadDesk.Status {
    /// What a device may show to its user.
    fileprivate var words: String {
        switch self {
        case .done: "ok"
        case .nothingToSend: "nothing to send"
        case .malformed: "malformed request"
        case .pinNeeded: "PIN required"
        case .declined: "declined"
        case .busy: "busy"
        case .isOurself: "this is the same device"
        case .tooMany: "too many requests"
        case .failed: "not stored"
        case .noRoom: "no room"
        }
    }
}
