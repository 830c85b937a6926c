import Basics
import PeerProtocol

/// All hosts of a segment. Each has a number.
package struct SimulatedHosts {
    private let all: [SimulatedHost]
    let byDevice: [DeviceID: Int]
    /// The hosts' numbers in the order of their keys.
    let byRank: [Int]

    init(_ shape: SimulatedSegment.Shape, seeds: inout SeededGenerator) {
        let devices = (0..<shape.hosts).map { _ in
            var bytes: [UInt8] = []
            for _ in 0..<4 { bytes.appendBigEndian(seeds.next()) }
            guard let device = DeviceID(bytes: bytes) else { preconditionFailure("32 bytes") }
            return device
        }
        byRank = devices.indices.sorted { devices[$0] < devices[$1] }
        var ranks = [Int](repeating: 0, count: devices.count)
        for (rank, index) in byRank.enumerated() { ranks[index] = rank }
        all = devices.enumerated().map {
            SimulatedHost(
                device: $1, number: $0, rank: ranks[$0],
                of: $0 < shape.listeners && shape.hasPeerExchange ? shape.hosts : 0)
        }
        byDevice = Dictionary(devices.enumerated().map { ($1, $0) }, uniquingKeysWith: { first, _ in first })
    }

    subscript(index: Int) -> SimulatedHost { all[index] }

    func index(at address: SocketAddress) -> Int {
        guard case .v4(let value) = address.host else { preconditionFailure("all addresses here are of IPv4") }
        return Int(value - 0x0A00_0001)
    }

    /// The share of pairs, of a listener and another host that are both up, in which the listener knows the other.
    package var acquaintance: Double { share { $0.machine?.presentCount ?? 0 } }

    /// The share of those pairs in which the listener has the other's card.
    package var familiarity: Double { share(\.named.count) }

    private func share(_ known: (SimulatedHost) -> Int) -> Double {
        let pairs = all.count { $0.machine != nil } * (all.count(where: \.isUp) - 1)
        return Double(all.reduce(0) { $0 + known($1) }) / Double(max(1, pairs))
    }

    /// The most devices that any listener counts as present.
    package var mostPresent: Int { all.compactMap { $0.machine?.presentCount }.max() ?? 0 }
}
