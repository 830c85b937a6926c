import Basics
import Crypto

// MARK: - From bytes to units

extension SecureChannel {
    /// Cuts the stream into units (preface, handshake messages, records). Whole ones are read where they lie; only the
    /// last, incomplete one is copied, and each of its bytes once.
    mutating func consume(
        _ bytes: ArraySlice<UInt8>, wallTime: WallTime, plaintext: inout [UInt8], effects: inout [ChannelEffect]
    ) throws(ChannelError) {
        var input = bytes
        while !input.isEmpty {
            if stage == .detached {
                pending.append(contentsOf: input)
                return
            }
            if pending.isEmpty {
                let length = try unitLength(input)
                guard input.count >= length else {
                    pending = Array(input)
                    return
                }
                try take(input.prefix(length), wallTime: wallTime, plaintext: &plaintext, effects: &effects)
                input = input.dropFirst(length)
                continue
            }
            let piece = input.prefix(try unitLength(pending[...]) - pending.count)
            pending.append(contentsOf: piece)
            input = input.dropFirst(piece.count)
            if pending.count == (try unitLength(pending[...])) {
                let unit = pending
                pending = []
                try take(unit[...], wallTime: wallTime, plaintext: &plaintext, effects: &effects)
            }
        }
    }

    /// Bytes of the unit that begins here, or of as much of it as tells its length: always more than there are, if
    /// there are too few to tell.
    private func unitLength(_ bytes: ArraySlice<UInt8>) throws(ChannelError) -> Int {
        if stage == .awaitingPreface { return PeerLimits.prefaceBytes }
        var reader = ByteReader(bytes)
        guard let length = try? Int(reader.readUInt16()) else { return 2 }
        switch stage {
        case .awaitingFirst:
            // An ephemeral key and a payload, and with a realm key the payload's tag.
            let shortest = CryptoLimits.keyBytes + (realmKey == nil ? 0 : CryptoLimits.tagBytes)
            guard shortest...shortest + PeerLimits.firstPayloadBytes ~= length else { throw .handshakeLength(length) }
        case .awaitingSecond, .awaitingThird:
            guard 1...PeerLimits.handshakeMessageBytes ~= length else { throw .handshakeLength(length) }
        default:
            guard PeerLimits.recordBytes ~= length else { throw .recordLength(length) }
        }
        return 2 + length
    }

    private mutating func take(
        _ unit: ArraySlice<UInt8>, wallTime: WallTime, plaintext: inout [UInt8], effects: inout [ChannelEffect]
    ) throws(ChannelError) {
        let message = unit.dropFirst(2)
        switch stage {
        case .awaitingPreface:
            let preface = try Preface(decoding: unit)
            guard preface.usesRealmKey == (realmKey != nil) else { throw .realmMismatch }
            self.preface = preface
            try makeHandshake(.responder, preface)
            stage = .awaitingFirst
        case .awaitingFirst:
            try listen(to: try read(message), in: message, wallTime)
            stage = .awaitingThird
            effects.append(.send(try write(payload: identity.payload)))
        case .awaitingSecond:
            let peer = try verify(try read(message), wallTime)
            if let isExpected, !isExpected(peer) { throw .unexpected }
            effects.append(.send(try write(payload: identity.payload)))
            try establish(peer, effects: &effects)
        case .awaitingThird:
            try establish(try verify(try read(message), wallTime), effects: &effects)
        case .open:
            do { try records?.open(message, appendingTo: &plaintext) } catch { throw .record(error) }
        case .notStarted, .detached, .over:
            throw .outOfTurn
        }
    }
}

// MARK: - Handshake

extension SecureChannel {
    mutating func makeHandshake(_ role: NoiseHandshake.Role, _ preface: Preface) throws(ChannelError) {
        let prologue = preface.prologue(realmKey: realmKey)
        do {
            if let realmKey {
                handshake = try NoiseHandshake(
                    role, staticKey: identity.staticKey, prologue: prologue,
                    presharedKey: realmKey.secret.duplicate(), ephemeral: ephemeral)
            } else {
                handshake = try NoiseHandshake(
                    role, staticKey: identity.staticKey, prologue: prologue, ephemeral: ephemeral)
            }
        } catch {
            throw .handshake(error)
        }
    }

    /// `length u16 ‖ Noise message`.
    mutating func write(payload: [UInt8]) throws(ChannelError) -> [UInt8] {
        let message: [UInt8]?
        do { message = try handshake?.write(payload: payload) } catch { throw .handshake(error) }
        guard let message else { throw .over }
        var out: [UInt8] = []
        out.appendBigEndian(UInt16(truncatingIfNeeded: message.count))
        return out + message
    }

    private mutating func read(_ message: ArraySlice<UInt8>) throws(ChannelError) -> [UInt8] {
        let payload: [UInt8]?
        do { payload = try handshake?.read(message) } catch { throw .handshake(error) }
        guard let payload else { throw .over }
        return payload
    }

    /// Whoever isn't to be answered ends here.
    private mutating func listen(
        to payload: [UInt8], in message: ArraySlice<UInt8>, _ wallTime: WallTime
    ) throws(ChannelError) {
        guard let doorkeeper, let preface else { return }
        let attempt = KnockAttempt(
            prologue: preface.prologue(realmKey: realmKey),
            ephemeral: Array(message.prefix(CryptoLimits.keyBytes)), payload: payload)
        guard let account = doorkeeper(attempt, wallTime) else { throw .noKnock }
        knocker = account
    }

    private mutating func verify(_ payload: [UInt8], _ wallTime: WallTime) throws(ChannelError) -> PeerIdentity {
        guard let staticKey = handshake?.remoteStatic else { throw .over }
        let peer: PeerIdentity
        do {
            peer = try IdentityPayload.verify(payload, staticKey: staticKey, wallTime: wallTime)
        } catch {
            throw .identity(error)
        }
        guard peer.device != identity.device else {
            throw peer.staticKey == identity.staticKey.publicKey ? .ourselves : .copy
        }
        if let knocker, peer.account != knocker { throw .wrongKnock }
        return peer
    }

    private mutating func establish(
        _ peer: PeerIdentity, effects: inout [ChannelEffect]
    ) throws(ChannelError) {
        guard let finished = handshake.take(), let purpose = preface?.purpose else { throw .over }
        let transport: NoiseTransport
        do { transport = try finished.split() } catch { throw .handshake(error) }
        channelHash = transport.handshakeHash
        records = RecordLayer(transport)
        stage = purpose == .session ? .open : .detached
        effects.append(.established(peer, purpose))
    }
}
