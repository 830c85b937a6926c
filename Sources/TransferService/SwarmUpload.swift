import Basics
import Messaging
import Runtime
import Store
import Transfer

/// Gives a member what is here of a group's file, or a friend a file that goes with a parcel. Blocking, on the thread of the
/// connection.
struct SwarmUpload: Sendable {
    private let sharedFile: SharedFile
    private let request: PieceRequest
    private let account: AccountID
    private let store: Store
    private let commits: RetriedCommits
    private let sharedFiles: SharedFiles
    private let log: Logger
    private let job: SwarmUploader

    init(
        _ request: PieceRequest, _ sharedFile: SharedFile, to account: AccountID, store: Store,
        commits: RetriedCommits,
        members: any GroupMembership, parcels: String,
        sharedFiles: SharedFiles, log: Logger
    ) {
        self.request = request
        self.sharedFile = sharedFile
        self.account = account
        self.store = store
        self.commits = commits
        self.sharedFiles = sharedFiles
        self.log = log
        job = SwarmUploader(sharedFile) {
            // The file may have been removed or paused meanwhile, or its group left or deleted: then nothing more is
            // given.
            (try? store.readAndWait {
                try PieceRight(request, by: account, members: members, parcels: parcels, in: $0)
            }) != nil
        }
    }

    func cancel() { job.cancel() }

    func run(_ connection: BulkConnection) throws {
        defer { sharedFiles.leave(sharedFile.transfer) }
        let (sharedFile, id, account) = (sharedFile, sharedFile.transfer, account)
        guard try store.commitAndWait({ try TransferRecords.beginUpload(id, in: $0) }) else {
            return connection.reject(.busy, detail: "the transfer is paused")
        }
        let result = Result { try job.run(connection, request: request) }
        let isWhole = (try? result.get()) ?? false
        log.info(
            "a file was given in pieces",
            [
                ("id", "\(id)"), ("to", "\(account)"), ("whole", "\(isWhole)"),
                // The bytes given to all members so far, since the file's list was read.
                ("bytes", "\(sharedFile.bytesGiven)"),
            ])
        commits.commitLater(.given(id, account, isWhole: isWhole)) {
            try TransferRecords.gave(sharedFile, to: account, isWhole: isWhole, in: $0)
        }
        _ = try result.get()
    }
}
