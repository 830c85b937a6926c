import Basics
import Crypto

/// The identity that the peer has proved.
public struct PeerIdentity: Hashable, Sendable {
    public let certificate: DeviceCertificate
    /// The key of its handshake: another one with every run of its daemon.
    public let staticKey: Key32
    /// The TCP port on which the peer says it can be dialled; nil for none.
    public let listenPort: UInt16?
    /// Names of what it can do beyond the version's minimum.
    public let capabilities: Set<String>
    /// Program and version, for people. A label without hostile characters.
    public let softwareVersion: String

    public init(
        certificate: DeviceCertificate, staticKey: Key32, listenPort: UInt16?, capabilities: Set<String>,
        softwareVersion: String
    ) {
        self.certificate = certificate
        self.staticKey = staticKey
        self.listenPort = listenPort
        self.capabilities = capabilities
        self.softwareVersion = softwareVersion
    }

    public var account: AccountID { certificate.account }
    public var device: DeviceID { certificate.device }
}
