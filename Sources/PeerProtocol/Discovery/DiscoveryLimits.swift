import Basics
import Crypto

/// The numbers of discovery, dialling and the tie break, with unit and reason.
public enum DiscoveryLimits {
    // MARK: The datagram

    /// Bytes of a datagram of this version: fields and signature, nothing between them.
    public static let ownDatagramBytes = 140
    /// Bytes of a datagram that is about a device: probes, their answers, suspicions.
    public static let probeDatagramBytes = 184
    /// Bytes before the signature that this version knows.
    static let fieldBytes = 76
    /// Bytes of the signature at the end.
    static let signatureBytes = 64

    // MARK: The veil

    /// How long tags stay the same: a device that moves to another address can be linked to the old one for no longer.
    public static let veilEpoch: Duration = .seconds(600)
    /// In how many epochs before and after our own a tag is recognised: enough for clocks that are half an hour apart.
    static let veilEpochsApart: UInt64 = 3
    /// If the epochs are this far apart, more than twenty minutes, one of the clocks is wrong.
    static let veilEpochsWrong = 3
    /// Bytes of a tag. Tags of different keys don't meet by chance.
    static let veilTagBytes = 16
    /// Bytes inside the veil: the longest datagram of this version and its length, so that all look alike.
    static let veiledPlainBytes = 192
    /// Bytes of a veiled datagram of this version: header, tag, nonce, content, authentication.
    public static let veiledDatagramBytes =
        8 + veilTagBytes + CryptoLimits.longNonceBytes + veiledPlainBytes + CryptoLimits.tagBytes
    /// Bytes of the shortest that is looked at: with a datagram without padding in it.
    static let shortestVeiledBytes = veiledDatagramBytes - veiledPlainBytes + 2 + ownDatagramBytes
    /// Copies of an announcement under keys of single friends: with the shared one nine datagrams each time.
    static let veilPairs = 8
    /// The same for each of the three HELLOs. This many friends at once find a device that has just come. About 10 kB,
    /// which take a tenth of a second on the slowest wireless network.
    static let helloPairs = 32
    /// Datagrams from one source that have a known tag but can't be read, or come from a device that the tag doesn't
    /// belong to.
    static let brokenVeils = RateLimit(burst: 64, perSecond: 8)
    /// Beyond that, of all sources: a sender that copies a tag and an address silences no device. To try a veil takes 2
    /// µs, so these are 1 % of a core.
    static let unreadVeils = RateLimit(burst: 1000, perSecond: 5000)

    // MARK: The knock

    /// How long a knock's tag stays the same. An observer who sees it sees both addresses, too; so it is rather long,
    /// for the sake of clocks that are wrong.
    static let knockDay: Duration = .seconds(86_400)
    /// Days to each side of our own: clocks are wrong by hours or days, and no other way leads in.
    static let knockDaysApart: UInt64 = 2
    /// Knocks that are remembered so that none opens twice, the newest: each is one handshake of a friend.
    static let knocksRemembered = 4096

    // MARK: When we speak

    /// The first HELLO comes at random within this time of the start: a power cut's end wakes a whole office at once.
    public static let firstHelloWithin: Duration = .milliseconds(250)
    /// Later HELLOs, counted from the first: broadcast is lossy, above all while a switch port wakes up.
    public static let repeatedHellos: [Duration] = [.seconds(1), .seconds(3)]
    /// Beacons that a whole segment carries in a second, whatever its size.
    public static let beaconsPerSecond = 5
    /// Shortest time between two beacons of one device: nothing is gained by more.
    public static let shortestBeaconInterval: Duration = .seconds(30)
    /// Longest time between two beacons of one device: the longest that a peer whose HELLOs were lost stays unseen.
    public static let longestBeaconInterval: Duration = .seconds(300)
    /// BYEs sent on leaving, against loss.
    public static let byes = 3

    // MARK: Who we probe

    /// Time between two probes: each of N devices probes one of the others a second, so each is probed by one of them a
    /// second on average, whatever N.
    public static let probeInterval: Duration = .seconds(1)
    /// How long an answer may take: far above any round trip in a local network.
    public static let probeTime: Duration = .milliseconds(300)
    /// How many others are asked to try when there was no answer, and how long they have.
    public static let helpers = 3
    static let helperDraws = 24
    public static let helpersTime: Duration = .milliseconds(700)
    /// How long a suspect has to answer for itself.
    public static let suspectTime: Duration = .seconds(2)
    /// Probes of one's own that must fail before a suspect is given up.
    static let confirmations = 2
    /// After another device's suspicion everyone checks for themselves. Those probes are spread over this time for each
    /// device that is present, up to a maximum, so that they don't make a storm.
    static let suspicionJitterPerPeer: Duration = .milliseconds(2)
    static let longestSuspicionJitter: Duration = .seconds(2)
    /// Suspicions of others that are looked into. Enough when half a large segment goes dark at once.
    static let suspicionsOfOthers = RateLimit(burst: 256, perSecond: 16)
    /// Probes made for others whose answers are waited for, at once.
    static let indirectProbes = 64
    /// Between two answers to suspicions of ourselves, at least; less than ``suspectTime``.
    static let refutationPause: Duration = .seconds(1)
    /// If we notice a deadline this much too late, we were asleep, not the other device. The wait then begins again.
    static let lateness: Duration = .milliseconds(500)

    // MARK: Who we remember

    /// Beacon intervals without a datagram after which a peer is given up: three in a row lost by chance is rare.
    static let silentIntervals = 4
    /// The same of a peer that was heard under a key for us alone: enough for the turn of 256 of its friends. A session, which
    /// follows the first such announcement, ends that; so this is for peers that we can't reach.
    static let silentTurns = 32
    /// Strangers remembered at once (about 200 bytes each): more than a /20 network has hosts. Contacts don't count.
    public static let strangers = 4096
    /// How long the incarnation of a peer that went away is remembered, so that its old datagrams can't bring it back.
    public static let goneMemory: Duration = .seconds(3600)

    // MARK: What we are willing to check

    /// Datagrams at once, and per second after that, from one source address: a host runs few daemons, each sends three
    /// HELLOs in three seconds. Loopback is free of this: many daemons share it, and the kernel vouches for the source.
    static let perSource = RateLimit(burst: 24, perSecond: 4)
    /// The same from all IPv6 addresses together. They are neighbours' (announcements come from no other host), and one
    /// neighbour can take any number of them; three quarters of what all strangers have, so that the rest is left for
    /// IPv4.
    static let fromSix = RateLimit(burst: 750, perSecond: 225)
    /// Datagrams of all who are unknown or speak from another address than before. Bounds signature checks: 300 a
    /// second are about 1 % of a core, and a thousand hosts that start together are heard within three seconds.
    public static let fromStrangers = RateLimit(burst: 1000, perSecond: 300)
    /// Datagrams of one known device from its own address.
    /// In the smallest network that is a probe, an answer and a indirect probe a second.
    static let perKnownDevice = RateLimit(burst: 24, perSecond: 8)
    /// Datagrams of all known devices: a budget of its own, so that strangers' floods don't drown acquaintances.
    public static let fromKnown = RateLimit(burst: 1000, perSecond: 300)

    /// Datagrams of all contacts beyond their shares in the others: by these a genuine one among F forged ones a second
    /// is heard with the probability 500 / F. They cost less than 2 % of a core.
    static let fromContacts = RateLimit(burst: 500, perSecond: 500)
    /// Datagrams in the names of known strangers from elsewhere, beyond what their source has: so that a copied source address
    /// doesn't silence all who moved there.
    static let fromMoved = RateLimit(burst: 75, perSecond: 75)
    /// Known devices that are probed out of turn because too many datagrams come in their name, and how long nothing
    /// must have been heard from them for that.
    static let questions = RateLimit(burst: 32, perSecond: 8)
    static let questionPause: Duration = .seconds(2)
    /// Signatures that are checked because of the nonce of one probe: of the device, of three helpers, and each again.
    static let looksAtAnswer = 8

    // MARK: Where cards come from

    /// Up to this many other devices, each stranger is dialled once for its card. That is the fastest way, and takes 36
    /// sessions at most. With more devices, cards come from others who have them, because N hosts that dial each other
    /// make N² sessions.
    public static let dialledStrangers = 8
    /// Devices that dial a newcomer among many, those with the keys nearest to its own: the others ask them for its card.
    public static let sponsors = 4
    /// A sponsor dials within this time, so that all that one datagram brings is known by then.
    static let lookDelay: Duration = .milliseconds(50)
    /// A newcomer asks for everything within this time of its start, as soon as there is a peer to ask.
    static let peerExchangeDelay: Duration = .seconds(1)
    /// A sponsor is asked for a missing card after this time: it has got it by then, also if it has the larger key.
    static let namelessDelay: Duration = .milliseconds(500)
    /// Later by up to ``namelessDelay``, or this much for each device about, at most ``longestNamelessJitter``: the sponsors
    /// of a newcomer among a thousand are asked by all the others.
    static let namelessJitterPerPeer: Duration = .milliseconds(2)
    static let longestNamelessJitter: Duration = .seconds(2)
    /// If there is a newer version of a card, we ask for it after this time, and later up to three times more. Until
    /// then the old card will do, and a device that keeps announcing new versions costs little.
    static let staleDelay: Duration = .seconds(1)
    /// Between two exchanges for missing cards, at least: others are missed meanwhile, and asked for together.
    static let peerExchangeGap: Duration = .milliseconds(300)
    /// The wait after a question that didn't bring the card; from the first dial of its owner on it doubles, and ends here.
    static let namelessPause = (first: Duration.milliseconds(500), longest: Duration.seconds(60))
    /// Exchanges that didn't bring a card, after which its owner is dialled.
    static let peerExchangeAttempts = 3
    /// Such dials in a second: a peer's peer exchange brings more than a dial.
    static let hopelessLooks = 4
    /// Cards kept of devices that have gone (about 400 bytes each).
    static let departedCards = 1024
    /// Between a peer's digest that differs and the exchange that it is a reason for: missing cards come by themselves
    /// mostly.
    static let digestPatience: Duration = .seconds(5)
    /// Between two beacons that come early because of a new card.
    public static let newsPause: Duration = .seconds(10)
    /// Pages given to one source, as many at once as one session may have; to all strangers by IPv6, and to all: the sponsors of
    /// a newcomer among a thousand are asked by hundreds in a second, and 200 pages are 2 % of a core.
    static let peerExchangePagesOfSource = RateLimit(burst: 300, perSecond: 2)
    static let peerExchangePagesOfSix = RateLimit(burst: 1125, perSecond: 150)
    static let peerExchangePagesOfStrangers = RateLimit(burst: 1500, perSecond: 200)
    /// The same for friends, who have a share of their own each; so many shares are kept.
    static let peerExchangePagesOfFriends = RateLimit(burst: 1500, perSecond: 200)
    static let peerExchangeFriends = 1024
    /// Announcements handed on by others whose signature is checked: as many as strangers are remembered, then some.
    static let introductions = RateLimit(burst: 4096, perSecond: 64)
    /// Dials, and probes for others, to addresses that we know only from hearsay: because of what one source has said,
    /// because of what IPv6 sources have said, and in all. Devices that are really there announce themselves, and are
    /// then dialled without using this up.
    static let hearsayOfSource = RateLimit(burst: 16, perSecond: 1)
    static let hearsayOfSix = RateLimit(burst: 48, perSecond: 3)
    static let hearsay = RateLimit(burst: 64, perSecond: 4)
    /// For the session and for each page.
    static let peerExchangeAnswerTime: Duration = .seconds(5)
    /// How long a peer that didn't answer is left alone; doubles each time. The first pause, a quarter shorter by chance, is still
    /// longer than what is left of an idle session with a stranger when the answer is overdue (5 s), so that the session ends.
    static let silentPeerPause = (first: Duration.seconds(8), longest: Duration.seconds(3600))
    /// Such peers that are remembered, some 100 bytes each.
    static let silentPeers = 1024
    /// Pages of one exchange.
    static let peerExchangePages = 300
    /// Between two exchanges for everything, at least; doubles with each. There is another one if the last brought news, or a
    /// peer's digest says that its peer exchange is another one than ours.
    static let peerExchangePause = (first: Duration.seconds(4), longest: Duration.seconds(3600))

    // MARK: Who we dial

    /// Dials under way at once.
    public static let dials = 16
    /// How many of these dials may be for strangers. The rest is reserved for friends, requests and static peers.
    public static let strangerDials = 12
    /// Strangers waiting to be looked at, at once; those beyond wait for their next beacon.
    public static let waitingStrangers = 1024
    /// The device with the smaller key dials within this time of hearing the other, with few peers about.
    public static let dialJitter: Duration = .milliseconds(50)
    /// The jitter's growth with each peer about: a newcomer is looked at by all, at most 500 in a second.
    static let dialJitterPerPeer: Duration = .milliseconds(2)
    /// Where that growth ends.
    static let longestDialJitter: Duration = .seconds(1)
    /// The device with the larger key waits this much longer before it dials itself.
    public static let largerKeyWaits: Duration = .milliseconds(400)
    /// First wait after a dial that failed; doubles with each.
    public static let firstBackoff: Duration = .milliseconds(500)
    /// Longest wait between two dials to the same target.
    public static let longestBackoff: Duration = .seconds(60)
    /// The time between the beginnings of two dials of a device that went without a goodbye, during ``lostTime``. One
    /// second is how long TCP waits before it repeats its first packet. A dial without an answer takes two seconds and
    /// costs two packets for each address, and ``dials`` limits how many are under way: a hundred lost friends cost 16
    /// packets a second, or 32 with two addresses each.
    public static let lostBackoff: Duration = .seconds(1)
    /// Between the end of such a dial and the next, at least: this keeps a quick end (a router's word, say) from being
    /// asked for in a loop.
    static let shortestBackoff: Duration = .milliseconds(50)
    public static let lostTime: Duration = .seconds(600)
    /// Before a stranger at a static address is looked at again, after a session that ended because nothing was left to say:
    /// short enough that it stays in the list of those who are here.
    static let idleStaticPause: Duration = .seconds(60)
    /// Between two dials of a peer that has turned us away because another copy of our data is connected there: long
    /// enough for peace, short enough to take the other one's place when it has gone.
    public static let copyPause: Duration = .seconds(90)
    /// Runs that are remembered of one device, devices whose runs are remembered, and how long a device counts as in
    /// use twice after that was noticed.
    static let copyRuns = 4
    static let copyDevices = 4096
    static let copyMemory: Duration = .seconds(600)
    /// Failed dials after which a stranger is left alone until it is heard again.
    public static let strangerAttempts = 4
    /// A session that lived this long was a good one: the next loss is dialled after at once, without backoff. A
    /// shorter one counts as a failure, so that two peers that can't get along don't dial in a circle.
    public static let goodSession: Duration = .seconds(10)
    /// Two dials that cross finish within this time of each other; a second session later than this has a reason.
    public static let crossingDials: Duration = .seconds(5)
    /// The age from which a new session replaces an old one, even if the peer finished its handshake a moment after us.
    public static let settledSession: Duration = crossingDials + .seconds(1)
}
