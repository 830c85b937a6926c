import Basics
import LocalSend

/// The limits of what devices that are no peers bring about here.
enum GuestLimits {
    /// Offers that are over and still listed, and for how long.
    static let ended = 16
    static let endedLife = Duration.seconds(600)
    /// Numbers of offers and files that each start of the bridge has for itself.
    static let numbersOfRun = 1_000_000_000
    /// How deeply nested folders are made for a file. A file that was deeper goes into the last of these.
    static let folders = 16
    /// Folders that are made for the files of an offer. Beyond that, a file adds at most its outermost folder.
    static let foldersOfOffer = 1_000
    /// Ports that are tried, from the usual one on.
    static let ports: UInt16 = 10
    /// Before the bridge is started again that was told to end: addresses often change by several at once.
    static let restartPause = Duration.milliseconds(200)
    /// Pauses before the bridge is started again after it has ended by itself; they double.
    static let firstPause = Duration.seconds(1)
    static let longestPause = Duration.seconds(60)
    /// Between two events that something has changed.
    static let changePause = Duration.milliseconds(200)
    /// Connections that a giver may have beyond one for each file.
    static let spareDials = 4
    /// Until a device must have taken a connection.
    static let dialTime = Duration.seconds(10)
    /// Addresses that a scan asks at the same time, and devices among them that it talks with.
    static let scanAtOnce = 64
    static let scanTalks = 8
    /// Until somebody at an address must have taken a connection, and until a scan is over whatever happens.
    static let scanDialTime = Duration.seconds(2)
    static let scanTime = Duration.seconds(60)
    /// Until the process that talks with a device must have ended.
    static let talkTime = Duration.seconds(LocalSendLimits.greetSeconds + 2)
    /// Until the list of devices has those that a scan has found.
    static let listPause = Duration.milliseconds(500)
    /// How long a giver has for telling the device that nothing more comes.
    static let stopTime = Duration.seconds(8)
    /// How long an examination waits for our own announcement, which comes back at once or not at all; for devices to answer it, which
    /// takes most of them less than a second; and between two looks.
    static let echoTime = Duration.seconds(3)
    static let answerTime = Duration.seconds(4)
    static let lookPause = Duration.milliseconds(50)
    /// Bytes of the file with the certificate and its key.
    static let identityBytes = 16 << 10
}
