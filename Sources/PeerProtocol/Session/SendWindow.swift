import Basics

/// Our outbox as one session sees it: the items on their way, and how far the outbox was read.
///
/// Items go out in the order of their sequence, each once. Those without a receipt when the session ends are sent
/// again by the next one, because the outbox still has them.
struct SendWindow: Sendable {
    /// A page of the outbox to be asked for.
    struct Request: Hashable {
        let after: Int64?
        let limit: Int
        let maximumBytes: Int
    }

    /// Bodies on their way, by id.
    private var inFlight: [UUIDv7: Int] = [:]
    private var bytesInFlight = 0
    /// Sequence of the last item that was sent or given up.
    private var cursor: Int64?
    private var isWaitingForPage = false
    /// The page that is waited for is not the first of the next reading.
    private var isRestarting = false
    /// Whether the outbox may hold items behind the cursor.
    private var mayHaveMore = true
    /// The last time that something went out on an empty window or a receipt came.
    private var lastProgress: Instant?

    /// Nothing on its way, nothing to come.
    var isIdle: Bool { inFlight.isEmpty && !isWaitingForPage && !mayHaveMore }

    var count: Int { inFlight.count }

    /// When the peer has owed us a receipt for too long; nil if it owes none.
    var deadline: Instant? {
        guard !inFlight.isEmpty, let lastProgress else { return nil }
        return lastProgress + PeerLimits.receiptTime
    }

    private var hasRoom: Bool {
        inFlight.count < PeerLimits.windowFrames && bytesInFlight < PeerLimits.windowBytes
    }

    /// The page to ask for now. Waits until half of the window is free, so that a busy session asks for hundreds at
    /// once and not for one after every receipt.
    mutating func nextRequest() -> Request? {
        guard mayHaveMore, !isWaitingForPage, inFlight.count <= PeerLimits.windowFrames / 2,
            bytesInFlight <= PeerLimits.windowBytes / 2
        else { return nil }
        isWaitingForPage = true
        mayHaveMore = false
        return Request(
            after: cursor, limit: PeerLimits.windowFrames - inFlight.count,
            maximumBytes: PeerLimits.windowBytes - bytesInFlight)
    }

    /// Takes a page. Returns the items to send, and those that can't be sent.
    mutating func accept(page items: [OutboxItem], hasMore: Bool, now: Instant) -> Batch {
        guard isWaitingForPage else { return Batch() }
        isWaitingForPage = false
        // A page without items that promises more would be asked for again and again.
        if hasMore, !items.isEmpty { mayHaveMore = true }
        let batch = fill(items, now: now)
        if isRestarting {
            isRestarting = false
            restart()
        }
        return batch
    }

    /// Items came back that the owner has not kept: they are read again, with all others that still wait.
    mutating func restart() {
        if isWaitingForPage { isRestarting = true } else { cursor = nil }
        mayHaveMore = true
    }

    /// Takes items that were just added, if nothing stands before them; else remembers to look.
    mutating func accept(appended items: [OutboxItem], now: Instant) -> Batch {
        guard !mayHaveMore, !isWaitingForPage, !items.isEmpty else {
            mayHaveMore = true
            return Batch()
        }
        return fill(items, now: now)
    }

    /// Takes items that were sent before and came back, whatever the cursor says, unless they are on their way. They
    /// may exceed the window, because they are few.
    mutating func accept(again items: [OutboxItem], now: Instant) -> Batch {
        var batch = Batch()
        if inFlight.isEmpty { lastProgress = now }
        for item in items where inFlight[item.id] == nil { add(item, to: &batch) }
        return batch
    }

    /// The peer has answered for these.
    mutating func settle(_ ids: [UUIDv7], now: Instant) {
        var hasProgress = false
        for id in ids {
            guard let bytes = inFlight.removeValue(forKey: id) else { continue }
            bytesInFlight -= bytes
            hasProgress = true
        }
        if hasProgress { lastProgress = now }
    }

    struct Batch {
        var items: [OutboxItem] = []
        /// Items that no peer would take, with the reason: they would block the others.
        var unsendable: [(id: UUIDv7, refusal: Refusal)] = []
    }

    private mutating func fill(_ items: [OutboxItem], now: Instant) -> Batch {
        var batch = Batch()
        if inFlight.isEmpty { lastProgress = now }
        for item in items {
            if let cursor, item.sequence <= cursor { continue }
            guard hasRoom else {
                mayHaveMore = true
                break
            }
            cursor = item.sequence
            if inFlight[item.id] == nil { add(item, to: &batch) }
        }
        return batch
    }

    private mutating func add(_ item: OutboxItem, to batch: inout Batch) {
        if item.body.count > PeerLimits.frameBodyBytes {
            batch.unsendable.append((item.id, Refusal(.tooLarge, detail: "frame")))
        } else if item.id == .zero {
            batch.unsendable.append((item.id, Refusal(.invalid, detail: "id")))
        } else {
            if let earlier = inFlight.updateValue(item.body.count, forKey: item.id) { bytesInFlight -= earlier }
            bytesInFlight += item.body.count
            batch.items.append(item)
        }
    }
}
