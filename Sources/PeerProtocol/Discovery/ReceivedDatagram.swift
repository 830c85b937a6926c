import Basics
import Crypto

/// Why bytes are no datagram that this version reads.
public enum DatagramError: Error, Hashable, Sendable, CustomStringConvertible {
    /// Shorter than the fields and the signature, or longer than ``PeerLimits/datagramBytes``.
    case length
    /// Not Kibo's.
    case magic
    /// The value is of a later version.
    case version
    /// The value is of a later version.
    case kind
    /// Port 0.
    case port

    public var description: String {
        switch self {
        case .length: "the datagram has a wrong length"
        case .magic: "the datagram is not Kibo's"
        case .version: "the datagram is of a later version"
        case .kind: "the datagram is of an unknown kind"
        case .port: "the datagram names port 0"
        }
    }
}

/// A datagram that was read but is not believed yet.
public struct ReceivedDatagram: Sendable {
    public let content: DiscoveryDatagram
    /// Where it came under a veil: the epoch of its tag.
    let veiledIn: VeilEpoch?
    private let signed: ArraySlice<UInt8>
    private let signature: ArraySlice<UInt8>

    /// Reads the fields; cheap, and checks no signature.
    ///
    /// Flags, reserved fields and bytes between the known fields and the signature belong to later versions: signed and
    /// skipped.
    public init(decoding bytes: ArraySlice<UInt8>) throws(DatagramError) {
        try self.init(decoding: bytes, veiledIn: nil)
    }

    /// - Parameter epoch: the epoch of the veil that it was under.
    init(decoding bytes: ArraySlice<UInt8>, veiledIn epoch: VeilEpoch?) throws(DatagramError) {
        veiledIn = epoch
        let shortest = DiscoveryLimits.fieldBytes + DiscoveryLimits.signatureBytes
        guard shortest...PeerLimits.datagramBytes ~= bytes.count else { throw .length }
        signed = bytes.dropLast(DiscoveryLimits.signatureBytes)
        signature = bytes.suffix(DiscoveryLimits.signatureBytes)
        var reader = ByteReader(signed)
        do {
            guard try reader.read(4).elementsEqual(DiscoveryDatagram.magic) else { throw DatagramError.magic }
            guard try reader.readUInt8() == DiscoveryDatagram.version else { throw DatagramError.version }
            let kind = DiscoveryDatagram.Kind(rawValue: try reader.readUInt8())
            _ = try reader.read(2)
            let device = DeviceID(bytes: try reader.read(32))
            let incarnation = try reader.readUInt32()
            let sequence = try reader.readUInt32()
            let port = try reader.readUInt16()
            let card = try reader.readUInt16()
            let peerExchange = PeerExchangeDigest(high: try reader.readUInt64(), low: try reader.readUInt64())
            let realm = RealmTag(rawValue: try reader.readUInt64())
            guard let kind else { throw DatagramError.kind }
            guard port != 0 else { throw DatagramError.port }
            guard let device else { throw DatagramError.length }
            var subject: ProbeSubject?
            if kind.hasSubject {
                guard let about = DeviceID(bytes: try reader.read(32)) else { throw DatagramError.length }
                subject = ProbeSubject(
                    device: about, incarnation: try reader.readUInt32(), nonce: try reader.readUInt64())
            }
            content = DiscoveryDatagram(
                kind: kind, device: device, incarnation: incarnation, sequence: sequence, port: port, realm: realm,
                card: card, peerExchange: peerExchange, subject: subject)
        } catch let error as DatagramError {
            throw error
        } catch {
            throw .length
        }
    }

    /// The whole datagram.
    var bytes: [UInt8] { Array(signed) + signature }

    /// Whether the device named in it has signed it. About 35 µs: the last check of all.
    public func isAuthentic() -> Bool {
        if let veiledIn {
            return Signature.isValid(
                signature, of: veiledIn.bytes + signed, label: VeiledDatagram.signatureLabel, by: content.device.key)
        }
        return Signature.isValid(
            signature, of: Array(signed), label: DiscoveryDatagram.signatureLabel, by: content.device.key)
    }
}
