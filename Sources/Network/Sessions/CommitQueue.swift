import Messaging
import PeerProtocol

/// What one account has sent and that is not committed yet, in small pieces. Only a few at a time are given to the
/// store: it takes jobs in the order in which they come, and a peer that sends without a pause must not hold up all
/// others.
///
/// Order is kept even if a commit fails: nothing after the failed piece is given out until all pieces under way have
/// come back.
///
/// A value without I/O.
struct CommitQueue {
    /// Frames for one job.
    struct Piece {
        package fileprivate(set) var frames: [DurableFrame]
        package let destination: Destination
        /// The session that they came by: a number that the owner has chosen.
        package let source: Int
        /// Whether the piece is one frame of a piece that failed, so that this frame is to blame if it fails too.
        package fileprivate(set) var isAlone = false
    }

    /// What to do with a piece that was not committed.
    enum Failure {
        /// None of its frames will be tried again.
        case all
        /// One of its frames is to blame, and we don't know which: each is tried by itself.
        case one
        /// It failed because an earlier piece failed: it is tried again as it is.
        case earlier
    }

    private var pieces: [Piece] = []
    /// How many of them were given out already; these are empty.
    private var given = 0
    /// Pieces that were given out and have come back: they go before all others, one at a time.
    private var back: [Piece] = []
    /// Whether a piece has failed while others behind it are still under way.
    private var isHalted = false
    /// Whether the piece that is under way had come back.
    private var isRetrying = false
    /// Pieces given out and not finished.
    private(set) var underWay = 0

    var isEmpty: Bool { given == pieces.count && back.isEmpty }

    /// How many frames it holds in memory.
    var keptFrames: Int { (pieces + back).reduce(0) { $0 + $1.frames.count } }

    mutating func append(_ frames: [DurableFrame], destination: Destination, from source: Int = 0) {
        var rest = frames[...]
        // Frames that trickle in while others are on their way go together.
        if given < pieces.count, let last = pieces.last, last.destination == destination, last.source == source {
            let room = NetworkLimits.framesAtOnce - last.frames.count
            pieces[pieces.count - 1].frames += rest.prefix(room)
            rest = rest.dropFirst(room)
        }
        while !rest.isEmpty {
            pieces.append(
                Piece(frames: Array(rest.prefix(NetworkLimits.framesAtOnce)), destination: destination, source: source))
            rest = rest.dropFirst(NetworkLimits.framesAtOnce)
        }
    }

    /// Takes the next piece, if another one may be under way.
    /// - Parameter limit: how many may be.
    mutating func next(limit: Int = NetworkLimits.commitsAtOnce) -> Piece? {
        guard !isHalted else { return nil }
        guard back.isEmpty else {
            guard underWay == 0 else { return nil }
            underWay = 1
            isRetrying = true
            return back.removeFirst()
        }
        guard underWay < limit, given < pieces.count else { return nil }
        let piece = pieces[given]
        pieces[given].frames = []
        given += 1
        underWay += 1
        // Remove the pieces that were given out only now: moving what stays costs as much as removing saves.
        if given == pieces.count || given >= 64 && given * 2 >= pieces.count {
            pieces.removeFirst(given)
            given = 0
        }
        return piece
    }

    /// A piece that was given out is committed.
    mutating func finished() {
        underWay -= 1
        isRetrying = false
        if underWay == 0 { isHalted = false }
    }

    /// A piece that was given out was not committed. Such pieces come back in the order in which they were given out.
    mutating func failed(_ piece: Piece, _ failure: Failure) {
        isHalted = true
        var again: [Piece] = []
        switch failure {
        case .all: break
        case .earlier: again = [piece]
        case .one:
            for frame in piece.frames {
                again.append(
                    Piece(frames: [frame], destination: piece.destination, source: piece.source, isAlone: true))
            }
        }
        back.insert(contentsOf: again, at: isRetrying ? back.startIndex : back.endIndex)
        finished()
    }

    /// Drops what came over this session and was not given out yet.
    mutating func drop(_ source: Int) {
        pieces.removeFirst(given)
        given = 0
        pieces.removeAll { $0.source == source }
        back.removeAll { $0.source == source }
    }
}
