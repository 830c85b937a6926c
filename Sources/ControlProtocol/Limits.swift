import Vocabulary

/// Every limit of the control interface, with its unit and its reason.
public enum ProtocolLimits {
    /// Bytes of one line, without its newline: larger than any honest request (a text is at most 64 KiB, a list of
    /// paths a few KiB), small enough that a broken client can't make the daemon swell.
    public static let lineBytes = 1 << 20

    /// Bytes of one line from the daemon that a client takes: pages end after 4 MiB; a batch of requests is
    /// answered in one line.
    public static let replyBytes = 64 << 20

    /// Nesting of one JSON text. The deepest object of the interface has five levels; the rest is space to grow.
    public static let jsonDepth = 64

    /// Requests in one batch array. Clients with more requests send several lines.
    public static let batchRequests = 1_000

    /// Bytes of a request's id if it is a string: it is kept until the reply is written.
    public static let requestIDBytes = 256

    /// Objects in one page of a list, however many a client asks for.
    public static let pageMaximum: Int64 = 500
    /// Accounts that one request puts into a roster, besides our own.
    public static let rosterAccounts = 1999
    /// Objects in one page of a list if the client doesn't say how many.
    public static let pageDefault: Int64 = 50

    /// Characters of a telephone number as a person writes it; at most 15 of them are digits.
    public static let phoneCharacters = 40
    /// Bytes of a passphrase in UTF-8: a long sentence in any script.
    public static let passphraseBytes = 1_024
    /// Backups that are kept in a folder, by `backup.rotate`: some years of daily ones.
    public static let keptBackups = 1_000
    /// The most days that a courier keeps a parcel: less than the time for which parcels are sealed to a mail key.
    public static let courierDays: Int64 = 21
    /// Bytes of the largest file that a user can let go by couriers: the hashes of its chunks take 32 KiB of a database.
    public static let courierFileBytes: Int64 = 1 << 30
    /// Bytes of a recovery code, as people write it: with spaces and line breaks.
    public static let recoveryCodeBytes = 1_024
    /// Characters of a safety number or of a link that holds one, as people write them.
    public static let safetyNumberCharacters = 512
    /// Characters of a word that means a person or group: a group's name with its sign, the longest there is.
    public static let nameWordCharacters = SharedLimits.groupNameCharacters + 1
    /// People and groups that are listed where a name may mean several.
    public static let nameCandidates = 20
    /// Pixels on one side of a picture that is looked through for codes: a code that a camera sees well has some 200.
    public static let codeSide: ClosedRange<Int64> = 1...512
    /// Bytes of such a picture in base64: a byte for each pixel.
    public static let codePictureBytes = (512 * 512 + 2) / 3 * 4
    /// Bytes of a code's text: no code holds more.
    public static let codeTextBytes = 8 << 10
    /// People and groups among which a mistyped name is looked for: twice the contacts of the largest office.
    public static let suggestedNames = 20_000
    /// Words of a name that a mistyped word is compared with, one by one.
    public static let suggestedWords = 8
    /// Characters of a command line that is shown again with another name in it: longer ones fill the terminal.
    public static let shownAgain = 200
    /// Characters of a text to search for.
    public static let queryCharacters = 256
    /// Characters of an invitation's text, and of its subject.
    public static let inviteCharacters = 2_000
    public static let subjectCharacters = 128
    /// Characters of the address of the package that invitations name.
    public static let packageAddressCharacters = 200
    /// Entries that are invited, or removed, at once.
    public static let invited = 100
    /// Bytes of an invitation as a link: every byte of the text may become three.
    public static let linkBytes = 64 << 10
    /// Characters of a command in a setting.
    public static let commandCharacters = 1_024
    /// Characters of a country's name or code.
    public static let countryCharacters = 64
    /// Days after which messages may be removed: a hundred years, which is for ever.
    public static let keepDays: Int64 = 36_500
    /// Bytes of one transfer, at most 4 TiB: as many as the protocol of files allows.
    public static let transferBytes: Int64 = 4 << 40
    /// File types in a list of them: more than any list that a person keeps.
    public static let fileTypes = 256
    /// Lines of `files.folders`.
    static let folderRules = 64
    /// Bytes of a file's extension; longer ones are no types.
    public static let fileTypeBytes = SharedLimits.fileTypeBytes
    /// Characters of a snippet of what was found, at most.
    public static let snippetCharacters = 160
    /// Bytes of a path, as Linux has it (PATH_MAX, with its NUL).
    public static let pathBytes = 4_095
    /// Bytes of a file's place in an uploaded folder: PATH_MAX.
    public static let uploadPathBytes = 4 << 10
    /// Small files that one request puts into an uploaded folder, and bytes of one of them in base64: the line has room for no more.
    public static let uploadPutFiles = 256
    public static let uploadPutBytes = 512 << 10
    /// Bytes of an idempotency key: a UUID in any notation, with some to spare.
    public static let sendKeyBytes = 128
    /// Characters of the name of an event consumer.
    public static let consumerCharacters = 64
    /// Characters of the name of an epoch of the event log: those of an id, and some to spare.
    public static let epochCharacters = 64
    /// Bytes of opaque positions, cursors and links, and of ids in any notation.
    public static let tokenBytes = 512
    /// Bytes of a session description of a browser, and lines of candidates in one request.
    public static let callDescriptionBytes = 32 << 10
    public static let callCandidateLines = 64
    /// Files in an offer of a device that speaks LocalSend.
    public static let guestItems = 1_000
    /// Characters of the folders before the name of such a file: they are offered in 1 KiB, and one that can't be kept has another
    /// name, which may be a little longer.
    public static let guestFolderCharacters = 1_100
    /// Characters of the PIN that such devices must say.
    public static let pinCharacters = 32
    /// Bytes of the words about a reason: a sentence, and a path within a folder.
    public static let wordsBytes = 4 << 10
    /// Characters that a client may call itself and its version by.
    public static let clientNameCharacters = 128

    /// Bytes of `sun_path` in a `sockaddr_un`, less the terminating NUL.
    public static let socketPathBytes = 107
}
