import Basics
import Reactor
import Store
import Threads

/// What every shell needs: the clocks, the store, the settings, the log, the counters, and the threads for work that blocks.
///
/// It has no logic of its own. A shell gets it by its initialiser, beside the few shells that it works with.
@ReactorActor package final class Environment {
    nonisolated package let clocks: any Clocks
    nonisolated package let store: Store
    nonisolated package let log: Logger
    nonisolated package let settings: Settings
    /// Commits what has happened, however often the disk refuses it.
    nonisolated package let commits: RetriedCommits
    nonisolated package let workers: Workers
    /// The path of the data directory.
    nonisolated package let directory: String
    nonisolated package let startedAt: Instant
    package var metrics = Metrics()
    /// Whose words are not taken now.
    package let putOff: PutOffBoard

    /// - Parameters:
    ///   - directory: the path of the data directory.
    ///   - settings: the values that the user has set, by key.
    ///   - hostSettings: the settings in this host's configuration.
    package init(
        store: Store, directory: String, settings: [String: String], hostSettings: [HostSettingRow] = [], log: Logger,
        clocks: any Clocks = SystemClocks()
    ) throws(ThreadError) {
        self.clocks = clocks
        putOff = PutOffBoard(clocks: clocks, log: log.labelled("intake"))
        self.store = store
        self.log = log
        self.directory = directory
        self.settings = Settings(store: store, stored: settings, host: hostSettings)
        commits = RetriedCommits(store: store, clocks: clocks, log: log)
        workers = try Workers()
        startedAt = clocks.now
    }
}

/// The threads for work that blocks, one for each kind of work, so that no kind waits for another.
package struct Workers: Sendable {
    /// Searches folders and writes keys.
    package let files: WorkerThread
    /// Looks up names, which may take seconds.
    package let lookups: WorkerThread
    /// Reads address books: a large one takes seconds.
    package let imports: WorkerThread
    /// Makes avatars, which a child process decodes.
    package let avatars: WorkerThread
    /// Opens files that a page shows, and tells their types.
    package let views: WorkerThread
    /// Makes thumbnails, which a child process decodes.
    package let thumbnails: WorkerThread
    /// Looks for codes in pictures, which a child process does.
    package let codes: WorkerThread
    /// Makes and synchronises the files of uploads, which a large file holds up for seconds.
    package let uploads: WorkerThread
    /// Reads and seals the files that couriers get, from whatever disk they are on.
    package let parcels: WorkerThread
    /// Runs commands that the user has set. Each may take half a minute.
    package let commands: WorkerThread

    init() throws(ThreadError) {
        files = try WorkerThread(name: "files")
        lookups = try WorkerThread(name: "lookups")
        imports = try WorkerThread(name: "imports")
        avatars = try WorkerThread(name: "avatars")
        views = try WorkerThread(name: "views")
        thumbnails = try WorkerThread(name: "thumbnails")
        codes = try WorkerThread(name: "codes")
        uploads = try WorkerThread(name: "uploads")
        parcels = try WorkerThread(name: "parcels")
        commands = try WorkerThread(name: "commands")
    }
}
