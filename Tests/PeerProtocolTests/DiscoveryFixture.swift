import Basics
import Crypto

@testable import PeerProtocol

/// Helpers shared by the tests of discovery.
enum DiscoveryFixture {
    /// A fixed key pair for each number.
    static func key(_ number: UInt64) -> SigningKey {
        var bytes = [UInt8](repeating: 0, count: 24)
        bytes.appendBigEndian(number)
        guard let key = try? SigningKey(seed: SecretBytes(moving: &bytes)) else { preconditionFailure("32 bytes") }
        return key
    }

    static func device(_ number: UInt64) -> DeviceID { DeviceID(key(number).publicKey) }

    /// A host of the subnet 198.18.0.0/15 (RFC 2544: for tests).
    static func address(_ number: UInt32, port: UInt16 = 4000) -> SocketAddress {
        SocketAddress(.v4(0xC612_0000 + number), port: port)
    }

    static let start = Instant(nanoseconds: 1_000_000_000_000)
    static let devices = (1...60 as ClosedRange<UInt64>).map { device($0) }.sorted()
}

/// Helpers shared by the tests of dial planning.
protocol DialPlannerSuite {}

extension DialPlannerSuite {
    var start: Instant { DiscoveryFixture.start }
    /// Devices in the order of their keys.
    var devices: [DeviceID] { DiscoveryFixture.devices }

    func planner(own: DeviceID? = nil, seed: UInt64 = 1) -> DialPlanner<SeededGenerator> {
        DialPlanner(own: own ?? devices[30], random: SeededGenerator(seed: seed))
    }

    func address(_ number: Int) -> SocketAddress { DiscoveryFixture.address(UInt32(number)) }

    /// Lets a stranger appear and be looked at.
    func appear(
        _ device: DeviceID, at place: SocketAddress, to planner: inout DialPlanner<SeededGenerator>, _ now: Instant
    ) {
        planner.heard(device, at: place, isNew: true, now: now)
        planner.look(at: device, now: now)
    }

    /// The next dials with their time; nil if there are none.
    func next(_ planner: inout DialPlanner<SeededGenerator>) -> (at: Instant, dials: [DialEffect])? {
        guard let moment = planner.nextDeadline else { return nil }
        return (moment, planner.tick(now: moment))
    }
}

/// A machine behind a reference, so that expectations can use the results of its mutating methods.
final class HeldMachine {
    private(set) var machine: DiscoveryMachine<SeededGenerator>

    init(_ machine: DiscoveryMachine<SeededGenerator>) { self.machine = machine }

    var metrics: DiscoveryMetrics { machine.metrics }
    var nextDeadline: Instant? { machine.nextDeadline }
    var presentCount: Int { machine.presentCount }
    var beaconInterval: Duration { machine.beaconInterval }
    func stage(of device: DeviceID) -> Prober.Stage? { machine.prober.stage(of: device) }
    func heard(_ device: DeviceID, alsoFrom source: SocketAddress) { machine.heard(device, alsoFrom: source) }
    func setConnected(
        _ device: DeviceID, _ isConnected: Bool, isLost: Bool = false, now: Instant
    ) -> [DiscoveryEffect] {
        machine.setConnected(device, isConnected, isLost: isLost, now: now)
    }
    func introduced(_ announcement: Announcement, by teller: IPAddress, now: Instant) -> [DiscoveryEffect] {
        machine.introduced(announcement, by: teller, now: now)
    }
    func mayFollow(_ device: DeviceID, now: Instant) -> Bool { machine.mayFollow(device, now: now) }
    func setContacts(_ devices: Set<DeviceID>) { machine.setContacts(devices) }
    func start(now: Instant) -> [DiscoveryEffect] { machine.start(now: now) }
    func stop(now: Instant) -> [DiscoveryEffect] { machine.stop(now: now) }
    func tick(now: Instant) -> [DiscoveryEffect] { machine.tick(now: now) }
    func receive(_ bytes: ArraySlice<UInt8>, from source: SocketAddress, now: Instant) -> [DiscoveryEffect] {
        machine.receive(bytes, from: source, now: now)
    }
}
