/// The limits of the store, each with its unit and its reason.
public enum StoreLimits {
    /// Jobs in one commit. This bounds how long the first job of a burst waits for its answer.
    public static let jobsPerCommit = 1024
    /// Jobs that share one savepoint: so many that its cost of some microseconds doesn't matter, and so few that the
    /// pages that it keeps stay in memory (SQLite writes more than 64 KiB of them to a file).
    static let jobsPerSavepoint = 16
    /// Returns how long the next commit gathers jobs: 16 times as long as the last commit took, but at least 4 ms and
    /// at most 20 ms. On a quick disk a lone job after a burst hardly waits; on a slow disk the commit stays a small
    /// part of the work.
    public static func gathering(after last: Duration) -> Duration {
        min(max(last * 16, .milliseconds(4)), .milliseconds(20))
    }
    /// How long a job waits for other jobs to share its commit, if no user waits for it. Nobody notices so short a
    /// wait, and in a conversation of programs the next message comes sooner.
    static let patience: Duration = .milliseconds(1)
    /// How many rows a commit may change to be used for judging the disk (a message changes six), and the longest time
    /// that one commit counts for.
    static let rowsOfSmallCommit: Int64 = 24
    static let longestCommit: Duration = .milliseconds(50)
    /// Events in the log; beyond them the oldest go (CONTROL-API.md).
    public static let eventsKept: Int64 = 100_000
    /// Age of an event in the log; older ones go (CONTROL-API.md).
    public static let eventAge: Duration = .seconds(30 * 24 * 3600)
    /// Epochs of the event log that are remembered, one for each start: a client that was away for longer reads
    /// everything again.
    static let epochsKept: Int64 = 1024
    /// The greatest number that the clock can give to a start of the daemon, in seconds since 1970: that of the year
    /// 2096. Even if a clock is far ahead, numbers are left for more starts.
    static let leastIncarnation: Int64 = 4_000_000_000
    /// Named consumers whose cursor is remembered: far more than a user has programs. Beyond them, the consumer that was
    /// away the longest starts again.
    static let consumers: Int64 = 256
    /// New events between two rounds of pruning: small rounds never hold up a commit.
    static let eventsBetweenPrunes: Int64 = 256
    /// Events that one round of pruning removes at most: twice the inflow, so that a backlog shrinks.
    static let eventsPerPrune = 512
    /// How often the clock for the ages of rows is stored: with commits that change something anyway, and at least
    /// every hour without them. A crash loses no more than this much age.
    static let clockKeptWithChanges: Duration = .seconds(60)
    static let clockKeptAtLeast: Duration = .seconds(3600)
    /// Milliseconds that SQLite waits for another process's lock: only a backup tool could hold one, and briefly.
    public static let busyTimeout: Int32 = 5000
    /// How long what came unasked from an account counts, from the first byte on.
    public static let unaskedDay: Duration = .seconds(24 * 3600)
    /// Unasked bytes after which their counts are stored with a commit. A crash loses at most this many from the
    /// counts.
    static let unaskedUnkept: Int64 = 1 << 20
    /// Counts of what came unasked: more than a user has friends, and the mates of some full groups.
    static let unaskedCounts = 4096
    /// Pages (4 KiB each) in the write-ahead log at which the checkpointer starts copying, beside the writer.
    static let checkpointPages = 1000
    /// Pages in the log at which the writer itself stops and copies, so that the log doesn't grow for ever under
    /// constant load.
    static let forcedCheckpointPages = 16_384
    /// Bytes to which the log file is cut after it was copied whole.
    static let journalBytes = 16 << 20
    /// KiB of pages that the writing connection keeps: the hot right edges of all trees are a few hundred KiB.
    static let writerCacheKiB = 2048
    /// KiB of pages that each of the four reading connections keeps: pages of history come from the kernel's cache just as
    /// well.
    static let readerCacheKiB = 1024
    /// KiB of pages for the checkpointer, which copies pages and reads none of them again.
    static let checkpointerCacheKiB = 64
    /// Conversation numbers remembered per connection, to save a look-up per message.
    static let rememberedConversations = 4096
    /// Account and device numbers remembered per connection.
    static let rememberedKeys = 16_384
    /// Bytes of records kept in memory (docs/decisions/0010).
    public static let memoryCacheBytes = 4 << 20
    /// The part of the memory, as its inverse, that one item may take: it must not drive out all others.
    static let cacheShare = 8
    /// Changes remembered by the cache, so that a snapshot older than them can't bring back what they changed.
    static let rememberedChanges = 1024
    /// Bytes of assets on the disk: some thousand previews.
    public static let assetBytes: Int64 = 64 << 20
    /// Bytes of one asset: a preview has 32 KiB at most, and a picture of a person need not be larger than this.
    public static let oneAssetBytes = 256 << 10
    /// Uses of assets that are remembered until the next write.
    static let rememberedUses = 1024
    /// Reactions of one account to one message, those taken back included: more than a user means to give.
    public static let reactionsPerAccount: Int64 = 32
    /// How long the store remembers that a message was removed: a peer that sends it again does so within days.
    public static let traceAge: Duration = .seconds(90 * 24 * 3600)
    /// Edits and reactions of one account that wait for their messages. An honest peer sends the messages first and
    /// causes far fewer; beyond these numbers it is asked to send them again.
    static let earlyEdits: Int64 = 256
    static let earlyReactions: Int64 = 4096
    /// How long a received file that seems unused is watched before it counts as unused. With `relatime` the system
    /// doesn't write down a use within a day of the last one that it wrote down.
    public static let useSlack: Duration = .seconds(24 * 3600)
    /// After this time the store forgets which members of a group have received a message, and under which key a client
    /// sent it. By then no client asks, and in a group of 256 these rows are thirty times as large as the message.
    public static let detailAge: Duration = .seconds(90 * 24 * 3600)
    /// Messages that are thinned in one round: in a group of 256 these are 50,000 rows.
    static let thinnedAtOnce: Int64 = 200
    /// Pages (4 KiB each) that one round gives back to the file system: it moves a quarter of a megabyte at most.
    static let pagesGivenBack = 64
    /// Free pages that are kept for later rows: 4 MiB, or this part of the file as its inverse.
    static let freePagesKept: Int64 = 1024
    static let freeShareKept: Int64 = 8
    /// Rows that one search for messages to be removed by age may read beyond those that it returns.
    static let retentionLook = 5000
    /// Departures from groups that the store remembers, with how we left each: more groups than a user leaves in years.
    static let departures: Int64 = 4096
    /// Ids of removed messages that are forgotten in one round.
    static let tracesAtOnce: Int64 = 2000
    /// Rows in one page of a list, whatever the caller asks.
    public static let pageRows = 1000
    /// Up to how many unread mentions of a conversation, or of all, are counted.
    public static let mentions = 1000
    /// Up to how many pinned messages of a conversation are counted.
    public static let pins = 100
    /// The last messages of a conversation among which one from others is looked for, to count it as unread again. A user who has
    /// written more since then has surely seen it.
    static let unreadLook = 1000
    /// Words and phrases of one search; it ignores further ones. A query of 256 characters can't have more.
    static let searchTerms = 128
    /// Unicode scalars of a snippet: two lines of a narrow list.
    public static let snippetScalars = 160
    /// Unicode scalars before the first mark of a snippet that had to be cut.
    static let snippetLead = 40
    /// Beginnings of words that are remembered while a hit is looked for: a snippet can show these words before the
    /// hit.
    static let rememberedWords = 256
    /// How long one search may work: far longer than any search that users make.
    static let searchTime: Duration = .seconds(5)
    /// Steps of SQLite's machine between two looks at the clock: far less than a millisecond.
    static let stepsBetweenLooks: Int32 = 1000
    /// How often an upgrade of the database tells that it goes on.
    static let upgradeToldEvery: Duration = .seconds(1)
    /// Bytes of text after which one round of indexing ends, whatever its number of messages: a few dozen milliseconds
    /// of work.
    static let indexedBytes: Int64 = 256 << 10
    /// Bytes of one value or statement that SQLite accepts: far above the longest frame (1 MiB).
    static let valueBytes: Int32 = 8 << 20
    /// Bytes of one row with hashes of a group's file, which are 4,096 hashes: no other read or write waits long for
    /// it.
    public static let leafBytes = 128 << 10
    /// Chunks of a transfer in one row: 64 KiB of checksums.
    static let runChunks: Int64 = 4096
    /// Bytes of hashes or checksums that one commit writes or one read returns: this takes some milliseconds.
    public static let listBytesAtOnce = 8 << 20
    /// Bytes of the lists of finished transfers that have nothing more to do. Beyond them, the transfers that ended
    /// first lose their lists. 10,000 files of 5 MiB in a year take 3 MiB, so this limit is for folders of 100,000
    /// files (some 7 MiB each) and for files of terabytes (32 MiB each).
    public static let finishedListBytes: Int64 = 256 << 20
    /// Files left out of a transfer that are stored with path and detail; the others are stored with size and reason,
    /// or only counted.
    public static let shownProblems: Int64 = 1000
    /// Bytes of a body that is kept in the outbox itself; a longer one is kept beside it. If a row doesn't fit on one
    /// page (some 1,000 bytes), SQLite reads all of it each time it compares it with the place that it looks for, so
    /// half a megabyte for somebody who is away would make every search in the outbox slow.
    static let outboxBodyInRow = 768
    /// Entries of the address book that one profile is matched with: a family shares a number, but larger groups don't.
    static let addressOwners: Int64 = 16
    /// Places in the gaps of one table that a repair tries: enough for a hundred damaged pages, and a second of work.
    static let repairTries = 8000
    /// If the end of a table can't be read, a repair looks for more rows among so many row numbers after the last
    /// readable row: more than a page has rows.
    static let repairReach: Int64 = 512
    /// A text with so many zeros in a row is damaged: the zeros are a part of a page that was overwritten.
    static let repairZeros = 64
    /// How far a repair moves on from the greatest number of an event that it found, so that numbers of lost events are
    /// never given again.
    static let repairedEvents: Int64 = 1 << 32
    /// The same for the numbers of messages.
    static let repairedMessages: Int64 = 1 << 16
}
