/// The bounds that the shells of this module keep, each with its unit and reason.
package enum NetworkLimits {
    /// UDP port of announcements, and the TCP port that daemons prefer.
    package static let standardPort: UInt16 = 15426

    // MARK: Connections from the network

    /// Connections that have not finished their handshake. A handshake takes two round trips, so 64 serve thousands a second.
    static let halfOpenTotal = 64
    /// Of them, from one address, or from one /64 of IPv6 that is not a link of ours: one host may have all of that. Loopback
    /// gets half of all: many daemons share it.
    static let halfOpenPerSource = 4
    /// Of them, from strangers at all IPv6 addresses of one link of ours together: one host can take any number of these, but
    /// all neighbours have theirs there, so it is two thirds of what strangers may have.
    static let halfOpenPerLink = 32
    /// Of them, kept for addresses where a friend was last seen.
    static let halfOpenForFriends = 16
    /// Open sessions in all: one a friend and those being looked at; bounds file descriptors and memory.
    package static let sessions = 2048
    /// Of them, with those who are no friends. Each may hold a record and a short frame in part, about 80 KiB; and looking at
    /// somebody takes moments, so the oldest makes room for the next.
    static let strangerSessions = 512
    /// Of them, with devices of one account: what waits in memory for its commit is bounded for each session.
    static let sessionsOfAccount = 16
    /// Until it is looked again whom something waits for, if that could not be read after a start.
    static let outboxRetry = Duration.seconds(5)
    /// Frames of one peer that are committed in one job, and such jobs that wait at once: some milliseconds of the writing
    /// thread, for which everybody else waits; and enough that it needn't wait for the next one.
    static let framesAtOnce = 64
    static let commitsAtOnce = 3
    /// Bytes waiting to be written to one peer before its session counts as stuck and is closed: sixteen frames of the largest size.
    static let sessionOutputBytes = 16 << 20
    /// Between two looks at the same stranger because clients ask for it by name.
    static let lookPause: Duration = .seconds(60)
    /// Strangers whose last such look is remembered, and of one question those that are looked at.
    static let rememberedLooks = 1024
    /// Devices known at once above which a stranger whose session ended is not listed any longer: twice what announcements
    /// may fill.
    static let listedPeers = 8192
    /// TCP ports tried after the preferred one, before any free one is taken.
    static let listenPortsTried: UInt16 = 16

    // MARK: Groups

    /// Between two walks through all contacts for the keys by which they are recognised.
    static let keyRefreshPause = Duration.seconds(1)
    /// Between two looks at whether each group has sessions enough.
    static let groupMeetingInterval = Duration.seconds(3)
    /// How long members with whom there is a session are waited for before something is written in a group: what they have of our own
    /// chain is compared first. A round trip or two take it; who doesn't answer holds nobody up for longer.
    static let groupSettleTime = Duration.seconds(10)
    /// The same, once one of them has answered, for those with whom nothing is under way: the others' words are on
    /// their way, or were said before we were in the group.
    static let groupSettleTimeOfOthers = Duration.seconds(1)
    /// The same, while more is asked for, since the last page that brought something: our own chain may be in the next. A question
    /// has a minute for its answer, and our disk may have its trouble; five times that is no slow link any more.
    static let groupSettleTimeOfPage = Duration.seconds(300)
    /// The same, however much keeps coming, in all sessions of the run: weeks of a large group come within minutes, and a member
    /// who always has something new keeps nobody from writing for longer.
    static let groupSettleTimeInAll = Duration.seconds(1800)
    /// Until it is looked again what to ask for, if that could not be read.
    static let groupLookRetry = Duration.seconds(1)
    /// How long the answer to a question for a group's picture is waited for.
    static let groupAvatarTime = Duration.seconds(30)
    /// Groups' pictures that are asked for at once, and that are read for others at once: 256 KiB of memory each, and who waits
    /// has lost nothing but time.
    static let groupAvatarsAsked = 4
    static let groupAvatarsSent = 8
    /// After so many looks each group is compared with one member, whatever happened: once a minute.
    static let groupComparisonLooks = 20

    // MARK: Copies of a data directory

    /// How long the doctor speaks of a copy that was seen: those that are turned away come again within two minutes.
    package static let copyMemory = Duration.seconds(600)
    /// Between two dials of whoever announces itself as this device: anybody can send an old datagram of ours again.
    static let copyDialPause = Duration.seconds(60)

    // MARK: Interfaces and addresses

    /// Between the first word of a change of interfaces and the look at them: a replugged cable makes a dozen messages.
    static let interfaceDebounce = Duration.milliseconds(250)
    /// Between two looks where changes can't be heard.
    static let interfacePolling = Duration.seconds(10)
    /// Addresses remembered of one device: two networks with two families each.
    static let addressesOfDevice = 4
    /// How long a dial waits for TCP: for its first two packets, a second apart, and a round trip. The third would come two
    /// seconds later (on most kernels), and a new dial sooner.
    static let connectTime = Duration.seconds(2)
    /// Between the dials of one device's addresses (RFC 8305 recommends 250 ms).
    static let dialStagger = Duration.milliseconds(250)

    // MARK: The doctor

    /// How long a friend may take for that: the dial's time and a slow way there and back.
    static let reachAnswer = Duration.seconds(6)
    /// How long a dial for a friend may take, and how many are under way at once.
    static let backDial = Duration.seconds(3)
    static let backDials = 8

    // MARK: The account

    /// Addresses of ours in a link: a host has one or two networks that matter.
    package static let linkAddresses = 3

    // MARK: Files

    /// How long an offer waits for a look at the disk where it would go; then it is asked about, not taken.
    static let placeLook = Duration.seconds(2)
    /// How long NetworkManager may take to say whether the link is metered, and how long its answer is remembered.
    static let meteredAnswer = Duration.seconds(1)
    static let meteredMemory = Duration.seconds(10)

    // MARK: Avatars

    /// How long making one may take, on a machine that is busy: reading 64 MiB and decoding 40 million pixels.
    package static let avatarTime = Duration.seconds(30)
}
