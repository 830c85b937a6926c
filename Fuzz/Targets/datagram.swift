import Basics
import Crypto
import PeerProtocol

/// Discovery: datagrams one behind the other (each with a length of two bytes in front) into one machine.
enum FuzzTarget {
    static let seeds: [[UInt8]] = {
        let key = Identities.key(2)
        func packed(_ kind: DiscoveryDatagram.Kind, _ sequence: UInt32) -> [UInt8] {
            let bytes = DiscoveryDatagram(
                kind: kind, device: DeviceID(key.publicKey), incarnation: 1, sequence: sequence, port: 4000
            ).encoded(signedBy: key)
            return [0, UInt8(bytes.count)] + bytes
        }
        return [packed(.hello, 1), packed(.hello, 1) + packed(.beacon, 2) + packed(.bye, 3)]
    }()

    static func run(_ bytes: [UInt8]) {
        var machine = DiscoveryMachine(
            key: Identities.key(1), incarnation: 1, port: 4000, now: Identities.now, random: SeededGenerator(seed: 1))
        var reader = ByteReader(bytes)
        var now = Identities.now
        while let count = try? reader.readUInt16(), let datagram = try? reader.read(min(Int(count), reader.remaining)) {
            let source = SocketAddress(.v4(0xC612_0000 | UInt32(count >> 9)), port: 9)
            let effects = machine.receive(datagram, from: source, now: now)
            require(!effects.contains { if case .broadcast = $0 { true } else { false } }, "nothing is answered")
            now = now + .seconds(Int(count >> 8))
            if let due = machine.nextDeadline, due <= now { _ = machine.tick(now: now) }
        }
        require(machine.metrics.received >= machine.metrics.signatureChecks, "checks are counted")
    }
}
