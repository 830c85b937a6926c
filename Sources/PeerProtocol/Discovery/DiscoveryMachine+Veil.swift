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
        return ([veil.shared] + pairs(of: veil)).map { key in
            let bytes = VeiledDatagram.sealed(inner, under: key, in: epoch, nonce: nonce())
            ownTags.tags.insert(TagTable<DeviceID>.tag(VeiledDatagram.tagLabel, key, epoch))
            metrics.sent += 1
            return .broadcast(bytes)
        }
    }

    /// All in turn, so many each time.
    private mutating func pairs(of veil: Veil) -> [SharedKey] {
        guard !veil.pairs.isEmpty else { return [] }
        let count = min(veil.pairs.count, DiscoveryLimits.veilPairs)
        defer { nextPair = (nextPair + count) % veil.pairs.count }
        return (0..<count).map { veil.pairs[(nextPair + $0) % veil.pairs.count] }
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
        guard let found = veils.find(veiled.tag, at: epoch(now)) else {
            if ownTags.tags.contains(veiled.tag) { metrics.own += 1 } else { metrics.unknownVeils += 1 }
            return []
        }
        // Whoever has the key can make it; the signature inside tells whether it was the one it belongs to.
        guard let received = veiled.opened(with: found.key, in: found.epoch), received.content.device == found.owner
        else {
            metrics.brokenVeils += 1
            return []
        }
        guard !received.content.kind.hasSubject else {
            metrics.unknown += 1
            return []
        }
        return receive(received, from: source, now: now)
    }
}

extension ReceivedDatagram {
    /// What may be handed on to others: nothing of what came under a veil.
    func announcement(from source: SocketAddress) -> Announcement? {
        veiledIn == nil ? Announcement(bytes: bytes, source: source) : nil
    }
}
