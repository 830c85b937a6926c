import Basics
import Crypto
import PeerProtocol

/// The secure channel before authentication, from either side. The first byte chooses the side and how the bytes are
/// cut into pieces.
enum FuzzTarget {
    static let seeds: [[UInt8]] = {
        var dialler = SecureChannel(dialling: .session, identity: Identities.local, now: Identities.now)
        let opening = (try? dialler.start()) ?? []
        var acceptor = SecureChannel(accepting: Identities.local, now: Identities.now)
        let effects = (try? acceptor.receive(opening[...], now: Identities.now, wallTime: Identities.wallTime)) ?? []
        var answer: [UInt8] = []
        for case .send(let bytes) in effects { answer += bytes }
        var knocker = SecureChannel(
            dialling: .bulk, identity: Identities.local, knock: Knock(key: key, at: Identities.wallTime),
            now: Identities.now)
        let knock = (try? knocker.start()) ?? []
        return [
            [4] + knock, [6] + knock, [4] + opening, [0] + knock, [0] + opening, [2] + opening, [1] + answer,
            [7] + answer,
        ]
    }()

    /// The pair key of the peer that may come in.
    private static let key = DiscoveryKeys(Identities.key(1)).pair(with: Identities.local.account)

    static func run(_ bytes: [UInt8]) {
        guard let first = bytes.first else { return }
        var channel: SecureChannel
        if first & 1 == 0 {
            // The third bit adds a doorkeeper, with a table of knocks that has read nothing yet.
            let doorkeeper: Doorkeeper = { attempt, time in
                var knocks = KnockTable()
                knocks.set([key: Identities.local.account])
                return knocks.admit(attempt, at: time)
            }
            channel = SecureChannel(
                accepting: Identities.local, doorkeeper: first & 4 == 0 ? nil : doorkeeper, now: Identities.now)
        } else {
            channel = SecureChannel(dialling: .bulk, identity: Identities.local, now: Identities.now)
            _ = try? channel.start()
        }
        var rest = bytes.dropFirst()
        let piece = first & 2 == 0 ? rest.count : Int(first >> 2) + 1
        while !rest.isEmpty {
            guard (try? channel.receive(rest.prefix(piece), now: Identities.now, wallTime: Identities.wallTime)) != nil
            else { break }
            rest = rest.dropFirst(piece)
        }
        require(!channel.isEstablished, "nobody has proved anything")
        _ = try? channel.seal([1])
    }
}
