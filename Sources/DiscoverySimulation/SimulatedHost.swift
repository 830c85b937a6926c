import Basics
import PeerProtocol

/// A datagram on its way, parsed once for all its receivers.
final class SimulatedPacket {
    let datagram: ReceivedDatagram

    init(_ datagram: ReceivedDatagram) { self.datagram = datagram }
}

/// A simulated host.
final class SimulatedHost {
    let device: DeviceID
    let address: SocketAddress
    /// Its place among all hosts in the order of their keys.
    let rank: Int
    /// The digest of its card in a peer exchange.
    let card: PeerExchangeDigest
    var isUp = false
    var incarnation: UInt32 = 0
    var machine: DiscoveryMachine<SeededGenerator>?
    /// Decides which host to ask for cards and which to dial; nil without peer exchange.
    var peerExchange: PeerExchangePlanner<SeededGenerator>?
    var dials: DialPlanner<SeededGenerator>?
    /// The hosts whose cards it has, by rank, with their digest, and the hosts whose cards it had when they left.
    var named: SimulatedNames
    var departed: SimulatedNames
    var digest = PeerExchangeDigest.empty
    /// For a host of the crowd only.
    var sequence: UInt32 = 0
    var wakesAt: Instant?

    init(device: DeviceID, number: Int, rank: Int, of count: Int) {
        self.device = device
        address = SocketAddress(.v4(0x0A00_0001 + UInt32(number)), port: 9)
        self.rank = rank
        card = PeerExchangeDigest(device: device, version: 1)
        named = SimulatedNames(count)
        departed = SimulatedNames(count)
    }

    /// When the first of its machines has something to do.
    var nextDeadline: Instant? {
        [machine?.nextDeadline, peerExchange?.nextDeadline, dials?.nextDeadline].compactMap(\.self).min()
    }

    /// Drops everything but its key and its number of starts.
    func forget() {
        machine = nil
        peerExchange = nil
        dials = nil
        named.removeAll()
        departed.removeAll()
        digest = .empty
        wakesAt = nil
    }
}

// Its part in the peer exchange.
extension SimulatedHost {
    func startPeerExchange(now: Instant, seeds: inout SeededGenerator) {
        peerExchange = PeerExchangePlanner(own: device, random: SeededGenerator(seed: seeds.next()))
        dials = DialPlanner(own: device, random: SeededGenerator(seed: seeds.next()))
        peerExchange?.start(now: now)
        digest = card
        machine?.peerExchange = digest
    }

    /// Its machine has heard another host, whose card it may have.
    func heard(_ other: SimulatedHost, at address: SocketAddress, isNew: Bool, now: Instant) {
        dials?.heard(other.device, at: address, isNew: isNew, now: now)
        let theirs = machine?.peerExchange(of: other.device) ?? .empty
        peerExchange?.heard(other.device, differs: theirs != .empty && theirs != digest, now: now)
        if named.contains(other.rank) { peerExchange?.known(other.device) }
    }

    /// Its machine has given up another host.
    func lost(_ other: SimulatedHost, now: Instant) {
        dials?.left(other.device, isGoodbye: false, now: now)
        peerExchange?.left(other.device)
        guard named.remove(other.rank) else { return }
        departed.insert(other.rank)
        show(other.card)
    }

    /// Notes that it has another host's card from now on.
    /// - Returns: false if it had it.
    func name(_ other: SimulatedHost) -> Bool {
        departed.remove(other.rank)
        guard named.insert(other.rank) else { return false }
        show(other.card)
        return true
    }

    private func show(_ change: PeerExchangeDigest) {
        digest = PeerExchangeDigest(high: digest.high ^ change.high, low: digest.low ^ change.low)
        machine?.peerExchange = digest
    }

    /// The number of entries that fit into a stranger's frame.
    private static let pageEntries = 26

    /// The cards that it hands on, by rank, beginning with this one.
    /// - Parameter asked: the ranks to choose from; nil for all.
    func page(from start: Int, of asked: [Int]?) -> (ranks: [Int], hasMore: Bool) {
        if let asked {
            let ranks = asked.filter { $0 >= start && (named.contains($0) || $0 == rank) }.sorted()
            return (Array(ranks.prefix(Self.pageEntries)), ranks.count > Self.pageEntries)
        }
        var ranks: [Int] = []
        var next = named.first(from: start)
        while let rank = next, ranks.count < Self.pageEntries {
            ranks.append(rank)
            next = named.first(from: rank + 1)
        }
        return (ranks, next != nil)
    }
}

/// A set of small non-negative numbers.
struct SimulatedNames {
    private var words: [UInt64]
    private(set) var count = 0

    init(_ most: Int) { words = [UInt64](repeating: 0, count: (most + 63) / 64) }

    func contains(_ number: Int) -> Bool { words[number / 64] & (1 << UInt64(number % 64)) != 0 }

    /// Inserts a number. Returns whether it is new.
    @discardableResult
    mutating func insert(_ number: Int) -> Bool {
        guard !contains(number) else { return false }
        words[number / 64] |= 1 << UInt64(number % 64)
        count += 1
        return true
    }

    @discardableResult
    mutating func remove(_ number: Int) -> Bool {
        guard contains(number) else { return false }
        words[number / 64] &= ~(1 << UInt64(number % 64))
        count -= 1
        return true
    }

    mutating func removeAll() {
        for index in words.indices { words[index] = 0 }
        count = 0
    }

    /// The least number that isn't less than `start`.
    func first(from start: Int) -> Int? {
        var index = start / 64
        guard index < words.count else { return nil }
        var word = words[index] & (~0 << UInt64(start % 64))
        while word == 0 {
            index += 1
            guard index < words.count else { return nil }
            word = words[index]
        }
        return index * 64 + word.trailingZeroBitCount
    }
}
