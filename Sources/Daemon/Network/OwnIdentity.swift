import Basics
import Crypto
import PeerProtocol
import Reactor
import Store

/// What this device shows to others: its identity in handshakes, whose static key lives as long as this run of the
/// daemon, and its card in sessions.
@ReactorActor final class OwnIdentity {
    /// What the next handshake shows.
    private(set) var current: LocalIdentity
    private let account: LocalAccount
    private let profile: AccountRow
    private let listenPort: UInt16
    /// In memory only.
    private let staticKey = AgreementKey()
    private let log: Logger

    init(
        account: LocalAccount, profile: AccountRow, listenPort: UInt16, at time: WallTime, log: Logger
    ) throws(StartError) {
        self.account = account
        self.profile = profile
        self.listenPort = listenPort
        self.log = log
        do {
            current = try Self.make(account, staticKey, listenPort, at: time)
        } catch {
            throw .failed("the device's identity can't be made: \(error)")
        }
    }

    private static func make(
        _ account: LocalAccount, _ staticKey: AgreementKey, _ port: UInt16, at time: WallTime
    ) throws -> LocalIdentity {
        try LocalIdentity.make(
            deviceKey: account.deviceKey, certificate: account.certificate, staticKey: staticKey, now: time,
            listenPort: port, softwareVersion: "kibo \(Kibod.version)")
    }

    /// Signs the static key again when its proof gets old.
    func renew(at time: WallTime) {
        guard current.notAfter < time + (PeerLimits.staticKeyValidity - PeerLimits.staticKeyRenewal) else { return }
        do {
            current = try Self.make(account, staticKey, listenPort, at: time)
        } catch {
            log.error("the device's identity can't be renewed", [("error", "\(error)")])
        }
    }

    /// The card that opens a session; nil if it can't be made.
    func card() -> Card? {
        do {
            return try Card.issue(
                by: account.deviceKey, certificate: account.certificate,
                profile: Card.Profile(displayName: profile.displayName, statusText: profile.statusText),
                version: UInt64(clamping: profile.cardVersion))
        } catch {
            log.error("our own card can't be made", [("error", "\(error)")])
            return nil
        }
    }
}
