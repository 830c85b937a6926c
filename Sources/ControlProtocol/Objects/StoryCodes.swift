/// An event in the life of a message or of its files: a step of `message.why`.
public enum StoryStep: String, Hashable, Sendable, CaseIterable {
    case written
    case writtenHere = "written_here"
    case arrived
    case changed
    case handedOver = "handed_over"
    case notTaken = "not_taken"
    case stored
    case read
    case notSentBlocked = "not_sent_blocked"
    case refused
    case fileTaken = "file_taken"
    case fileTakenHere = "file_taken_here"
    case fileDelivered = "file_delivered"
    case fileHere = "file_here"
    case fileDeclined = "file_declined"
    case fileCancelled = "file_cancelled"
    case fileFailed = "file_failed"
    case fileRemoved = "file_removed"

    /// Its meaning. A word in backticks is one of its parameters.
    public var doc: String {
        switch self {
        case .written: "`name` wrote it, by their clock"
        case .writtenHere: "it was written and stored here"
        case .arrived: "it arrived and was stored here"
        case .changed: "its text was changed"
        case .handedOver: "it was handed to the connection with `name`"
        case .notTaken: "the side of `name` could not take it: `reason`, `detail`, after `attempts`"
        case .stored: "it is on the disk of `name`"
        case .read: "`name` read it"
        case .notSentBlocked: "it was not sent to `name`, who was blocked"
        case .refused: "the side of `name` refused it: `reason`, `detail`"
        case .fileTaken: "`name` took `file`"
        case .fileTakenHere: "`file` was taken here"
        case .fileDelivered: "`file` is with `name`, but for `leftOut` files"
        case .fileHere: "`file` is here, but for `leftOut` files"
        case .fileDeclined: "`name`, or this side, declined `file`: `reason`, `detail`"
        case .fileCancelled: "`file` was cancelled"
        case .fileFailed: "`file` failed: `reason`, `detail`"
        case .fileRemoved: "`file` was removed here for its age"
        }
    }
}

/// How a message and what it carries stand: a sentence of `message.why`.
public enum StoryState: String, Hashable, Sendable, CaseIterable {
    case deletedForAll = "deleted_for_all"
    case deletedByAuthor = "deleted_by_author"
    case unread
    case readHere = "read_here"
    case forNobody = "for_nobody"
    case changeWaits = "change_waits"
    case readBy = "read_by"
    case delivered
    case isBlocked = "is_blocked"
    case wasBlocked = "was_blocked"
    case failed
    case nothingMore = "nothing_more"
    case noFriend = "no_friend"
    case handingOver = "handing_over"
    case notTaken = "not_taken"
    case waits
    case tried
    case trying
    case nextTry = "next_try"
    case goesWhenHeard = "goes_when_heard"
    case fileOffered = "file_offered"
    case fileAwaitsAnswer = "file_awaits_answer"
    case fileQueued = "file_queued"
    case fileUnderWay = "file_under_way"
    case filePaused = "file_paused"
    case fileDelivered = "file_delivered"
    case fileHere = "file_here"
    case fileDeclined = "file_declined"
    case fileCancelled = "file_cancelled"
    case fileFailed = "file_failed"

    /// Its meaning. A word in backticks is one of its parameters.
    public var doc: String {
        switch self {
        case .deletedForAll: "it was deleted for all"
        case .deletedByAuthor: "`name` deleted it for all"
        case .unread: "it is here and unread"
        case .readHere: "it is here and was read"
        case .forNobody: "it is for nobody"
        case .changeWaits: "a change of it waits to be told"
        case .readBy: "`name` has read it"
        case .delivered: "`name` has it"
        case .isBlocked: "it is not sent to `name`, who is blocked"
        case .wasBlocked: "it was not sent to `name`, who was blocked; it can be sent again"
        case .failed: "it has failed at `name`: `reason`, `detail`; it can be sent again"
        case .nothingMore: "nothing more is done about it for `name`"
        case .noFriend: "it waits, since `name` is no friend any more"
        case .handingOver: "`name` is connected, and it is being handed over"
        case .notTaken: "`name` is connected and could not take it: `reason`, `detail`; it is tried again"
        case .waits: "it, or its `deletion`, waits for `name`, who was last seen `at`"
        case .tried: "`address` was tried `at`: `detail`"
        case .trying: "`address` is being tried"
        case .nextTry: "the next try comes `at`, or as soon as `name` is heard"
        case .goesWhenHeard: "it goes out as soon as `name` is heard"
        case .fileOffered: "`file` waits until `name` takes or declines it"
        case .fileAwaitsAnswer: "`file`, of the `transfer`, waits to be taken or declined here"
        case .fileQueued: "`file` waits for its turn, or for `name` to be reached"
        case .fileUnderWay: "`file` is on its way: `done` of `size` bytes"
        case .filePaused: "`file` stands at `done` of `size` bytes, paused `by` us, peer or both, or for `detail`"
        case .fileDelivered: "`file` is with `name`, but for `leftOut` files"
        case .fileHere: "`file` is here, but for `leftOut` files"
        case .fileDeclined: "`name`, or this side, declined `file`: `reason`, `detail`"
        case .fileCancelled: "`file` was cancelled"
        case .fileFailed: "`file` failed: `reason`, `detail`"
        }
    }
}
