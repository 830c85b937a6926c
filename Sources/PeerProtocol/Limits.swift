import Basics
import Crypto
import Vocabulary

/// The numbers of the wire, the secure channel and the session, with unit and reason. Both sides check the same ones:
/// a decoder takes all that an encoder lets through.
public enum PeerLimits {
    // MARK: Handshake and records

    /// Bytes of the preface that opens every TCP connection.
    public static let prefaceBytes = 8
    /// Bytes of the second and third handshake message, at most: a certificate, two keys, two signatures and the texts
    /// of an identity payload. It is small, for no peer is authenticated yet.
    public static let handshakeMessageBytes = 4096
    /// Bytes of the first handshake message's payload, at most: a knock, and space for fields of later versions.
    public static let firstPayloadBytes = 64
    /// Time from the connection's beginning to the end of the handshake: two round trips on the slowest link that is of
    /// use, and short enough that idle strangers don't fill the places.
    public static let handshakeTime = Duration.seconds(5)
    /// Capabilities in an identity payload.
    public static let capabilities = 32
    /// Bytes of one capability's name.
    public static let capabilityBytes = 64
    /// Characters of the text that names a peer's program and version.
    public static let softwareVersionCharacters = 64
    /// How long a device's signature of its static key is good. Peers' clocks are wrong by hours or days; a month
    /// forgives that, and a daemon signs afresh every ``staticKeyRenewal``.
    public static let staticKeyValidity = Duration.seconds(30 * 24 * 3600)
    /// When a running daemon signs its static key again.
    public static let staticKeyRenewal = Duration.seconds(24 * 3600)
    /// Records after which a direction's key is replaced.
    public static let recordsPerKey: UInt64 = 1 << 16
    /// Bytes of plaintext in a record: as many as a Noise message holds.
    public static let recordPlaintextBytes = CryptoLimits.noisePlaintextBytes
    /// Bytes of a record after its length: at least one byte of plaintext and the tag.
    public static let recordBytes = CryptoLimits.tagBytes + 1...CryptoLimits.noiseMessageBytes

    // MARK: Frames

    /// Bytes of a frame's header.
    public static let frameHeaderBytes = 24
    /// Bytes of a frame's body: enough for a message with previews, small enough to buffer for each session.
    public static let frameBodyBytes = 1 << 20
    /// Bytes of a frame's body that is kept from a peer that is neither a friend nor asked to become one: twice the
    /// longest card, more than a full receipt. A stranger's longer frame is refused without being read, so that many
    /// strangers can't fill the memory with halves of frames.
    public static let strangerBodyBytes = 16 * 1024

    // MARK: Bodies

    /// Bytes of a reaction's sign: the longest emoji in use, a family of four with skin colours, has 41.
    public static let emojiBytes = 64
    /// Bytes of a media type (RFC 6838 §4.2 allows 127 for each half; none in use comes near).
    public static let mediaTypeBytes = 127
    /// Entries of a transfer, folders included.
    public static let transferEntries: UInt64 = 100_000
    /// Files left out of a folder that its offer names; the others it counts.
    public static let leftOutItems = 20
    /// Bytes of such a file's path: 20 of them for each of 32 attachments are an eighth of a frame, with their reasons.
    public static let leftOutPathBytes = 128
    /// Bytes of an attachment's preview image.
    public static let previewBytes = 32 * 1024
    /// Bytes of the root of the tree of a group's file: a BLAKE2b-256 hash.
    public static let fileRootBytes = 32
    /// Requests of one account that are shown to a person within ``requestWindow``; more are put off. An account that
    /// was declined may ask again, and can't pester the person.
    public static let requestsInWindow = 5
    public static let requestWindow = Duration.seconds(24 * 3600)
    /// Requests of new accounts that one source may make, and all IPv6 sources together: on the first day of an office many ask at
    /// once, each from a host of their own, and the users of a terminal server wait for each other a little.
    static let requestsOfSource = RateLimit(burst: 20, every: .seconds(30))
    static let requestsOfSix = RateLimit(burst: 100, every: .seconds(6))
    /// Digits of a telephone number (E.164); the lower end shuts out nonsense.
    public static let phoneDigits = 5...15
    /// Bytes of the digest of an avatar (BLAKE2b-256).
    public static let avatarDigestBytes = 32
    /// Bytes of an avatar's file: a face in good quality, and a quarter of a frame.
    public static let avatarBytes = 256 * 1024
    /// Pixels of an avatar on one side: a small file can claim to be a picture of gigabytes.
    public static let avatarSide = 4096
    /// Bytes of an encoded card: three labels, an address, a certificate and a signature.
    public static let cardBytes = 8 * 1024
    /// Bytes of the longest datagram that is looked at. Later versions may add fields; fits every link unfragmented.
    public static let datagramBytes = 400
    /// Devices in one request for a peer exchange, and in one page of it. Both fit into the frame that a stranger may
    /// send.
    public static let peerExchangeDevices = 256
    /// Pages of the peer exchange that a peer gets in one session. A network of 4096 devices has 250 pages; after the
    /// burst one page passes each second.
    static let peerExchangePages = RateLimit(burst: 300, every: .seconds(1))
    /// Identifiers in one receipt: as many as one window holds.
    public static let receiptIDs = 512
    /// Bytes of a reason's token.
    public static let reasonBytes = 32
    /// Characters of a text that explains a reason to people.
    public static let detailCharacters = 256

    // MARK: Groups: the log

    /// Entries across the chains that an entry of a log refers to: enough to join what sixteen people wrote at once.
    public static let logDependencies = 16
    /// Bytes of a log entry's header: 16 heads and 16 dependencies take half of it.
    public static let logHeaderBytes = 4 * 1024
    /// Bytes of a log entry's content: with header, signature and what a page says besides it fills a frame.
    public static let logContentBytes = frameBodyBytes - 64 * 1024
    /// Membership heads in a frame. More of them at once means that hundreds of people change a group while they can't hear
    /// each other; the frame then names these.
    public static let groupHeadsInFrame = 256
    /// Ends of chains in a frame: a group's, with some devices for each member and their forks.
    public static let groupTopsInFrame = 4096
    /// Ends of chains that are told in all.
    public static let groupTops = 4 * groupTopsInFrame
    /// Ranges, and hashes, in one question: a range for each member.
    public static let groupWants = 256
    /// Ranges withheld in one answer.
    public static let groupWithheld = 512
    /// Entries in a frame, of each sort.
    public static let groupPageEntries = 1024
    /// Bytes after which a page of entries ends: some milliseconds of signature checks, and a commit.
    public static let groupPageBytes = 64 * 1024
    /// Entries whose content is asked for at once where it is lacking.
    public static let groupContentsAsked = 64
    /// Entries that are looked at at once for a page.
    public static let logScan = 512
    /// Entries that one device may have at one place: one is right, two are a fork, and more are nothing but more of it.
    public static let forksAtPlace = 16
    /// Entries held of one group, their bytes, those of one device, and those that may not be a member's, as far as is
    /// known yet. Pages come in an order that needs none of this; live messages that overtake each other need a few.
    public static let heldEntries = 4096
    public static let heldBytes = 8 << 20
    public static let heldEntriesOfDevice = heldEntries / 4
    public static let heldUnproven = 256
    /// An entry whose author isn't known to be a member yet is held while fewer entries of its device are, of any sort.
    public static let heldUnprovenOfDevice = heldUnproven / 4
    /// How long an entry is held for another that no member gives, before it is shown without.
    public static let heldTime = Duration.seconds(24 * 3600)
    /// How long after entries came by catching up, or live, we announce again what we have. After live entries it takes
    /// longer, because those reach most members without us.
    public static let announceAfterCatchUp = Duration.milliseconds(1500)
    public static let announceAfterLive = Duration.seconds(2)
    /// Sessions through which a member wants to hear of new entries in a group. If one partner lacks an entry, another
    /// has it.
    public static let groupPartners = 3
    /// Between two attempts to do what the disk has refused in catching up, which doubles, and the longest.
    public static let groupRetry = (first: Duration.seconds(1), longest: Duration.seconds(30))
    /// Questions without an answer, in a row, that are asked again: a member that says nothing keeps others' waiting.
    static let groupUnanswered = 2
    /// How long the answer to a question may take, over the slowest link that is of use.
    public static let groupAnswerTime = Duration.seconds(60)
    /// Questions of one session that wait for their turn.
    public static let groupQuestions = 256
    /// How many groups that we don't share a peer may mention in one session. Each is looked up once, and unknown ones
    /// are asked for. If a friend mentions more, the rest must wait for the next session.
    public static let groupsConsidered = 512

    // MARK: Typing

    /// How long a friend counts as typing after the last typing frame. A friend who continues says so again after half
    /// of that.
    public static let typingTime = Duration.seconds(10)
    /// Typing is sent, and shown, at most once in this time: people don't look more often.
    public static let typingPause = Duration.seconds(1)

    // MARK: Calls

    /// Bytes of a call state: all its fields at their greatest have about 400.
    public static let callStateBytes = 512
    /// Bytes of a call signal, and of the session description in it: that of a browser for sound, a camera and a screen has
    /// 10 KiB.
    public static let callSignalBytes = 40 << 10
    public static let callDescriptionBytes = 32 << 10
    /// Candidates in one signal, and addresses that one window sends in all: a host has a few.
    public static let callCandidates = 16
    /// Addresses in a call at which this daemon doesn't know the device, of one account and of all: a host has one or two on a link.
    static let callAddressesUnknown = 2
    static let callAddressesUnknownInAll = 16
    /// Ports of one such address: a window needs one for each network of its host, and others after a reload or a restart.
    static let callPortsUnknown = 16
    /// Bytes of the SHA-256 of a certificate.
    public static let callFingerprintBytes = 32

    /// Calls between two that are not over, on this host and with one account: two may cross, and a person talks in one.
    public static let calls = 8
    public static let callsOfAccount = 2
    /// People in a call of a group, and members of a group whose calls ring: each window sends to all others.
    public static let callPeople = 8
    /// Group calls that go on and are known here, and how many of them one friend or group may be responsible for: a
    /// person looks at a few.
    static let groupCalls = 16
    static let groupCallsOfAccount = 4
    /// Devices of a group's call that are remembered, and those of one account: they take part, ring, or have just left.
    static let callDevices = 64
    static let callDevicesOfAccount = 4
    /// How often one account may make this side move from one call of a group to another: two calls cross now and then.
    static let callMoves = RateLimit(burst: 3, every: .seconds(60))
    /// New calls of one account, by its rings and by records of calls that rang nowhere here; and this side's calls to one account.
    /// People don't dial faster.
    static let newCalls = RateLimit(burst: 6, every: .seconds(10))
    /// States of a device in one call that are obeyed, and states that this side tells: a person switches the microphone no faster.
    static let callStates = RateLimit(burst: 16, perSecond: 4)
    /// Answers to states of calls that are not known, to one device.
    static let callStrays = RateLimit(burst: 16, perSecond: 4)
    /// Signals that this side sends to a device in one call.
    static let callSignals = RateLimit(burst: 64, perSecond: 8)
    /// Signals of a device that are obeyed: a link that stalls lets more come at once than was sent at once.
    static let callSignalsHeard = RateLimit(burst: 256, perSecond: 16)
    /// Signals of one generation, in each direction.
    static let callSignalsOfGeneration: UInt64 = 512
    /// Bytes of signals of one device that are kept, in each direction: a dozen descriptions.
    static let callSignalsKept = 128 << 10
    /// Bytes of signals of one device that are kept in a group's call, where seven others send.
    static let groupCallSignalsKept = 64 << 10
    /// The time after which a device that takes part in a group's call says so again, to members that came meanwhile or were not known
    /// yet; it is shorter if others have come or gone.
    static let callRepeat = Duration.seconds(30)
    static let callRepeatSoon = Duration.seconds(2)
    /// A device that has not said so for this long, more than three times ``callRepeat``, takes part no longer.
    static let callUnheard = Duration.seconds(100)
    /// How long a call rings by the caller's clock while the user has not set another time.
    public static let callRingTime = Duration.seconds(45)
    static let callRingLongest = Duration.seconds(130)
    /// How long a called device may say nothing before it counts as silent.
    static let callSilence = Duration.seconds(5)
    /// How long the windows may take for a connection, from the moment at which both sides take part.
    static let callConnectTime = Duration.seconds(20)
    /// How long media that have flowed before may be interrupted.
    static let callMediaTime = Duration.seconds(30)
    /// How long a seat's window may report nothing before the seat counts as empty, and how long it may be empty before the call is over.
    static let callSeatTime = Duration.seconds(20)
    static let callAwayTime = Duration.seconds(60)
    /// How long a window that has said that it closes has to come back: one that is reloaded needs about two seconds.
    static let callCloseTime = Duration.seconds(8)
    /// How long a call rings on when nothing here can ring any more: a window that is reloaded, or that loses the daemon for a
    /// moment, is back by then.
    static let callQuietTime = Duration.seconds(10)
    /// How long a call rings on without a session with the caller.
    static let callRingLost = Duration.seconds(20)
    /// How long an end is remembered and told to devices that have not heard it.
    public static let callMemory = Duration.seconds(60)
    /// The time between two writes of a call in which nothing else changes: a crash loses at most this much of its
    /// duration.
    static let callKeepTime = Duration.seconds(30)
    /// How late a tick may be before it is taken for that of a host that has slept.
    static let callLateTick = Duration.seconds(10)

    // MARK: Cards, presence, avatars

    /// How often our card is sent in one session: a few times at once, and then a little less often than ``cards``
    /// allows. Of the cards that wait only the last is sent.
    static let ownCards = RateLimit(burst: 5, every: .milliseconds(1250))
    /// Changes of presence that are sent, and that are shown: people don't come and go more often, and of those that
    /// wait only the last counts.
    static let presenceChanges = RateLimit(burst: 5, every: .seconds(1))
    /// Our discovery keys in one session: they change when a friend is removed, and when we have taken the peer's.
    static let discoveryKeys = RateLimit(burst: 4, every: .milliseconds(1250))
    /// The same from the peer; each is a commit.
    static let discoveryKeysTaken = RateLimit(burst: 5, every: .seconds(1))
    /// Avatars that a friend is given in one session: one is asked for once.
    static let avatarAnswers = RateLimit(burst: 3, every: .seconds(10))
    /// Dials that a friend may ask for in one session: one look at one's own network needs one.
    static let reachAnswers = RateLimit(burst: 2, every: .seconds(10))
    /// Bytes of an address in the answer: the longest of IPv6 with interface and port has fewer.
    static let reachAddressBytes = 80
    /// How long an avatar that was asked for may take, on the slowest link that is of use.
    public static let avatarTime = Duration.seconds(30)
    /// Avatars that are asked for at once, of all friends: each is held in memory while it is looked at.
    public static let avatarFetches = 4
    /// Between two questions for avatars of one friend, at least; after a question that brought nothing it doubles, up to
    /// the longest.
    public static let avatarPause = (first: Duration.seconds(10), longest: Duration.seconds(3600))

    // MARK: Couriers

    /// Friends that an account names as its couriers.
    public static let couriers = 4
    /// Bytes of a mail note: a certificate, a key, four accounts and a signature have about 700.
    public static let mailNoteBytes = 2 * 1024
    /// Our mail note in one session, and the peer's: it changes each week, and when the user names a courier. Each of the
    /// peer's costs two signature checks.
    static let mailNotes = RateLimit(burst: 4, every: .milliseconds(1250))
    static let mailNotesTaken = RateLimit(burst: 5, every: .seconds(1))
    /// Days for which a parcel stays with a courier: a holiday, and less than ``mailKeyUse``.
    public static let parcelDays = 1...21
    /// How long after a mail note has come parcels are sealed to its key.
    public static let mailKeyUse = Duration.seconds(35 * 24 * 3600)
    /// When a device makes a new mail key, and when it forgets one: a week in which the note was given, the weeks in which
    /// parcels were sealed to it, the days that a courier keeps them, and a week to spare.
    public static let mailKeyRenewal = Duration.seconds(7 * 24 * 3600)
    public static let mailKeyLife = Duration.seconds(70 * 24 * 3600)
    /// Frames in a parcel: what somebody writes in a day.
    public static let parcelFrames = 256
    /// Devices for which a parcel is sealed: as many as a member of a group has.
    public static let parcelDevices = 16
    /// Bytes of a parcel's padded text, a power of two: half a frame leaves room for the wraps and for later fields.
    public static let parcelTextBytes = 1 << 10...512 << 10
    /// Bytes of a wrap: the text's key with the overhead of its seal.
    public static let parcelWrapBytes = NoiseSeal.overheadBytes + CryptoLimits.keyBytes
    /// Bytes of a sealed parcel: the text with its tag, sixteen wraps, and the heads around them.
    public static let sealedParcelBytes = 512 << 10 + 8 << 10
    /// News of parcels in one frame, frames that it says are stored, and frames that it says are refused.
    public static let parcelNews = 256
    public static let hadIDs = 512
    public static let hadRefusals = 64
    /// Sealed files that go with a parcel: as many as people send at once, at 150 bytes each. Files that one answer says
    /// are there.
    public static let parcelFiles = 16
    public static let hadFiles = 64

    // MARK: Session

    /// Frames sent and not answered by a receipt, at most. Keeps a link busy over a commit of some milliseconds.
    public static let windowFrames = 512
    /// A frame that needs a receipt is begun only while fewer bytes than this wait for theirs.
    public static let windowBytes = 1 << 20
    /// First and longest wait before a frame is sent again that was refused for a passing reason: a full disk is not
    /// emptied in a second, and a person who has emptied it doesn't want to wait for an hour.
    public static let firstRedelivery = Duration.seconds(5)
    public static let longestRedelivery = Duration.seconds(600)
    /// Frames of one account that wait for such another attempt: two windows.
    public static let delayedFrames = 2 * windowFrames
    /// How long "sent" waits to be written down, in case "delivered" comes: above the round trip of any local network and
    /// a commit, below what a person notices.
    public static let sentNoteDelay = Duration.milliseconds(40)
    /// Frames received and not committed yet beyond which a session stops reading: a peer that keeps to its window
    /// never gets there, even when it sends a window again on a new session.
    public static let backlogFrames = 2 * windowFrames
    /// The same in bytes; a window may overshoot by one frame.
    public static let backlogBytes = 4 * windowBytes
    /// The same from a stranger: there may be hundreds of them at once, and what they may say is short.
    public static let strangerBacklogBytes = 16 * strangerBodyBytes
    /// File statuses of one session that could not be stored, so that later statuses of their transfers have to wait: a
    /// window. Beyond that the order isn't kept.
    static let lateStatuses = windowFrames
    /// A ping is sent if no frame was sent, or none received, for this long.
    public static let pingInterval = Duration.seconds(3)
    /// A ping goes out so much earlier if the session is awake for another reason.
    static let pingLeeway = Duration.milliseconds(50)
    /// If no byte was received for this long, the peer counts as dead.
    public static let silenceLimit = Duration.seconds(9)
    /// A session with a peer that is not a friend ends if there was no frame but ping and pong for this long.
    public static let strangerIdleTime = Duration.seconds(10)
    /// From the first byte of a frame to its last: 1 MiB on the slowest link that is of use.
    public static let frameTime = Duration.seconds(30)
    /// If the receipt of a frame takes longer than this, the session is given up, so that a new one sends the frame
    /// again.
    public static let receiptTime = Duration.seconds(60)
    /// Age at which the side that dialled replaces a session by one with fresh keys.
    public static let renewalAge = Duration.seconds(3600)
    /// How long it waits to try again if that failed.
    public static let renewalRetry = Duration.seconds(60)
    /// How far a peer may overdraw its budget, in time until it is repaid: up to here reading pauses, beyond it the
    /// session is closed. Less than ``silenceLimit``, so that a pause doesn't look like death.
    public static let overdraft = Duration.seconds(4)
    /// The frames that a friend may send. This is far above what a disk commits: it only stops a daemon that has lost
    /// its mind.
    static let friendFrames = RateLimit(burst: 200_000, perSecond: 200_000)
    static let friendBytes = RateLimit(burst: 256 << 20, perSecond: 256 << 20)
    /// The frames that any other peer may send: two windows at once, for a peer that takes us for a friend and has much
    /// to say must get its refusals; then as much as asking and answering needs.
    static let strangerFrames = RateLimit(burst: 1024, perSecond: 50)
    static let strangerBytes = RateLimit(burst: 4 << 20, perSecond: 256 << 10)
    /// Contact requests of any other peer: for each the names of all friends may be compared, and people don't ask so
    /// often.
    static let strangerRequests = RateLimit(burst: 10, perSecond: 1)
    /// Cards from any peer: each costs two signature checks, and people change their names rarely.
    static let cards = RateLimit(burst: 10, perSecond: 1)

    // MARK: Groups: membership

    /// Entries of a membership graph. Every member has all of them, and each lives in memory.
    public static let groupEntries = 10_000
    /// The same including entries about leaving and removals. So a member who fills a group with entries can still be
    /// removed, even one who fills it with entries about leaving.
    public static let groupEntriesWithLeaves = 11_000
    public static let groupEntriesWithRemovals = 12_000
    /// Entries that a member who is neither admin nor owner makes, in the past of one that they make: for each device
    /// one, and some of later versions.
    public static let groupEntriesOfMember = 100
    /// Entries below each of these limits from which on our own users are refused: others may have more than we.
    public static let groupEntriesSpare = 500
    /// Entries that one entry follows directly. An author who knows more names these, and the others in the next entry.
    public static let groupParents = 16
    /// Chains for which an entry that adds a member names a first sequence: four devices a member.
    public static let groupFloors = 4 * SharedLimits.groupMembers
    /// Devices of one member: four of a person, and those that they have lost.
    public static let groupDevices = 16
    /// Bytes of a membership entry: 255 members with short names have 70 KB, and all of it fits into a frame.
    public static let membershipEntryBytes = 768 << 10
    /// Bytes of one that neither creates nor adds: certificate, parents and a name. A description takes 4 KB more.
    public static let membershipOtherBytes = 4 << 10
    public static let membershipDescribeBytes = 8 << 10
    /// Bytes that an entry may have beyond what its fields need, for keys of later versions: a few words, and a flag for each member
    /// that it names.
    public static let membershipReserveBytes = 1 << 10
    public static let membershipSeedReserveBytes = 64
    /// Bytes of the membership of a group, without removals and members who leave: 10,000 entries of the usual length
    /// take 5 MiB, and every member keeps all of it in memory.
    public static let groupMembershipBytes = 16 << 20
    /// Bytes below that from which on our own users are refused: others may have more than we.
    public static let groupBytesSpare = 1 << 20
    /// Bytes of the hash of an entry.
    public static let entryHashBytes = 32
    /// The last sequence of a chain; so that sums never run over.
    public static let logSequence: UInt64 = 1 << 62
    /// States of a group at earlier entries that are remembered: those at which messages of a few who were away were written.
    static let groupStates = 16
    /// How many rounds are spent on resolving entries that depend on each other in a circle, before removals win in the
    /// rest. People who quarrel need two or three. Each round costs at most as many bits as a group has pairs of
    /// entries.
    public static let groupJudgingRounds = 32
    /// ``GroupWork/cost`` after which a peer's batch takes up no more of a group: some 100 ms of one core. A group of a thousand changes
    /// whose members follow each other's entries costs a thousand in all.
    public static let groupWorkInBatch = 100_000
}
