import Basics
import PeerProtocol
import Vocabulary

/// Bounds of what peers and the user can make of the database in one transaction or in all.
package enum MessagingLimits {
    /// How long friends may be unknown here after the account was made again from its recovery code: people who see each
    /// other on a network once a month come back by themselves.
    package static let recovering = Duration.seconds(30 * 24 * 3600)
    /// Parcels kept for one recipient, of one depositor, and of a pair, and the parts of the bytes of all, as inverses:
    /// nobody fills a courier for others.
    package static let parcelsOfRecipient: (count: Int64, part: Int64) = (4096, 2)
    package static let parcelsOfDepositor: (count: Int64, part: Int64) = (2048, 4)
    package static let parcelsOfPair: (count: Int64, part: Int64) = (1024, 8)
    /// Bytes of a parcel that somebody may leave for an account that hasn't named this courier, but has left a parcel for
    /// them here: an answer to 256 frames, padded and sealed for sixteen devices, has fewer.
    package static let parcelAnswerBytes = 12 << 10
    /// Bytes of the files that go with one parcel, unless a single message has more: they are read while the parcel waits.
    package static let parcelFileBytes: Int64 = 64 << 20
    /// Parcels and files that go with parcels, in all: each deposit counts them.
    package static let parcels: Int64 = 16_384
    /// Answers to parcels, or news of them, that may wait for one account: what is more is not taken, or not told.
    package static let parcelWords: Int64 = 256
    /// How long the id of an opened parcel is remembered, and how many. A copy that comes later brings frames that are
    /// known.
    package static let parcelMemory = (time: Duration.seconds(35 * 24 * 3600), count: 16_384)
    /// Other members that hand on what was said in a group: once so many have it, no courier is needed.
    package static let parcelHolders = 2
    /// Rows that are looked at in one transaction when parcels are tidied up.
    package static let parcelsAtOnce = 256
    /// Membership graphs kept in memory. One of 256 members and a thousand changes takes a few megabytes.
    package static let keptGraphs = 32
    /// Floors of ourselves kept in memory, of all groups together: a megabyte or two.
    package static let keptFloors = 32_768
    /// Bytes of membership entries in one frame, unless one entry has more.
    package static let groupFrameBytes = 256 << 10
    /// Groups that are arriving: friends have told us a part of them, and we are not members yet.
    package static let arrivingGroups = 32
    /// Bytes of the membership of all groups that one friend has told us of: four full groups, or 256 of the usual
    /// length. For its conversation and rows, a group counts as at least so many bytes.
    package static let groupBytesOfFriend = 64 << 20
    package static let groupBytesAtLeast = 256 << 10
    /// Bytes of the membership of all arriving groups: one full group.
    package static let arrivingBytes = PeerLimits.groupMembershipBytes
    /// Groups that one friend alone has told us of and that neither the user nor another friend has taken part in,
    /// their present and former members, and the bytes of their memberships. More are put off (docs/decisions/0073). It
    /// is more than people found with somebody in a day: eight groups of 256.
    package static let unconfirmedGroups = 32
    package static let unconfirmedMembers = 2048
    package static let unconfirmedBytes = PeerLimits.groupMembershipBytes
    /// Signatures of a peer's membership entries that are checked in one turn: some 50 ms of one core.
    package static let signaturesAtOnce = 1000
    /// If fewer bytes are free, nothing is stored that adds to peers' words, unless `files.freeSpaceFloorBytes` is
    /// less. A user who keeps more than its default free does so for files.
    package static let peerSpaceReserve: UInt64 = 256 << 20
    /// The part of that reserve, as its inverse, that is kept for what the user writes and deletes.
    package static let ownPartOfReserve: UInt64 = 4
    /// Below the reserve, the part of what is left, as its inverse, that one account may fill within its day. After
    /// thirty friends who do so, an eighth is still free.
    package static let partOfRoom: UInt64 = 16
    /// Divisor: each stranger that a friend has brought into a group gets this part of the friend's daily allowance for strangers.
    package static let partOfStranger: Int64 = 4
    /// How many steps we follow from a member of a group to the member who added it, to find a friend.
    package static let stepsToSponsor = 16
    /// Bytes that a message or change takes besides its content: rows, their places in the trees, an event.
    package static let bytesOfRows: Int64 = 512
    /// Entries that get their place in a chain in one transaction: some milliseconds of signing, for as many as 256
    /// members.
    package static let draftsAtOnce = 32
    /// Requests from strangers that wait for an answer; more are refused until some are answered.
    package static let incomingRequests: Int64 = 1000
    /// Members of a roster that become friends in one commit. It takes some milliseconds, so messages go on.
    package static let rosterPortion = 100
    /// How far ahead of this host's clock a roster may be. One from further ahead was signed by a wrong clock, and
    /// everything that the signer signs until then would be refused.
    package static let rosterAhead = Duration.seconds(86_400)
    /// How many requests of one sort may wait for an answer. Beyond them, the source with the most loses its oldest. A
    /// person reads some dozens.
    package static func requestRoom(of asker: Asker) -> Int {
        switch asker {
        case .faraway: 400
        case .nearby: 400
        case .mate: 200
        }
    }
    /// Accounts of one source that wait for an answer or have become known within ``requestDay``. From so many on,
    /// further ones are put off: many people may sit behind one address, as on a terminal server.
    package static let requestsOfSource: Int64 = 100
    package static let requestDay = Duration.seconds(24 * 3600)
    /// How many accounts are remembered that have asked and are nothing to us (declined, withdrawn), so that we
    /// recognise their request if it is repeated.
    package static let rememberedStrangers = 1000
    /// With so many friends, a policy that accepts everyone leaves the decision to the user, because each friend is
    /// kept connected.
    package static let friendsUnasked: Int64 = 1000
    /// If so many files of one friend wait or come in, the user is asked about each further one.
    package static let unaskedPerPeer = 256
    /// The newest offers without an answer about which a peer is asked at a start: a peer seldom leaves more than these
    /// open.
    package static let offersAsked = 256
}
