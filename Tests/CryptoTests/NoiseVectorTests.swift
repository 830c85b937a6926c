import Basics
import Testing

@testable import Crypto

/// The vectors are noiseprotocol's. Those called "published" have the inputs, and byte for byte the messages, of the
/// vectors in github.com/flynn/noise (see Tests/Interop/make_noise_vectors.py).
@Suite("Noise against vectors of noiseprotocol and published ones")
struct NoiseVectorTests {
    @Test("XX and XXpsk0: every byte of a conversation agrees, including rekeys", arguments: NoiseVector.all)
    func conversation(vector: NoiseVector) throws {
        var initiator = try handshake(.initiator, vector)
        var responder = try handshake(.responder, vector)
        for (index, (payload, message)) in vector.handshake.enumerated() {
            let isInitiators = index.isMultiple(of: 2)
            let payloadBytes = try bytes(payload)
            let written =
                try isInitiators ? initiator.write(payload: payloadBytes) : responder.write(payload: payloadBytes)
            #expect(Hex.encode(written) == message)
            let read = try isInitiators ? responder.read(written[...]) : initiator.read(written[...])
            #expect(Hex.encode(read) == payload)
            let hashes = (initiator.handshakeHash, responder.handshakeHash)
            #expect(hashes.0 == hashes.1)
        }
        let finished = (initiator.isFinished, responder.isFinished)
        #expect(finished == (true, true))
        let remotes = (initiator.remoteStatic, responder.remoteStatic)
        #expect(remotes.0 == (try agreementKey(vector.responderStatic).publicKey))
        #expect(remotes.1 == (try agreementKey(vector.initiatorStatic).publicKey))

        var ours = try initiator.split()
        var theirs = try responder.split()
        #expect(Hex.encode(ours.handshakeHash) == vector.handshakeHash)
        #expect(Hex.encode(theirs.handshakeHash) == vector.handshakeHash)
        for step in vector.transport {
            var sealed: [UInt8] = []
            var opened: [UInt8] = []
            switch step {
            case .message(.initiator, let payload, let message):
                try ours.send.seal(bytes(payload)[...], appendingTo: &sealed)
                try theirs.receive.open(sealed[...], appendingTo: &opened)
                #expect(Hex.encode(sealed) == message)
                #expect(Hex.encode(opened) == payload)
            case .message(.responder, let payload, let message):
                try theirs.send.seal(bytes(payload)[...], appendingTo: &sealed)
                try ours.receive.open(sealed[...], appendingTo: &opened)
                #expect(Hex.encode(sealed) == message)
                #expect(Hex.encode(opened) == payload)
            case .rekey(.initiator):
                ours.send.rekey()
                theirs.receive.rekey()
            case .rekey(.responder):
                theirs.send.rekey()
                ours.receive.rekey()
            }
        }
    }

    private func agreementKey(_ hex: String) throws -> AgreementKey { try AgreementKey(secret: secret(hex)) }

    private func handshake(_ role: NoiseHandshake.Role, _ vector: NoiseVector) throws -> NoiseHandshake {
        let presharedKey: SecretBytes? = if let hex = vector.presharedKey { try secret(hex) } else { nil }
        return try NoiseHandshake(
            role,
            staticKey: agreementKey(role == .initiator ? vector.initiatorStatic : vector.responderStatic),
            prologue: bytes(vector.prologue), presharedKey: presharedKey,
            ephemeral: agreementKey(role == .initiator ? vector.initiatorEphemeral : vector.responderEphemeral))
    }
}
