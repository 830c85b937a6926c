import Basics
import CLinux
import PeerProtocol
import Reactor
import Store
import Threads
import Transfer
import Vocabulary

/// A transfer that is being worked on: prepared, dialled or moving bytes.
@ReactorActor final class RunningTransfer {
    /// Of a transfer that goes out, known once the peer has named it.
    var id: UUIDv7
    let peer: AccountID
    let direction: TransferDirection
    /// Its place in the queue; nil where the receiver has dialled, which takes none.
    let item: TransferQueue.Item?
    /// What it is at. Bytes move only in the last.
    enum Phase { case preparing, dialling, moving }
    var phase = Phase.preparing
    var call: BulkCall?
    /// Of a transfer that comes in: the sender has dialled by itself; this goes on over its connection.
    private(set) var offered: BulkConnection?
    private(set) var progress: TransferProgress?
    private(set) var gauge = RateGauge()
    /// When it last got on, or began to move.
    var lastSign: Instant?
    /// Over which it moves.
    private(set) weak var line: BulkConnection?
    /// When clients were last told, and what.
    var published: Instant?
    var shownRate: Int64 = 0
    var shownBytes: UInt64 = 0
    var hasNews: Bool { progress.map { $0.bytesShown != shownBytes } ?? false }
    private(set) var madeProgress = false
    private(set) var isCancelled = false
    /// What waits for the thread to let go.
    var onEnd: [@ReactorActor () -> Void] = []
    private var cancelJob: (@Sendable () -> Void)?

    init(_ item: TransferQueue.Item) {
        id = item.id
        peer = item.peer
        direction = item.direction
        self.item = item
    }

    /// Somebody dialled, and it is not known what for.
    init(id: UUIDv7, peer: AccountID) {
        self.id = id
        self.peer = peer
        direction = .outgoing
        item = nil
    }

    func report(_ new: TransferProgress, now: Instant) {
        if let old = progress, new.bytesDone > old.bytesDone { madeProgress = true }
        if progress?.bytesShown != new.bytesShown { lastSign = now }
        progress = new
        gauge.note(new.bytesShown, now: now)
    }

    /// The sender has dialled: what we have under way, it knows to be dead or in vain.
    /// - Returns: false if it is not taken: bytes are moving, and each call would have us look through the part again.
    func take(_ connection: BulkConnection, now: Instant) -> Bool {
        if phase == .moving, !isSilent(now: now) { return false }
        offered = connection
        switch phase {
        case .preparing: break
        case .dialling: call?.connection?.end(.closed)
        case .moving: interrupt()
        }
        return true
    }

    /// Bytes move from now on, over this.
    func moves(over line: BulkConnection, now: Instant) {
        phase = .moving
        lastSign = now
        self.line = line
    }

    /// Whether nothing gets on, and nothing is heard from the other side. Its kernel's acknowledgements count: on a slow link
    /// little else is.
    func isSilent(now: Instant) -> Bool {
        if let lastSign, now - lastSign < DaemonLimits.transferSilence { return false }
        return line?.silence.map { $0 >= DaemonLimits.transferSilence } ?? true
    }

    func takeOffered() -> BulkConnection? {
        defer { offered = nil }
        return offered
    }

    /// Ends the connection; it goes on over another.
    func interrupt() { cancelJob?() }

    /// From now on ``cancel()`` stops this too.
    func isReady(_ cancel: @escaping @Sendable () -> Void) {
        cancelJob = cancel
        if isCancelled { cancel() }
    }

    func cancel() {
        isCancelled = true
        call?.connection?.end(.closed)
        cancelJob?()
    }

    /// Runs a blocking piece of the work on a thread of its own and goes on with its result on the reactor.
    func onThread<Value: Sendable>(
        _ body: @escaping @Sendable () throws -> Value,
        then next: @escaping @Sendable @ReactorActor (Result<Value, TransferFailure>) -> Void
    ) {
        do {
            _ = try PlatformThread.spawn(name: direction == .incoming ? "receive" : "send") {
                // Who talks goes first, also where a transfer could use all cores.
                kibo_thread_give_way(DaemonLimits.transferNice)
                let result: Result<Value, TransferFailure>
                do {
                    result = .success(try body())
                } catch let failure as TransferFailure {
                    result = .failure(failure)
                } catch {
                    result = .failure(.journal("\(error)"))
                }
                Reactor.shared.post { next(result) }
            }
        } catch {
            next(.failure(.interrupted("\(error)")))
        }
    }
}

/// A bulk connection being dialled.
@ReactorActor final class BulkCall: PeerConnectionOwner {
    var connection: PeerConnection?
    private let peer: AccountID
    private let then: @ReactorActor (Result<BulkConnection, TransferFailure>) -> Void

    init(peer: AccountID, then: @escaping @ReactorActor (Result<BulkConnection, TransferFailure>) -> Void) {
        self.peer = peer
        self.then = then
    }

    func connection(_ connection: PeerConnection, established peer: PeerIdentity, purpose: ChannelPurpose) {
        guard peer.account == self.peer, let bulk = connection.detachBulk() else {
            connection.end(.closed)
            then(.failure(.interrupted("somebody else answered, or the connection broke")))
            return
        }
        then(.success(bulk))
    }

    func connection(_ connection: PeerConnection, endedBeforeEstablished failure: ConnectionFailure) {
        then(.failure(.interrupted(failure.text)))
    }
}
