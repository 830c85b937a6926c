import Basics
import Crypto

/// Announcements that only those understand who were given a key.
extension DiscoveryMachine {
    /// The same announcement under the shared key, and under those of some of the friends who may not have it.
    mutating func announce(_ kind: DiscoveryDatagram.Kind, under veil: Veil, now: Instant) -> [DiscoveryEffect] {
        let epoch = epoch(now)
        if ownTags.epoch != epoch { ownTags = (epoch, []) }
        sequence &+= 1
        let inner = DiscoveryDatagram(
            kind: kind, device: own, incarnation: incarnation, sequence: sequence, port: port, realm: realm
        ).encoded(in: epoch, by: signer)
        return
            ([veil.shared]
            + pairs(of: veil, count: kind == .hello ? DiscoveryLimits.helloPairs : DiscoveryLimits.veilPairs)).map {
                key in
                let bytes = VeiledDatagram.sealed(inner, under: key, in: epoch, nonce: nonce())
                ownTags.tags.insert(VeiledDatagram.tag(key, epoch))
                metrics.sent += 1
                return .broadcast(bytes)
            }
    }

    /// All in turn, so many each time; a quarter is for those who are in less need.
    private mutating func pairs(of veil: Veil, count: Int) -> [SharedKey] {
        let others = min(veil.others.count, max(count / 4, count - veil.pairs.count))
        return Self.next(count - others, of: veil.pairs, from: &nextPair)
            + Self.next(others, of: veil.others, from: &nextOther)
    }

    private static func next(_ count: Int, of keys: [SharedKey], from place: inout Int) -> [SharedKey] {
        guard !keys.isEmpty else { return [] }
        let count = min(count, keys.count)
        defer { place = (place + count) % keys.count }
        return (0..<count).map { keys[(place + $0) % keys.count] }
    }

    private mutating func nonce() -> [UInt8] {
        var nonce: [UInt8] = []
        while nonce.count < CryptoLimits.longNonceBytes { nonce.appendBigEndian(random.next()) }
        return nonce
    }

    /// Takes a datagram of version 2. A tag that nobody's key has made costs one look into a table.
    mutating func receiveVeiled(
        _ bytes: ArraySlice<UInt8>, from source: SocketAddress, now: Instant
    ) -> [DiscoveryEffect] {
        guard let veiled = try? VeiledDatagram(decoding: bytes) else {
            metrics.malformed += 1
            return []
        }
        guard let found = veils.find(veiled.tag, at: epoch(now).rawValue) else {
            if ownTags.tags.contains(veiled.tag) { metrics.own += 1 } else { metrics.unknownVeils += 1 }
            return []
        }
        // Tags can be copied, and what is under them costs something before it is known who sent it.
        guard !brokenVeils.isEmpty(source.host, now: now) || unreadVeils.draw(now: now, using: &lots) else {
            metrics.overBudget += 1
            return []
        }
        // Whoever has the key can make it; the signature inside tells whether it was one that it belongs to.
        guard let received = veiled.opened(with: found.key, in: VeilEpoch(rawValue: found.epoch)),
            let owner = found.owner.first(where: { $0.device == received.content.device })
        else {
            _ = brokenVeils.take(source.host, now: now)
            metrics.brokenVeils += 1
            return []
        }
        guard !received.content.kind.hasSubject else {
            metrics.unknown += 1
            return []
        }
        return receive(received, from: source, isForUs: owner.isPair, now: now)
    }
}

extension ReceivedDatagram {
    /// What may be handed on to others: nothing of what came under a veil.
    func announcement(from source: SocketAddress) -> Announcement? {
        veiledIn == nil ? Announcement(bytes: bytes, source: source) : nil
    }
}
