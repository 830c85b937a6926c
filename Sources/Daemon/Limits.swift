import Glibc
import PeerProtocol

/// Every bound that the daemon's shells keep, with its unit and reason. Limits of the wire stand in PeerProtocol.
enum DaemonLimits {
    /// UDP port of announcements, and the TCP port that daemons prefer.
    static let standardPort: UInt16 = 15426

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
    static let sessions = 2048
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
    /// Descriptors: a session or client has one, a transfer a handful, and the database a few.
    static let fileDescriptors: rlim_t = 4096
    /// Between two looks at the same stranger because clients ask for it by name.
    static let lookPause: Duration = .seconds(60)
    /// Strangers whose last such look is remembered, and of one question those that are looked at.
    static let rememberedLooks = 1024
    static let looksOfQuestion = 4
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
    /// The greatest number that the clock can give to a start of the daemon: in the year 2096. Behind it are as many as it takes.
    static let leastIncarnation: Int64 = 4_000_000_000
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
    static let copyMemory = Duration.seconds(600)
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

    /// Until our own announcement must have come back: three of them go out meanwhile.
    static let echo = Duration.seconds(4)
    /// Friends whom the doctor names when they can't find us.
    static let friendsNamed = 10
    /// Friends asked to dial us, one after another until one has reached us.
    static let askedFriends = 3
    /// How long a friend may take for that: the dial's time and a slow way there and back.
    static let reachAnswer = Duration.seconds(6)
    /// How long a dial for a friend may take, and how many are under way at once.
    static let backDial = Duration.seconds(3)
    static let backDials = 8
    /// Clocks further apart than this are worth a word: messages then seem to come from the past or the future.
    static let clockApart = Duration.seconds(60)
    /// Free bytes without which the database soon can't grow.
    static let wantedDataBytes: UInt64 = 100 << 20
    /// How often a full disk is looked at, and the free bytes with which it counts as having room: what a commit and the log's
    /// index take many times over.
    static let diskLook = Duration.seconds(2)
    static let roomForData: UInt64 = 1 << 20
    /// How long the look through the database may take: some gigabytes.
    static let databaseCheck = Duration.seconds(30)

    // MARK: The control socket

    /// Connections at once.
    static let controlConnections = 256
    /// From the first byte of a line to its end.
    static let controlLineDeadline = Duration.seconds(30)
    /// Requests of one connection being worked on; above it, reading pauses.
    static let controlRequestsAtOnce = 1024
    /// Bytes waiting for a client above which nothing more is read from it and events wait in the log.
    static let controlOutputHighMark = 4 << 20
    /// Bytes waiting for a client that doesn't read, above which the connection is closed.
    static let controlOutputLimit = 64 << 20
    /// Events of a commit that are looked up on the store's own thread: those of a message or two.
    static let promptEvents = 8
    /// Events read from the log at once for a subscriber that catches up.
    static let eventPage = 500
    /// Bytes of events' objects looked up at once, above which the rest waits for the next time: one more than fits is
    /// less than half a megabyte.
    static let composedBytes = 1 << 20
    /// Until events are looked up again that could not be.
    static let eventRetry = Duration.seconds(1)
    /// Bytes of JSON in one page of messages or conversations; at least one is in it. A client reads it in one go, and a
    /// dozen of them may wait for it.
    static let listBytes = 4 << 20
    /// Messages read at once for a page: of the longest, some 4 MiB.
    static let listPiece = 64
    /// Subscriptions of one connection.
    static let subscriptions = 64

    // MARK: The account

    /// The wait after the first wrong passphrase, which doubles with each, and the longest: nobody who mistypes notices the
    /// first, and no program gets through more than a thousand tries a day.
    static let passphraseDelay = (first: Duration.seconds(1), longest: Duration.seconds(60))
    /// Columns of a code in a terminal: what fits the usual 80. A link that makes a larger one goes into it without its name,
    /// then without its further addresses.
    static let codeColumns = 72
    /// Addresses of ours in a link: a host has one or two networks that matter.
    static let linkAddresses = 3

    // MARK: Contacts and messages

    /// How soon after the start it is looked for messages that are to go, and how often then.
    static let firstHousekeeping = Duration.seconds(5)
    static let housekeeping = Duration.seconds(3600)
    /// Messages removed in one commit, and the pause behind it: nobody waits for more than some milliseconds.
    static let removalsAtOnce = 200
    static let removalPause = Duration.milliseconds(20)
    /// How long it must be quiet after a deletion before the log is emptied.
    static let logEmptying = Duration.seconds(1)
    /// How long the log may wait to be emptied where something is deleted all the time, and how soon it is tried again where
    /// somebody was reading or writing.
    static let logEmptyingLatest = Duration.seconds(5)
    static let logEmptyingRetry = Duration.milliseconds(300)

    // MARK: Address book

    /// Bytes of an imported file read at once.
    static let filePiece = 256 << 10
    /// Events of one change of what fits the address book; whoever sees many lists it again anyway.
    static let matchEvents = 200
    /// How long a command that sends an invitation may take: a mail server that answers slowly.
    static let command = Duration.seconds(30)
    /// Bytes kept of what a command says, and characters told of it.
    static let commandOutput = 4 << 10
    static let commandWords = 200

    // MARK: Search

    /// Messages indexed in one go: some ten milliseconds of the writer's time.
    static let indexedAtOnce = 500
    /// Pieces that a search waits for, so that it finds what has just come: beyond them it finds what is indexed.
    static let searchPieces = 10
    /// Without a commit for this long the writer has a pause, and what is new is indexed.
    static let indexPause = Duration.milliseconds(250)
    /// Where there is no pause, a piece is indexed each so often all the same.
    static let indexLatest = Duration.seconds(2)
    /// Pages (4 KiB each) of one step of purging deleted words, the time between two, and the rest for each step before the
    /// next purge: a purge writes the whole index anew, so that a large one is purged more rarely.
    static let purge = (pages: 64, pace: Duration.milliseconds(50), rest: Duration.seconds(1))
    /// The least rest after a purge during which more was deleted, however small it was.
    static let purgeRest = Duration.seconds(60)
    /// After an error, such as a full disk.
    static let indexRetry = Duration.seconds(60)

    // MARK: Files

    /// How long an offer waits for a look at the disk where it would go; then it is asked about, not taken.
    static let placeLook = Duration.seconds(2)
    /// How long NetworkManager may take to say whether the link is metered, and how long its answer is remembered.
    static let meteredAnswer = Duration.seconds(1)
    static let meteredMemory = Duration.seconds(10)
    /// Bytes of a file's beginning that tell its type: a chunk of a transfer.
    static let mediaBeginning = 1 << 20
    /// How long telling a type may take, on a machine that is busy; then the worker is killed.
    static let mediaAnswer = Duration.seconds(10)
    /// Processes that tell types and have nothing to do, which stay for the files to come: 20 MiB each, of one sender each.
    static let idleMediaWorkers = 4
    /// How long sending may be held up by previews and the like of one message; then it goes without.
    static let previewTime = Duration.seconds(2)
    /// Bytes of a picture of which there is a preview: kibo-media takes no more.
    static let previewedPicture: UInt64 = 64 << 20
    /// Bytes of a video's first picture, which is 320 wide.
    static let frameBytes = 4 << 20

    /// How often the clock by which things grow old is looked at where nothing is committed: more often than it takes a sleep
    /// for (TrustedClock.longestStep).
    static let clockLook = Duration.seconds(600)
    /// How often received files are looked at for their use: it counts in days.
    static let fileLook = Duration.seconds(24 * 3600)

    // MARK: Avatars

    /// Bytes of an avatar: what the wire takes.
    static let avatarBytes = PeerLimits.avatarBytes
    /// How long making one may take, on a machine that is busy: reading 64 MiB and decoding 40 million pixels.
    static let avatarTime = Duration.seconds(30)

    // MARK: Transfers

    /// Nice value of the threads that move files: chat goes first, and a busy machine does not starve a transfer.
    static let transferNice: CInt = 2
    /// Bulk connections at once, in all and to one peer.
    static let activeTransfers = 16
    static let activeTransfersPerPeer = 4
    /// Of them, for large ones: the other places are for small things, which don't wait behind what takes hours.
    static let largeTransfers = 12
    static let largeTransfersPerPeer = 3
    /// Bytes up to which a transfer is small.
    static let smallTransferBytes: Int64 = 16 << 20
    /// How long a sender waits for the receiver to dial before it dials itself.
    static let transferCall = Duration.seconds(5)
    /// How long a transfer waits for somebody of whom nothing is heard, with its part on the disk.
    static let partAge = Duration.seconds(30 * 24 * 3600)
    /// Received files that are looked at in one go for their age: some milliseconds of a disk.
    static let filesLookedAtOnce = 64
    /// Parts of ended transfers that are removed at a start; what is left then waits for the next.
    static let leftOverParts = 1000
    /// How often it is looked whether a full disk has room again.
    static let spaceLook = Duration.seconds(30)
    /// Without a byte for this long, a connection does not outlive a new session of its peer: it is from before.
    static let transferSilence = Duration.seconds(3)
    /// How long after that session's beginning it is looked: TCP tries again within a second, and its packets need a while.
    static let transferGrace = Duration.milliseconds(1500)
    /// The time over which a rate is taken, and how soon it can be told.
    static let rateWindow = Duration.seconds(5)
    static let rateBegin = Duration.milliseconds(300)
    /// The least time between two events of one transfer's progress, and how often one that stands still has one.
    static let progressPace = Duration.milliseconds(200)
    static let standstillPace = Duration.seconds(1)
    /// How long the threads of transfers may take to end when the daemon stops.
    static let transferStop = Duration.seconds(3)
    /// Lists of groups' files that stay in memory while nobody uses them: 32 bytes for each MiB of a file.
    static let sharedFiles = 8
    /// How often a fetch of a group's file looks for more members to ask.
    static let swarmLook = Duration.milliseconds(500)
    /// How long a member is left alone whose connection broke, and one who said no.
    static let swarmPause = (short: Duration.seconds(1), long: Duration.seconds(5))
    /// Violations of the protocol of files by one peer within that time, from which on its connections are closed: each costs a
    /// thread and the reading of a list, and an honest client has a few at most, while somebody works on it.
    static let trespasses = 16
    static let trespassTime = Duration.seconds(600)
    /// First and longest pause before an interrupted transfer tries again.
    static let transferRetry = (first: Duration.milliseconds(300), longest: Duration.seconds(30))
}
