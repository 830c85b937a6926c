import Basics
import Crypto

@testable import DiscoverySimulation
@testable import PeerProtocol

/// Many hosts on one network segment, in one process, with a simulated clock. Each has a real DiscoveryMachine and
/// DialPlanner; the segment loses, repeats and delays datagrams as a seed determines.
struct DiscoveryWorld {
    struct Weather {
        /// The chance for each broadcast on its way to each receiver.
        var loss = 0.0
        var repeats = 0.0
        var delay: ClosedRange<Int64> = 50...2_000  // Microseconds.
        /// Microseconds from connect to the end of the handshake.
        var dialTime: ClosedRange<Int64> = 1_000...30_000
    }

    final class Host {
        let number: UInt32
        let device: DeviceID
        let key: SigningKey
        let address: SocketAddress
        var incarnation: UInt32 = 0
        var machine: DiscoveryMachine<SeededGenerator>?
        var planner: DialPlanner<SeededGenerator>?
        var peerExchange: PeerExchangePlanner<SeededGenerator>?
        /// The devices whose card it has, from a session or from others.
        var named: Set<DeviceID> = []
        /// The devices that it believes to be present, by announcement.
        var heard: Set<DeviceID> = []
        /// The devices whose card it has from a session.
        var met: Set<DeviceID> = []
        /// The open session with each device.
        var sessions: [DeviceID: Session] = [:]
        var dials = 0
        /// The number of pages of peer exchange that it asked for.
        var exchanges = 0
        var mostDials = 0
        /// The number of its sessions that lost a tie break.
        var tieBreaks = 0
        var wakesAt: Instant?

        init(number: UInt32) {
            self.number = number
            key = DiscoveryFixture.key(UInt64(number))
            device = DeviceID(key.publicKey)
            address = DiscoveryFixture.address(number)
        }

        var isUp: Bool { machine != nil }
    }

    struct Session: Equatable {
        let id: Int
        let dialler: DeviceID
        let openedAt: Instant
        /// The runs of the two daemons, as their Noise static keys would show them.
        let runs: [DeviceID: UInt32]
    }

    enum Event {
        case datagram([UInt8], from: SocketAddress, to: Int)
        case dialled(DialEffect, from: Int, fromRun: UInt32)
        /// A question for the peer exchange on its way, and a page.
        case peerExchangeAsked(PeerExchangeRequestBody, from: Int, to: Int)
        case peerExchangeCame(PeerExchangeBody, from: Int, to: Int)
        case opened(Session, with: DeviceID, at: Int, by: DialTarget?, run: UInt32)
        /// A deadline of the host's machine or planner may have come.
        case wake(Int)
    }

    private(set) var now = DiscoveryFixture.start
    let hosts: [Host]
    var weather: Weather
    /// Every datagram that was broadcast, with its source.
    private(set) var capture: [(bytes: [UInt8], from: SocketAddress)] = []
    private(set) var random: SeededGenerator
    private var events = EventQueue<Event>()
    private var order = 0
    private let byAddress: [SocketAddress: Int]
    private let byDevice: [DeviceID: Int]

    init(hosts count: Int, seed: UInt64, weather: Weather = Weather()) {
        hosts = (0..<count).map { Host(number: UInt32($0) + 1) }
        random = SeededGenerator(seed: seed)
        self.weather = weather
        byAddress = Dictionary(hosts.enumerated().map { ($1.address, $0) }, uniquingKeysWith: { first, _ in first })
        byDevice = Dictionary(hosts.enumerated().map { ($1.device, $0) }, uniquingKeysWith: { first, _ in first })
    }

    // MARK: What happens to hosts

    mutating func start(_ index: Int) {
        let host = hosts[index]
        host.incarnation += 1
        host.machine = DiscoveryMachine(
            key: host.key, incarnation: host.incarnation, port: host.address.port, now: now,
            random: SeededGenerator(seed: random.next()))
        host.planner = DialPlanner(own: host.device, random: SeededGenerator(seed: random.next()))
        host.peerExchange = PeerExchangePlanner(own: host.device, random: SeededGenerator(seed: random.next()))
        host.peerExchange?.start(now: now)
        perform(host.machine?.start(now: now) ?? [], at: index)
    }

    /// Says goodbye and goes. The far ends of its sessions learn it as from closed connections.
    mutating func stop(_ index: Int) {
        perform(hosts[index].machine?.stop(now: now) ?? [], at: index)
        let sessions = hosts[index].sessions
        crash(index)
        for (device, session) in sessions {
            guard let other = byDevice[device] else { continue }
            end(session, at: other, with: hosts[index].device, isClean: true)
        }
    }

    /// Stops without a goodbye. The far ends keep their sessions until something tells them.
    mutating func crash(_ index: Int) {
        let host = hosts[index]
        host.machine = nil
        host.planner = nil
        host.peerExchange = nil
        host.named = []
        host.sessions = [:]
        host.heard = []
        host.met = []
    }

    mutating func befriend(_ index: Int, _ devices: Set<DeviceID>) {
        hosts[index].machine?.setContacts(devices)
        hosts[index].planner?.setFriends(devices, now: now)
        pump(index)
    }

    /// Ends every session that has fulfilled its purpose, as daemons end idle ones.
    mutating func closeIdleSessions() {
        for index in hosts.indices {
            for (device, session) in hosts[index].sessions { end(session, at: index, with: device, isClean: true) }
        }
    }

    mutating func inject(_ bytes: [UInt8], from: SocketAddress, to index: Int) {
        schedule(.datagram(bytes, from: from, to: index), after: .zero)
    }

    // MARK: Time

    mutating func run(for duration: Duration) {
        let end = now + duration
        while let (moment, event) = events.popFirst(through: end) {
            now = max(now, moment)
            handle(event)
        }
        now = end
    }

    private mutating func schedule(_ event: Event, after delay: Duration) {
        events.insert(event, at: now + delay)
    }

    /// Puts the host's next deadline into the queue, unless an earlier one is there already.
    private mutating func arm(_ index: Int) {
        let host = hosts[index]
        let deadlines = [host.machine?.nextDeadline, host.planner?.nextDeadline, host.peerExchange?.nextDeadline]
            .compactMap(
                \.self)
        guard let next = deadlines.min().map({ max($0, now) }), host.wakesAt.map({ next < $0 || $0 < now }) ?? true
        else { return }
        host.wakesAt = next
        events.insert(.wake(index), at: next)
    }

    private mutating func within(_ range: ClosedRange<Int64>) -> Duration {
        .microseconds(Int64.random(in: range, using: &random))
    }

    // MARK: The shells' work

    private mutating func handle(_ event: Event) {
        switch event {
        case .wake(let index):
            if hosts[index].wakesAt.map({ $0 <= now }) == true { hosts[index].wakesAt = nil }
            perform(hosts[index].machine?.tick(now: now) ?? [], at: index)
        case .datagram(let bytes, let source, let index):
            perform(hosts[index].machine?.receive(bytes[...], from: source, now: now) ?? [], at: index)
        case .dialled(let effect, let index, let run):
            dialled(effect, from: index, run: run)
        case .peerExchangeAsked(let request, let index, let other):
            guard let page = page(request, of: other) else { return }
            schedule(.peerExchangeCame(page, from: other, to: index), after: within(weather.delay))
        case .peerExchangeCame(let page, let other, let index): peerExchangeCame(page, from: other, to: index)
        case .opened(let session, let device, let index, let target, let run):
            guard hosts[index].isUp, hosts[index].incarnation == run else { return }
            opened(session, with: device, at: index, by: target)
        }
    }

    private mutating func perform(_ effects: [DiscoveryEffect], at index: Int) {
        let host = hosts[index]
        for effect in effects {
            switch effect {
            case .broadcast(let bytes):
                capture.append((bytes, host.address))
                for other in hosts.indices where hosts[other].isUp {
                    let copies = Double.random(in: 0..<1, using: &random) < weather.repeats ? 2 : 1
                    for _ in 0..<copies where Double.random(in: 0..<1, using: &random) >= weather.loss {
                        schedule(.datagram(bytes, from: host.address, to: other), after: within(weather.delay))
                    }
                }
            case .send(let bytes, let address):
                guard let other = byAddress[address], Double.random(in: 0..<1, using: &random) >= weather.loss else {
                    continue
                }
                schedule(.datagram(bytes, from: host.address, to: other), after: within(weather.delay))
            case .heard(let device, let address, let isNew):
                host.heard.insert(device)
                host.planner?.heard(device, at: address, isNew: isNew, now: now)
                // The number of names replaces the digest: it also tells different sets apart.
                let theirs = byDevice[device].map { hosts[$0].named.count }
                host.peerExchange?.heard(device, differs: theirs != host.named.count, now: now)
            case .left(let device), .expired(let device):
                host.heard.remove(device)
                host.planner?.left(device, now: now)
                host.peerExchange?.left(device)
                host.named.remove(device)
            }
        }
        pump(index)
    }

    private mutating func pump(_ index: Int) {
        let host = hosts[index]
        carryOut(host.peerExchange?.tick(now: now) ?? [], at: index)
        for effect in host.planner?.tick(now: now) ?? [] {
            host.dials += 1
            schedule(.dialled(effect, from: index, fromRun: host.incarnation), after: within(weather.dialTime))
        }
        host.mostDials = max(host.mostDials, host.planner?.dialsUnderWay ?? 0)
        arm(index)
    }

    private mutating func carryOut(_ effects: [PeerExchangeEffect], at index: Int) {
        for effect in effects {
            switch effect {
            case .connect(let device): hosts[index].planner?.look(at: device, atOnce: true, now: now)
            case .look(let device): hosts[index].planner?.look(at: device, now: now)
            case .ask(let device, let request):
                guard hosts[index].sessions[device] != nil, let other = byDevice[device] else { continue }
                hosts[index].exchanges += 1
                schedule(.peerExchangeAsked(request, from: index, to: other), after: within(weather.delay))
            }
        }
    }

    /// As many entries as fit into a stranger's frame, with announcements and cards of usual length.
    private func page(_ request: PeerExchangeRequestBody, of index: Int) -> PeerExchangeBody? {
        let host = hosts[index]
        guard let machine = host.machine else { return nil }
        let wanted = request.devices.map { Set($0).intersection(host.named) } ?? host.named
        let rest = wanted.filter { device in request.after.map { $0 < device } ?? true }.sorted()
        let entries = rest.prefix(26).map {
            PeerExchangeBody.Entry(device: $0, announcement: machine.announcement(of: $0), card: nil)
        }
        return PeerExchangeBody(entries: entries, hasMore: rest.count > entries.count)
    }

    private mutating func peerExchangeCame(_ page: PeerExchangeBody, from other: Int, to index: Int) {
        let host = hosts[index]
        guard host.isUp else { return }
        var news = 0
        for entry in page.entries where entry.device != host.device {
            if let announcement = entry.announcement {
                let teller = hosts[other].address.host
                perform(host.machine?.introduced(announcement, by: teller, now: now) ?? [], at: index)
            }
            if host.heard.contains(entry.device), host.named.insert(entry.device).inserted {
                news += 1
                host.peerExchange?.known(entry.device)
                host.planner?.spare(entry.device, now: now)
            }
        }
        let effects = host.peerExchange?.received(page, from: hosts[other].device, news: news, now: now) ?? []
        carryOut(effects, at: index)
        pump(index)
    }

    private mutating func dialled(_ effect: DialEffect, from index: Int, run: UInt32) {
        let host = hosts[index]
        guard host.isUp, host.incarnation == run else { return }
        guard let other = byAddress[effect.address], hosts[other].isUp, other != index else {
            host.planner?.dialFailed(effect.target, now: now)
            return pump(index)
        }
        order += 1
        let peer = hosts[other]
        let session = Session(
            id: order, dialler: host.device, openedAt: now,
            runs: [host.device: host.incarnation, peer.device: peer.incarnation])
        opened(session, with: peer.device, at: index, by: effect.target)
        // The responder's handshake ends half a round trip later, with the third message.
        schedule(
            .opened(session, with: host.device, at: other, by: nil, run: peer.incarnation), after: within(weather.delay)
        )
    }

    private mutating func opened(_ session: Session, with device: DeviceID, at index: Int, by target: DialTarget?) {
        let host = hosts[index]
        if let old = host.sessions[device] {
            let keepsNew = SessionTieBreak.keepsNew(
                own: host.device, peer: device, newIsDialledByUs: session.dialler == host.device,
                oldIsDialledByUs: old.dialler == host.device, oldAge: now - old.openedAt,
                isOtherRun: session.runs[device] != old.runs[device])
            host.tieBreaks += 1
            if keepsNew { host.sessions[device] = session }
        } else {
            host.sessions[device] = session
        }
        host.met.insert(device)
        host.named.insert(device)
        host.peerExchange?.known(device)
        host.peerExchange?.setConnected(device, true, now: now)
        host.planner?.sessionOpened(device, by: target, now: now)
        pump(index)
    }

    /// Ends the session on this side if it is the open one.
    private mutating func end(_ session: Session, at index: Int, with device: DeviceID, isClean: Bool) {
        guard hosts[index].sessions[device] == session else { return }
        hosts[index].sessions[device] = nil
        hosts[index].peerExchange?.setConnected(device, false, now: now)
        hosts[index].planner?.sessionClosed(device, isClean: isClean, now: now)
        pump(index)
    }
}
