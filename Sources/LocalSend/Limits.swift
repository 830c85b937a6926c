import Basics
import ControlProtocol

/// The named limits of what LocalSend devices may do here.
public enum LocalSendLimits {
    // MARK: What is read

    /// Bytes of a datagram with an announcement: the app's have some 250.
    public static let announcementBytes = 4 << 10
    /// Bytes of the body of `register` and `prepare-upload`: a thousand files take some 250 KiB, more with long names of folders.
    public static let bodyBytes = 512 << 10
    /// Bytes of a request's target: a session, a token and an id of ``idBytes``, percent-encoded.
    public static let targetBytes = 2 << 10
    /// Characters of what a device is called, and of its model.
    public static let aliasCharacters = 64
    /// Bytes of a fingerprint: the SHA-256 of a certificate has 64 digits, a random one is often a UUID.
    public static let fingerprintBytes = 128
    /// Bytes of a file's id: the app's are UUIDs.
    public static let idBytes = 128
    /// Bytes of a file's name as it is offered, with folders before it.
    public static let nameBytes = 1 << 10
    /// Bytes of the type of a file.
    public static let typeBytes = 128
    /// Bytes of a text that comes without a file.
    public static let textBytes = 64 << 10
    /// Files in one offer.
    public static let files = ProtocolLimits.guestItems

    /// Bytes of an answer to an offer, and of a session or a token in it: a thousand tokens of the app's have some 100 KiB.
    public static let answerBytes = 512 << 10
    public static let wordBytes = 1 << 10
    /// Bytes of other answers, which say nothing.
    public static let wordlessBytes = 64 << 10

    /// Bytes of a line between the daemon and the bridge: an offer has at most ``bodyBytes``.
    public static let lineBytes = 1 << 20

    // MARK: What is obeyed

    /// What is looked at in a second of what devices say of themselves, of one source and in all. Datagrams, whose senders may be
    /// made up, and requests over TCP have a measure each.
    public static let announcementsOfSource = RateLimit(burst: 2, perSecond: 2)
    public static let announcements = RateLimit(burst: 50, perSecond: 50)
    /// The same from all IPv6 addresses. One neighbour can take any number of those, so they get half of all, and the
    /// rest is left for IPv4, which the protocol uses.
    public static let announcementsOfSix = RateLimit(burst: 25, perSecond: 25)
    /// Devices that are shown, of one source and in all, and how long one is without being heard.
    public static let devicesOfSource = 4
    public static let devices = 64
    public static let deviceLife = Duration.seconds(150)
    /// Offers of one source in a minute, and of all of them: so many that a few sources keep nobody else out.
    public static let offersOfSource = RateLimit(burst: 5, every: .seconds(12))
    public static let offers = RateLimit(burst: 120, every: .milliseconds(500))
    public static let offersOfSix = RateLimit(burst: 60, every: .seconds(1))
    /// Offers that wait for the user, each of another source.
    public static let waiting = 4
    /// Files of an upload that come at the same time.
    public static let atOnce = 8
    /// Sources that are to be quiet for a while, or that said a wrong PIN. Beyond them the one that was noted longest ago is
    /// forgotten.
    public static let sources = 256
    /// How long the user has to answer an offer.
    public static let patience = Duration.seconds(60)
    /// How long a source is not shown to the user after its offer was declined, or not answered.
    public static let quiet = Duration.seconds(60)
    /// Offers of a source that it has taken back before the user answered, within how long, until it is to be quiet for a while.
    public static let withdrawals = 3
    public static let withdrawalLife = Duration.seconds(600)
    /// Wrong PINs of a source until it is refused, and for how long.
    public static let wrongPINs = 3
    public static let pinPause = Duration.seconds(600)
    /// Offers of this user that are under way.
    public static let givings = 2
    /// Seconds until the device's user has answered, and in which something of a file has to go or an answer has to come.
    public static let answerSeconds = 600
    public static let restSeconds = 60
    /// Seconds in which a device that is found by its address has to say who it is.
    public static let greetSeconds = 4
    /// Addresses that a scan asks: four networks of 254.
    public static let scanned = 1_016
    /// Seconds in which the device is told that nothing more comes.
    public static let cancelSeconds = 5
    /// How long an upload may rest, between two files or within one.
    public static let idle = Duration.seconds(30)
}
