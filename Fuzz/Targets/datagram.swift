import Basics
import Crypto
import PeerProtocol

/// Discovery: datagrams, one after the other (each after a length of two bytes), into one machine.
enum FuzzTarget {
    static let seeds: [[UInt8]] = {
        let key = Identities.key(2)
        func packed(_ kind: DiscoveryDatagram.Kind, _ sequence: UInt32) -> [UInt8] {
            let bytes = DiscoveryDatagram(
                kind: kind, device: DeviceID(key.publicKey), incarnation: 1, sequence: sequence, port: 4000
            ).encoded(signedBy: key)
            return [0, UInt8(bytes.count)] + bytes
        }
        /// A datagram about the machine itself, or about another device.
        func about(_ kind: DiscoveryDatagram.Kind, _ sequence: UInt32, _ number: UInt8) -> [UInt8] {
            let bytes = DiscoveryDatagram(
                kind: kind, device: DeviceID(key.publicKey), incarnation: 1, sequence: sequence, port: 4000,
                subject: ProbeSubject(
                    device: DeviceID(Identities.key(number).publicKey), incarnation: 1, nonce: UInt64(sequence))
            ).encoded(signedBy: key)
            return [0, UInt8(bytes.count)] + bytes
        }
        /// A datagram under a veil that the machine can remove, or under another one.
        func veiled(_ kind: DiscoveryDatagram.Kind, _ sequence: UInt32, _ number: UInt32 = 1) -> [UInt8] {
            var machine = DiscoveryMachine(
                key: key, incarnation: sequence, port: 4000, now: Identities.now, random: SeededGenerator(seed: 2))
            machine.setClock(Identities.wallTime, now: Identities.now)
            machine.veil = Veil(shared: DiscoveryKeys(key).shared(number))
            _ = machine.start(now: Identities.now)
            let effects =
                kind == .bye ? machine.stop(now: Identities.now) : machine.tick(now: Identities.now + .seconds(1))
            guard case .broadcast(let bytes)? = effects.first else { return [] }
            return [UInt8(bytes.count >> 8), UInt8(bytes.count & 255)] + bytes
        }
        return [
            veiled(.hello, 1) + veiled(.hello, 2) + packed(.hello, 3) + veiled(.bye, 4), veiled(.hello, 1, 2),
            packed(.hello, 1), packed(.hello, 1) + packed(.beacon, 2) + packed(.bye, 3),
            packed(.hello, 1) + about(.probe, 2, 1) + about(.probeRequest, 3, 1) + about(.suspect, 4, 1),
            packed(.hello, 1) + about(.probe, 2, 3) + about(.suspect, 3, 2) + about(.probeAck, 4, 2),
        ]
    }()

    static func run(_ bytes: [UInt8]) {
        var machine = DiscoveryMachine(
            key: Identities.key(1), incarnation: 1, port: 4000, now: Identities.now, random: SeededGenerator(seed: 1))
        machine.setClock(Identities.wallTime, now: Identities.now)
        let friend = Identities.key(2)
        machine.setVeils([DiscoveryKeys(friend).shared(1): [VeilOwner(DeviceID(friend.publicKey))]])
        _ = machine.start(now: Identities.now)
        var reader = ByteReader(bytes)
        var now = Identities.now
        while let count = try? reader.readUInt16(), let datagram = try? reader.read(min(Int(count), reader.remaining)) {
            let source = SocketAddress(.v4(0xC612_0000 | UInt32(count >> 9)), port: 9)
            let effects = machine.receive(datagram, from: source, now: now)
            for case .send(let bytes, _) in effects {
                require(bytes.count <= datagram.count, "an answer is no longer than the question")
            }
            let broadcasts = effects.count { if case .broadcast = $0 { true } else { false } }
            require(broadcasts <= 4, "one answer to a suspicion, and what was due anyway")
            now = now + .seconds(Int(count >> 8))
            if let due = machine.nextDeadline, due <= now { _ = machine.tick(now: now) }
        }
        require(machine.metrics.received >= machine.metrics.signatureChecks, "checks are counted")
    }
}
