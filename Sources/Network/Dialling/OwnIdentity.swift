import Basics
import ControlProtocol
import Crypto
import Messaging
import PeerProtocol
import Reactor
import Runtime
import Store

/// What this device shows to peers: its identity in handshakes, whose static key lives as long as this run of the
/// daemon, and its card in sessions.
@ReactorActor package final class OwnIdentity {
    /// What the next handshake shows.
    package private(set) var current: LocalIdentity
    private let account: LocalAccount
    private let settings: Settings
    private var profile: AccountRow
    /// The card for friends and the one for all others, once they are made.
    private var cards: [Bool: Card] = [:]
    private let listenPort: UInt16
    /// The static key is in memory only.
    private let staticKey = AgreementKey()
    private let log: Logger

    package init(
        account: LocalAccount, profile: AccountRow, settings: Settings, listenPort: UInt16, at time: WallTime,
        log: Logger
    ) throws(StartError) {
        self.account = account
        self.profile = profile
        self.settings = settings
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
            listenPort: port, capabilities: [Capability.calls, Capability.couriers],
            softwareVersion: "kibo \(ControlProtocol.productVersion)")
    }

    /// Signs the static key again when its proof gets old or the clock was set back.
    func renew(at time: WallTime) {
        let (validity, renewal) = (PeerLimits.staticKeyValidity, PeerLimits.staticKeyRenewal)
        guard current.notAfter < time + (validity - renewal) || time + (validity + renewal) < current.notAfter else {
            return
        }
        do {
            current = try Self.make(account, staticKey, listenPort, at: time)
        } catch {
            log.error("the device's identity can't be renewed", [("error", "\(error)")])
        }
    }

    /// Call when what the cards say has changed.
    package func show(_ profile: AccountRow) {
        self.profile = profile
        cards = [:]
    }

    /// The card that a peer gets to see; nil if it can't be made. Both cards have the same version.
    package func card(forFriend isFriend: Bool) -> Card? {
        if let card = cards[isFriend] { return card }
        do {
            let card = try Card.issue(
                by: account.deviceKey, certificate: account.certificate, profile: shown(toFriend: isFriend),
                version: UInt64(clamping: profile.cardVersion))
            cards[isFriend] = card
            return card
        } catch {
            log.error("our own card can't be made", [("error", "\(error)")])
            return nil
        }
    }

    /// Only friends get the avatar, so only they are told that there is one.
    private func shown(toFriend isFriend: Bool) -> Card.Profile {
        Card.Profile(
            displayName: profile.displayName, statusText: profile.statusText,
            avatarDigest: isFriend ? profile.avatar : nil,
            email: settings[SettingsCatalogue.showEmail].isFor(friend: isFriend)
                ? EmailAddress.checked(profile.email) : nil,
            phone: settings[SettingsCatalogue.showPhone].isFor(friend: isFriend) ? profile.phone : nil)
    }
}
