import Basics
import Reactor
import Store
import Transfer

/// Gives a member what is here of a group's file. Blocking, on the thread of the connection.
struct SpreadGiving: Sendable {
    private let board: SpreadBoard
    private let request: GatherRequest
    private let account: AccountID
    private let store: Store
    private let commits: StandingCommits
    private let boards: SpreadBoards
    private let log: Logger
    private let job: GiveJob

    init(
        _ request: GatherRequest, _ board: SpreadBoard, to account: AccountID, store: Store, commits: StandingCommits,
        roster: any GroupRoster,
        boards: SpreadBoards, log: Logger
    ) {
        self.request = request
        self.board = board
        self.account = account
        self.store = store
        self.commits = commits
        self.boards = boards
        self.log = log
        job = GiveJob(board) {
            // Removed, left, deleted or paused meanwhile: nothing more.
            (try? store.readAndWait { try TransferRecords.check(request, by: account, roster: roster, in: $0) }) != nil
        }
    }

    func cancel() { job.cancel() }

    func run(_ connection: BulkConnection) throws {
        defer { boards.leave(request.transfer) }
        let (board, id, account) = (board, request.transfer, account)
        guard try store.writeAndWait({ try TransferRecords.beginGiving(id, in: $0) }) else {
            return connection.reject(.busy, detail: "the transfer is paused")
        }
        let result = Result { try job.run(connection, request: request) }
        let isWhole = (try? result.get()) ?? false
        log.info(
            "a group's file was given",
            [
                ("id", "\(id)"), ("to", "\(account)"), ("whole", "\(isWhole)"),
                // To all of them so far, since its list was read.
                ("bytes", "\(board.bytesGiven)"),
            ])
        commits.commitLater(.given(id, account, isWhole: isWhole)) {
            try TransferRecords.gave(board, to: account, isWhole: isWhole, in: $0)
        }
        _ = try result.get()
    }
}
