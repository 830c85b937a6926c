import Arguments
import Basics
import Crypto
import Glibc
import PeerProtocol
import TestSupport

/// The attacking process. It works on loopback only and with the lowest priority, because otherwise a small machine
/// would measure how two programs share a core.
struct Attacker {
    let attack: Attack
    /// The address of the daemon.
    let target: SocketAddress
    /// The port for announcements.
    let port: UInt16
    let seconds: Int

    private static let clocks = SystemClocks()
    /// Devices made before the measurement, because signing is the attacker's work.
    private static let most = 60_000

    init(_ arguments: ParsedArguments) throws(ArgumentParser.Problem) {
        attack = try ParsedArguments.read(
            arguments.positional(0) ?? "", of: "ATTACK", expected: "an attack", Attack.init(rawValue:))
        target = try ParsedArguments.read(
            arguments.value("--target") ?? "", of: "--target",
            expected: "an address on loopback, which is all that is attacked"
        ) { text in
            SocketAddress(text).flatMap { $0.host.isLoopback ? $0 : nil }
        }
        port = try UInt16(clamping: arguments.number("--announce", default: 1))
        seconds = try arguments.number("--seconds", default: 10)
    }

    /// Prints "ready" when everything is made, and attacks until its time is over.
    func run() throws {
        _ = nice(19)
        var descriptors = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &descriptors)
        descriptors.rlim_cur = descriptors.rlim_max
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &descriptors)
        let done: Int
        switch attack {
        case .garbage: done = try sendGarbage()
        case .devices: done = try announceDevices()
        case .forged: done = try forge()
        case .peerExchange: done = try askForPeerExchange()
        case .connects: done = hold([])
        case .slow: done = hold(Array("KIBO".utf8) + [1, 1, 0, 0, 0, 32] + [UInt8](repeating: 9, count: 32))
        case .strangers: done = try openSessions()
        case .requests: done = try ask()
        case .frames: done = try flood { Self.typing() }
        case .messages: done = try flood { try Self.messages() }
        case .disk:
            var random = SeededGenerator(seed: 1)
            done = try flood { try Self.longMessages(&random) }
        case .groups, .manyGroups: done = try tellOfGroups(attack.groups)
        }
        report("done \(done)")
    }

    /// Repeats an action at the attack's rate, in steps of a few milliseconds.
    /// - Returns: the number of actions.
    private func pace(_ body: (Int) throws -> Void) rethrows -> Int {
        report("ready")
        let begin = Self.clocks.now
        var count = 0
        while true {
            let elapsed = Self.clocks.now - begin
            guard elapsed < .seconds(seconds) else { return count }
            let due = Int(elapsed.milliseconds) * (attack.rate ?? 0) / 1_000
            while count < due {
                try body(count)
                count += 1
            }
            usleep(2_000)
        }
    }

    private func source(_ number: Int) -> IPAddress { .v4(0x7F00_0101 + UInt32(number % 200)) }

    // MARK: Datagrams

    private func sendGarbage() throws -> Int {
        var random = SeededGenerator(seed: 1)
        let socket = try RawDatagramSocket(from: source(0))
        let pieces = (0..<1_000).map { number in
            let bytes = (0..<140).map { _ in UInt8.random(in: 0...255, using: &random) }
            // Half of them pass all checks before the signature.
            return number % 2 == 0 ? bytes : Array("KIBD".utf8) + [1, 2] + bytes.dropFirst(6)
        }
        return pace { socket.broadcast(pieces[$0 % pieces.count], to: port) }
    }

    private func announceDevices() throws -> Int {
        let socket = try RawDatagramSocket(from: source(0))
        let count = min(Self.most, (attack.rate ?? 0) * seconds)
        let announcements = (0..<count).map { _ in
            let key = SigningKey()
            return DiscoveryDatagram(
                kind: .hello, device: DeviceID(key.publicKey), incarnation: 1, sequence: 1, port: 9
            ).encoded(signedBy: key)
        }
        return pace { if $0 < announcements.count { socket.broadcast(announcements[$0], to: port) } }
    }

    /// Begins when both daemons have announced themselves.
    private func forge() throws -> Int {
        let ear = try RawDatagramSocket(shared: port)
        let socket = try RawDatagramSocket(from: .loopback)
        var heard: [DeviceID: DiscoveryDatagram] = [:]
        let begin = Self.clocks.now
        while heard.count < 2, Self.clocks.now - begin < .seconds(100) {
            guard let bytes = ear.receive(within: .seconds(1)), let read = try? ReceivedDatagram(decoding: bytes[...])
            else { continue }
            heard[read.content.device] = read.content
        }
        let stranger = SigningKey()
        let forged = heard.values.flatMap { content in
            (0..<2_000 as Range<UInt32>).map { number in
                DiscoveryDatagram(
                    kind: .beacon, device: content.device, incarnation: content.incarnation,
                    sequence: content.sequence &+ 1_000 &+ number, port: content.port
                ).encoded(signedBy: stranger)
            }
        }
        guard !forged.isEmpty else { throw BenchFailure(description: "no daemon has announced itself") }
        return pace { socket.broadcast(forged[$0 % forged.count], to: port) }
    }

    // MARK: Connections

    private func askForPeerExchange() throws -> Int {
        let peers = try (0..<(attack.rate ?? 0) * seconds).map { try AttackPeer("Stranger \($0)") }
        let questions = (0..<300).flatMap { _ in
            Frame(kind: .peerExchangeRequest, body: PeerExchangeRequestBody().encoded()).encoded()
        }
        var held: [AttackLink] = []
        return pace { number in
            held = held.filter { $0.drain() }
            guard number < peers.count, let link = try? peers[number].connect(to: target, from: source(number)) else {
                return
            }
            link.send(questions)
            held.append(link)
        }
    }

    /// Opens connections, keeps the youngest ones, and sends `bytes` on each, one a second.
    private func hold(_ bytes: [UInt8]) -> Int {
        var held: [(socket: RawSocket, sent: Int)] = []
        var lastByte = Self.clocks.now
        return pace { number in
            if let socket = try? RawSocket(to: target, from: source(number)) { held.append((socket, 0)) }
            if held.count > Attack.held { held.removeFirst(Attack.held / 4) }
            guard !bytes.isEmpty, Self.clocks.now - lastByte > .seconds(1) else { return }
            lastByte = Self.clocks.now
            held = held.compactMap { item in
                guard item.sent < bytes.count, item.socket.write([bytes[item.sent]]) else { return nil }
                return (item.socket, item.sent + 1)
            }
        }
    }

    private func openSessions() throws -> Int {
        let count = min(Self.most, (attack.rate ?? 0) * seconds)
        let peers = try (0..<count).map { try AttackPeer("Stranger \($0)") }
        var header = Frame(kind: .message, id: Self.freshID()).encoded()
        header.replaceSubrange(4..<8, with: [0, 0x10, 0, 0])
        let half = header + [UInt8](repeating: 0xA0, count: 512 << 10)
        var held: [AttackLink] = []
        return pace { number in
            guard number < peers.count,
                let link = try? peers[number].connect(to: target, from: source(number))
            else { return }
            link.send(half)
            held.append(link)
            if held.count > Attack.held { held.removeFirst() }
        }
    }

    /// Asks to be friends with a new account each time, and goes.
    private func ask() throws -> Int {
        let count = min(Self.most, (attack.rate ?? 0) * seconds)
        let peers = try (0..<count).map { try AttackPeer("Stranger \($0)") }
        let note = String(repeating: "n", count: 500)
        var held: [AttackLink] = []
        return try pace { number in
            held = held.filter { $0.drain() }
            guard number < peers.count, let link = try? peers[number].connect(to: target, from: .loopback) else {
                return
            }
            let body = try ContactRequestBody(note: note).encoded()
            link.send(Frame(kind: .contactRequest, id: Self.freshID(), body: body).encoded())
            held.append(link)
            if held.count > Attack.held { held.removeFirst() }
        }
    }

    // MARK: A friend

    /// Becomes a friend: the daemon accepts every request.
    private func befriend() throws -> (AttackPeer, AttackLink) {
        let peer = try AttackPeer("Friend \(attack.rawValue)")
        let link = try peer.connect(to: target, from: source(0))
        let request = Frame(kind: .contactRequest, id: Self.freshID(), body: try ContactRequestBody().encoded())
        link.send(request.encoded())
        Patience.pause(.seconds(1))
        return (peer, link)
    }

    /// Sends the given frames until the time is over. Connects again when the daemon closes the connection.
    private func flood(_ piece: () throws -> [[UInt8]]) throws -> Int {
        var (peer, link) = try befriend()
        report("ready")
        let begin = Self.clocks.now
        var count = 0
        while Self.clocks.now - begin < .seconds(seconds) {
            let frames = try piece()
            if link.drain(), link.send(Array(frames.joined())) {
                count += frames.count
            } else {
                Patience.pause(.milliseconds(100))
                if let new = try? peer.connect(to: target, from: source(0)) { link = new }
            }
        }
        return count
    }

    /// Tells of groups once in each session, and then of news in all of them, which the daemon has to compare; reads what
    /// comes, and begins the next session.
    private func tellOfGroups(_ count: Int) throws -> Int {
        let (peer, first) = try befriend()
        guard let daemon = first.peer else { throw BenchFailure(description: "no handshake") }
        let crowd = try AttackCrowd(founder: peer, with: daemon.certificate)
        let groups = try (0..<count).map { try crowd.group($0) }
        let changes = try groups.map { try crowd.change($0).encoded() }
        let news = try groups.map { try crowd.news(of: $0).encoded() }
        report("ready")
        let begin = Self.clocks.now
        var sessions = 0
        while Self.clocks.now - begin < .seconds(seconds) {
            guard let link = try? peer.connect(to: target, from: source(0)) else {
                Patience.pause(.milliseconds(20))
                continue
            }
            sessions += 1
            for frame in changes + news where link.drain() { link.send(frame) }
            let last = Self.clocks.now
            while link.drain(), Self.clocks.now - last < .milliseconds(200) { Patience.pause(.milliseconds(5)) }
        }
        return sessions
    }

    private static func typing() -> [[UInt8]] {
        Array(repeating: Frame(kind: .typing, body: TypingBody(isTyping: true).encoded()).encoded(), count: 200)
    }

    private static func messages() throws -> [[UInt8]] {
        let now = clocks.wallTime
        let body = try MessageBody(
            kind: .text, text: "read this", time: HybridTime(milliseconds: now.milliseconds), sentAt: now
        ).encoded()
        return (0..<50).map { _ in Frame(kind: .message, id: freshID(), body: body).encoded() }
    }

    /// Messages of words that nobody has used before, so that the index grows with them.
    private static func longMessages(_ random: inout SeededGenerator) throws -> [[UInt8]] {
        let now = clocks.wallTime
        return try (0..<4).map { _ in
            var text = ""
            while text.utf8.count < 48 << 10 {
                text += String(UInt64.random(in: 0 ... .max, using: &random), radix: 36) + " "
            }
            let body = try MessageBody(
                kind: .text, text: text, time: HybridTime(milliseconds: now.milliseconds), sentAt: now
            ).encoded()
            return Frame(kind: .message, id: freshID(), body: body).encoded()
        }
    }

    private static func freshID() -> UUIDv7 {
        var random = SystemRandomNumberGenerator()
        return UUIDv7(at: clocks.wallTime, using: &random)
    }
}
