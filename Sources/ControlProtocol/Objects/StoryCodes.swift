import Vocabulary

/// An event in the life of a message or of its files: a step of `message.why`.
public enum StoryStep: CodeRow, ContractCode {
    case written = "written: `name` wrote it, by their clock"
    case writtenHere = "written_here: it was written and stored here"
    case arrived = "arrived: it arrived and was stored here"
    case changed = "changed: its text was changed"
    case handedOver = "handed_over: it was handed to the connection with `name`"
    case deposited = "deposited: it was left with `courier`, sealed, to be kept for `name`"
    case notTaken = "not_taken: the side of `name` could not take it: `reason`, `detail`, after `attempts`"
    case brought = "brought: a courier brought it to `name`; `courier`, if known"
    case stored = "stored: it is on the disk of `name`"
    case read = "read: `name` read it"
    case notSentBlocked = "not_sent_blocked: it was not sent to `name`, who was blocked"
    case refused = "refused: the side of `name` refused it: `reason`, `detail`"
    case fileTaken = "file_taken: `name` took `file`"
    case fileTakenHere = "file_taken_here: `file` was taken here"
    case fileDelivered = "file_delivered: `file` is with `name`, except for `leftOut` files"
    case fileHere = "file_here: `file` is here, except for `leftOut` files"
    case fileDeclined = "file_declined: `name`, or this side, declined `file`: `reason`, `detail`"
    case fileCancelled =
        "file_cancelled: `file` was cancelled, `by` us or peer, which is `name`; or for `reason`, `detail`"
    case fileFailed = "file_failed: `file` failed: `reason`, `detail`"
    case fileRemoved = "file_removed: `file` was removed here for its age"
}

/// How a message and what it carries stand: a sentence of `message.why`.
public enum StoryState: CodeRow, ContractCode {
    case deletedForAll = "deleted_for_all: it was deleted for all"
    case deletedByAuthor = "deleted_by_author: `name` deleted it for all"
    case unread = "unread: it is here and unread"
    case readHere = "read_here: it is here and was read"
    case forNobody = "for_nobody: it is for nobody"
    case kept = "kept: it is a note to oneself, and kept here"
    case changeWaits = "change_waits: a change to it is waiting to be sent"
    case readBy = "read_by: `name` has read it"
    case delivered = "delivered: `name` has it"
    case isBlocked = "is_blocked: it is not sent to `name`, who is blocked"
    case wasBlocked = "was_blocked: it was not sent to `name`, who was blocked; it can be sent again"
    case failed = "failed: it has failed at `name`: `reason`, `detail`; it can be sent again"
    case nothingMore = "nothing_more: nothing more is done about it for `name`"
    case noFriend = "no_friend: it waits, since `name` is no longer a friend"
    case handingOver = "handing_over: `name` is connected, and it is being handed over"
    case notTaken = "not_taken: `name` is connected and could not take it: `reason`, `detail`; it is tried again"
    case waits = "waits: it, or its `deletion`, waits for `name`, who was last seen `at`"
    case held = "held: `courier` keeps it for `name` until `until`"
    case broughtOver = "brought_over: `courier` says that `name` has it; the answer of `name` is not here yet"
    case courierFull = "courier_full: `courier`, who keeps messages for `name`, has no room for it"
    case goesToCourier = "goes_to_courier: `courier` gets it, to keep it for `name`, unless `name` is back first"
    case couriersAway = "couriers_away: the `couriers` who keep messages for `name` are away, too"
    case couriersGivenUp =
        "couriers_given_up: couriers of `name` have lost it several times; only the way to `name` is left"
    case couriersRefuse = "couriers_refuse: `name` has named `couriers`, who keep nothing for others"
    case couriersUnknown =
        "couriers_unknown: `name` has named `couriers`, who haven't said whether they keep anything"
    case noCourier = "no_courier: `name` has named nobody who is a friend of this account and keeps messages"
    case fileHeld = "file_held: the `couriers` have all of the `files`, too, and keep them for `name`"
    case fileGoesToCourier =
        "file_goes_to_courier: the `couriers` have not got all of the `files` yet, and fetch them while both are here"
    case fileWaitsForBoth =
        "file_waits_for_both: the `files` can't be left with couriers (folders, too large, or unreadable) and wait for `name`"
    case tried = "tried: `address` was tried `at`: `problem`, `detail`"
    case trying = "trying: `address` is being tried"
    case nextTry = "next_try: the next try comes `at`, or as soon as `name` is heard"
    case goesWhenHeard = "goes_when_heard: it goes out as soon as `name` is heard"
    case fileOffered = "file_offered: `file` waits until `name` takes or declines it"
    case fileAwaitsAnswer = "file_awaits_answer: `file`, of the `transfer`, waits to be taken or declined here"
    case fileHeldBack =
        "file_held_back: `file` is held back by `name`, because of its `types`, until `name` takes it anyway or declines it"
    case fileHeldBackHere =
        "file_held_back_here: `file`, of the `transfer`, is held back here because of its `types`, until it is taken anyway or declined"
    case fileQueued = "file_queued: `file` waits for its turn, or for `name` to be reached"
    case fileUnderWay = "file_under_way: `file` is on its way: `done` of `size` bytes"
    case filePaused =
        "file_paused: `file` has stopped at `done` of `size` bytes, paused `by` us, peer or both, or for `detail`"
    case fileDelivered = "file_delivered: `file` is with `name`, except for `leftOut` files"
    case fileHere = "file_here: `file` is here, except for `leftOut` files"
    case fileDeclined = "file_declined: `name`, or this side, declined `file`: `reason`, `detail`"
    case fileCancelled =
        "file_cancelled: `file` was cancelled, `by` us or peer, which is `name`; or for `reason`, `detail`"
    case fileFailed = "file_failed: `file` failed: `reason`, `detail`"
}
