import Glibc

/// The bounds that the shells of this module keep, each with its unit and reason.
package enum TransferServiceLimits {
    // MARK: Files

    /// Old transfers and lists that one job removes, so that no other change waits for more than some milliseconds.
    static let removalsAtOnce = 200

    /// How long previews and the like may hold up the sending of one message. After that it is sent without them.
    static let previewTime = Duration.seconds(2)
    /// How often received files are looked at for their use: their age counts in days.
    static let fileLook = Duration.seconds(24 * 3600)

    // MARK: Transfers

    /// Nice value of the threads that move files: chat goes first, and a busy machine does not starve a transfer.
    static let transferNice: CInt = 2
    /// Bulk connections at the same time, in all and to one peer.
    static let activeTransfers = 16
    static let activeTransfersPerPeer = 4
    /// How many of these slots large transfers may have. The others are for small transfers, which then don't wait
    /// behind one that takes hours.
    static let largeTransfers = 12
    static let largeTransfersPerPeer = 3
    /// Bytes up to which a transfer is small.
    static let smallTransferBytes: Int64 = 16 << 20
    /// Transfers for which we remember what was sent: up to 24 bytes for each MiB.
    static let sentFiles = 64
    /// How long a sender waits for the receiver to dial before it dials itself.
    static let transferCall = Duration.seconds(5)
    /// How long a transfer with a part on the disk waits for a peer that we hear nothing of.
    static let partAge = Duration.seconds(30 * 24 * 3600)
    /// Received files whose age is checked together: some milliseconds of a disk.
    static let filesLookedAtOnce = 64
    /// Parts of ended transfers that one start removes; the others wait for the next start.
    package static let leftOverParts = 1000
    /// How long after the last transfer unused memory is given back to the system.
    static let trimPause = Duration.seconds(5)
    /// How often we check whether a full disk has room again.
    static let spaceLook = Duration.seconds(30)
    /// When a peer opens a new session, a connection that has been silent for this long is from before, and is ended.
    static let transferSilence = Duration.seconds(3)
    /// How long after the beginning of that session we look for silent connections: TCP tries again within a second,
    /// and its packets need a while.
    static let transferGrace = Duration.milliseconds(1500)
    /// The time over which a rate is measured, and the time after which it is first shown.
    static let rateWindow = Duration.seconds(5)
    static let rateBegin = Duration.milliseconds(300)
    /// The shortest time between two progress events of one transfer, and how often a transfer that stands still has
    /// one.
    static let progressPace = Duration.milliseconds(200)
    static let standstillPace = Duration.seconds(1)
    /// How long the threads of transfers may take to end when the daemon stops.
    static let transferStop = Duration.seconds(3)
    /// Lists of groups' files that stay in memory while they are not used: 32 bytes for each MiB of a file.
    static let sharedFiles = 8
    /// How often a fetch of a group's file looks for more members to ask.
    static let swarmLook = Duration.milliseconds(500)
    /// How long a member is left alone after its connection broke, and after it refused.
    static let swarmPause = (short: Duration.seconds(1), long: Duration.seconds(5))
    /// How often a peer may break the file protocol within `trespassTime` before its connections are closed. Each time
    /// costs a thread and the reading of a list. An honest client breaks it a few times at most, while somebody is
    /// still writing that client.
    static let trespasses = 16
    static let trespassTime = Duration.seconds(600)
    /// How many files of parcels a courier fetches at the same time, one from each depositor.
    static let parcelFilesFetched = 8
    /// How long one may take while other makers wait for their turn: a file of 64 MiB, at 1 MiB a second.
    static let parcelTurn = Duration.seconds(64)
    /// First and longest pause before such a file is asked for again: others wait less urgently than the user does.
    static let parcelFilePause = (first: Duration.seconds(1), longest: Duration.seconds(600))
    /// First and longest pause before an interrupted transfer tries again.
    static let transferRetry = (first: Duration.milliseconds(300), longest: Duration.seconds(30))
    /// How long an offer waits for a look at the disk where it would go; after that the user is asked.
    package static let destinationLook = Duration.seconds(2)
    /// How long NetworkManager may take to say whether the link is metered, and how long its answer is remembered.
    package static let meteredAnswer = Duration.seconds(1)
    package static let meteredMemory = Duration.seconds(10)
}
