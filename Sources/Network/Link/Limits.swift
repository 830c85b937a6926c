import Basics

/// The bounds that the shells of this module keep, each with its unit and reason.
package enum NetworkLimits {
    /// UDP port of announcements, and the TCP port that daemons prefer.
    package static let standardPort: UInt16 = 15426

    /// How long after a peer's keys its request may follow: both were in its outbox when the session began.
    static let requestBehindKeys = Duration.seconds(2)

    // MARK: Connections from the network

    /// Connections that have not finished their handshake. That takes two round trips, so 64 places serve thousands a
    /// second.
    static let halfOpenTotal = 64
    /// How many of them one address may have, or one IPv6 /64 that is not a link of ours, because one host may own all
    /// of it. Loopback gets half of all places, because many daemons share it.
    static let halfOpenPerSource = 4
    /// How many of them strangers at all IPv6 addresses of one link of ours may have together. One host can take any
    /// number of these addresses, but all neighbours have theirs there, so it is two thirds of what strangers may have.
    static let halfOpenPerLink = 32
    /// How many of them are kept for addresses where a friend was last seen.
    static let halfOpenForFriends = 16
    /// Open sessions in all: one for each friend, and those with strangers that are being looked at. It bounds file
    /// descriptors and memory.
    package static let sessions = 2048
    /// Couriers that one parcel is given to: if one drops it, the other has it.
    static let couriersOfParcel = 2
    /// How long a stop or a lock waits for couriers to take what was just written.
    static let parcelFlush = Duration.seconds(2)
    /// How long the files of a parcel are read while its texts wait, and how long at most when the network closes; then those
    /// that are read by then go with it.
    static let parcelFileReading = Duration.seconds(20)
    static let parcelFileHurry = Duration.milliseconds(500)
    /// After this time a friend's unchanged note is stored again: a small part of the time for which it is used.
    static let noteStoring = Duration.seconds(24 * 3600)
    /// How often parcels and mail keys are looked at that may be over.
    static let parcelTidying = Duration.seconds(3600)
    /// Parcels for us that a courier may bring. Each costs half a millisecond of a core. Those that came during a day
    /// of absence may come at once, then a few a second.
    static let parcelsOpened = RateLimit(burst: 64, perSecond: 8)
    /// Parcels that a friend may leave here: what a person writes who writes a lot.
    static let parcelsKept = RateLimit(burst: 60, every: .seconds(1))
    /// How often the network drops what it keeps for a while, and looks whether the host has slept.
    static let housekeepingInterval: Duration = .seconds(5)
    /// How many of them are for accounts that are no friends. Each may hold a record and a short frame in part, about
    /// 80 KiB. Looking at a stranger takes moments, so the oldest makes room for the next.
    static let strangerSessions = 512
    /// How many of them devices of one account may have: what waits in memory for its commit is bounded for each
    /// session.
    static let sessionsOfAccount = 16
    /// The pause before we try again to find out for which accounts something waits, if that could not be read after a
    /// start.
    static let outboxRetry = Duration.seconds(5)
    /// Frames of one peer that are committed in one job, and such jobs that may wait at the same time: a millisecond of
    /// the writing thread, for which all others wait. The jobs are small, because a commit ends between two of them.
    static let framesAtOnce = 16
    static let commitsAtOnce = 6
    /// The most such jobs on a slow disk, and the work of one. No more than these go into each commit.
    static let commitsAtMost = 32
    static let workOfCommit = Duration.microseconds(250)

    /// Returns how many jobs of one peer may wait at the same time on a disk that takes so long for a commit. All peers together
    /// have as many as are worked off in that time. Everyone waits that long anyway.
    /// - Parameter peers: how many peers have jobs in the store.
    static func commitsAtOnce(onDisk commit: Duration, for peers: Int) -> Int {
        let all = Int(clamping: commit.nanoseconds / workOfCommit.nanoseconds)
        return min(max(all / max(peers, 1), commitsAtOnce), commitsAtMost)
    }
    /// If so many bytes wait to be written to one peer, its session counts as stuck and is closed: sixteen frames of
    /// the largest size.
    static let sessionOutputBytes = 16 << 20
    /// The pause between two looks at the same stranger because clients ask for it by name.
    static let lookPause: Duration = .seconds(60)
    /// Strangers whose last such look is remembered, and strangers that one question has looked at.
    static let rememberedLooks = 1024
    /// Number of known devices above which a stranger whose session ended is not listed any longer: twice what
    /// announcements may fill.
    static let listedPeers = 8192
    /// TCP ports that the users of one host share out among them: the first one and those below it. The firewall
    /// profiles open as many. The gateways for browsers take theirs from above.
    package static let hostPorts = 16
    /// Bytes of the file with the port: five digits and the end of the line.
    static let portFileBytes = 16

    // MARK: Groups

    /// The pause between two walks through all contacts for the keys by which they are recognised.
    static let keyRefreshPause = Duration.seconds(1)
    /// The pause between two looks at whether each group has sessions enough.
    static let groupMeetingInterval = Duration.seconds(3)
    /// How long we wait for members with a session before we write in a group: what they have of our own chain is
    /// compared first. That takes a round trip or two; a member that doesn't answer holds up writing no longer.
    static let groupSettleTime = Duration.seconds(10)
    /// The same once one of them has answered, for members with which nothing is under way: what these say is on its
    /// way, or was said before we were in the group.
    static let groupSettleTimeOfOthers = Duration.seconds(1)
    /// The same while more is asked for, since the last page that brought something: our own chain may be in the next
    /// page. A question has a minute for its answer, and our disk may be in trouble; a link that needs five times as
    /// long is more than slow.
    static let groupSettleTimeOfPage = Duration.seconds(300)
    /// The same however much keeps coming, in all sessions of the run: weeks of a large group come within minutes, and
    /// a member that always has something new holds up writing no longer.
    static let groupSettleTimeInAll = Duration.seconds(1800)
    /// How long a member that has said nothing of a group may take to do so before it is asked, while we may not write there.
    static let groupAskTime = Duration.milliseconds(500)
    /// The pause before the next look at what to ask for, if that could not be read.
    static let groupLookRetry = Duration.seconds(1)
    /// How long we wait for the answer to a question for a group's avatar.
    static let groupAvatarTime = Duration.seconds(30)
    /// Avatars of groups that are asked for at the same time, and that are read for other members at the same time:
    /// 256 KiB of memory each, and a member that waits has lost nothing but time.
    static let groupAvatarsAsked = 4
    static let groupAvatarsSent = 8
    /// The number of looks after which each group is compared with one member, whatever happened: once a minute.
    static let groupComparisonLooks = 20

    // MARK: Copies of a data directory

    /// How long the doctor mentions a copy that was seen. A copy that was turned away tries again within two minutes.
    package static let copyMemory = Duration.seconds(600)
    /// The pause between two dials of a host that announces itself as this device: any host can send an old datagram of
    /// ours again.
    static let copyDialPause = Duration.seconds(60)

    // MARK: Interfaces and addresses

    /// The pause between the first report of a change of interfaces and our look at them: a replugged cable makes a
    /// dozen reports.
    static let interfaceDebounce = Duration.milliseconds(250)
    /// The pause between two looks on hosts that don't report changes.
    static let interfacePolling = Duration.seconds(10)
    /// Addresses remembered of one device: two networks with two families each.
    static let addressesOfDevice = 4
    /// How long a dial waits for TCP: for its first two packets, a second apart, and a round trip. The third would come
    /// two seconds later (on most kernels), and a new dial sooner.
    static let connectTime = Duration.seconds(2)
    /// The pause between the dials of one device's addresses (RFC 8305 recommends 250 ms).
    static let dialStagger = Duration.milliseconds(250)

    // MARK: The doctor

    /// How long a friend may take to dial us back and answer: the time of the dial, and a slow way there and back.
    static let reachAnswer = Duration.seconds(6)
    /// How long a dial for a friend may take, and how many are under way at the same time.
    static let backDial = Duration.seconds(3)
    static let backDials = 8

    // MARK: The account

    /// Addresses of ours in a link: a host has one or two networks that matter.
    package static let linkAddresses = 3

    // MARK: Files

    // MARK: Avatars

    /// How long making an avatar may take on a busy machine: reading 64 MiB and decoding 40 million pixels.
    package static let avatarTime = Duration.seconds(30)
    /// Log lines about single frames and datagrams, at once and per second: a person can't read more, and a flood
    /// doesn't fill the disk.
    static let traceLines = RateLimit(burst: 500, perSecond: 200)

    /// Peers whose clocks are too far from ours, that are remembered to tell the user: more would tell no more.
    static let wrongClocks = 16
    /// Addresses outside of our subnets that are remembered to tell the user.
    static let outsiders = 8
}
