import Glibc

/// The bounds that the shells of this module keep, each with its unit and reason.
package enum JobLimits {
    // MARK: Files

    /// Old transfers and lists that one piece of work removes: no other change waits for more than some milliseconds.
    static let removalsAtOnce = 200

    /// How long sending may be held up by previews and the like of one message; then it goes without.
    static let previewTime = Duration.seconds(2)
    /// How often received files are looked at for their use: their age counts in days.
    static let fileLook = Duration.seconds(24 * 3600)

    // MARK: Transfers

    /// Nice value of the threads that move files: chat goes first, and a busy machine does not starve a transfer.
    static let transferNice: CInt = 2
    /// Bulk connections at the same time, in all and to one peer.
    static let activeTransfers = 16
    static let activeTransfersPerPeer = 4
    /// How many of them large transfers may have. The other slots are for small ones, which don't wait behind one that
    /// takes hours.
    static let largeTransfers = 12
    static let largeTransfersPerPeer = 3
    /// Bytes up to which a transfer is small.
    static let smallTransferBytes: Int64 = 16 << 20
    /// Transfers of which it is remembered what was sent: up to 24 bytes for each MiB.
    static let sentFiles = 64
    /// How long a sender waits for the receiver to dial before it dials itself.
    static let transferCall = Duration.seconds(5)
    /// How long a transfer with its part on the disk waits for a peer that is not heard of.
    static let partAge = Duration.seconds(30 * 24 * 3600)
    /// Received files that are looked at together for their age: some milliseconds of a disk.
    static let filesLookedAtOnce = 64
    /// Parts of ended transfers that are removed at a start; others wait for the next.
    package static let leftOverParts = 1000
    /// How long no transfer has run when memory that is not in use is given back to the system.
    static let trimPause = Duration.seconds(5)
    /// How often a full disk is looked at for room.
    static let spaceLook = Duration.seconds(30)
    /// A connection without a byte for this long does not outlive a new session of its peer: it is from before.
    static let transferSilence = Duration.seconds(3)
    /// How long after that session's beginning silence is looked for: TCP tries again within a second, and its packets
    /// need a while.
    static let transferGrace = Duration.milliseconds(1500)
    /// The time over which a rate is taken, and how soon it can be told.
    static let rateWindow = Duration.seconds(5)
    static let rateBegin = Duration.milliseconds(300)
    /// The least time between two events of one transfer's progress, and how often one that stands still has one.
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
    /// Violations of the protocol of files by one peer within that time, from which on its connections are closed. Each
    /// costs a thread and the reading of a list, and an honest client has a few at most, while its user works on it.
    static let trespasses = 16
    static let trespassTime = Duration.seconds(600)
    /// First and longest pause before an interrupted transfer tries again.
    static let transferRetry = (first: Duration.milliseconds(300), longest: Duration.seconds(30))
}
