import PeerProtocol

/// What one peer has sent and is not committed yet, in small pieces of which a few at a time are given to the store: it takes
/// jobs in the order of their coming, and a peer that sends without a pause must not stand in front of everybody else.
///
/// A value without I/O.
struct CommitQueue {
    /// Frames for one job.
    struct Piece {
        fileprivate(set) var frames: [DurableFrame]
        let place: ReceivingPlace
    }

    private var pieces: [Piece] = []
    /// Of them, those that were given out already; they are removed all at once.
    private var given = 0
    /// Pieces given out and not finished.
    private(set) var underWay = 0

    var isEmpty: Bool { given == pieces.count }

    mutating func append(_ frames: [DurableFrame], place: ReceivingPlace) {
        var rest = frames[...]
        // What comes in drops while others are on their way goes together.
        if given < pieces.count, let last = pieces.last, last.place == place {
            let room = DaemonLimits.framesAtOnce - last.frames.count
            pieces[pieces.count - 1].frames += rest.prefix(room)
            rest = rest.dropFirst(room)
        }
        while !rest.isEmpty {
            pieces.append(Piece(frames: Array(rest.prefix(DaemonLimits.framesAtOnce)), place: place))
            rest = rest.dropFirst(DaemonLimits.framesAtOnce)
        }
    }

    /// The next piece, if there may be another one.
    mutating func next() -> Piece? {
        guard underWay < DaemonLimits.commitsAtOnce, given < pieces.count else { return nil }
        let piece = pieces[given]
        given += 1
        underWay += 1
        if given == pieces.count {
            pieces.removeAll(keepingCapacity: pieces.count < 64)
            given = 0
        }
        return piece
    }

    /// One that was given out is committed, or has failed.
    mutating func finished() { underWay -= 1 }
}
