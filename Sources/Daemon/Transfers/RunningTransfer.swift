import Basics
import PeerProtocol
import Reactor
import Store
import Threads
import Transfer

/// A transfer that is being worked on: prepared, dialled or moving bytes.
@ReactorActor final class RunningTransfer {
    /// Of a transfer that goes out, known once the peer has named it.
    var id: UUIDv7
    let peer: AccountID
    let direction: TransferRow.Direction
    /// How long to wait before the next attempt if this one brings nothing.
    let pause: Duration
    var call: BulkCall?
    /// Of a transfer that comes in, once it is prepared.
    var job: ReceiveJob?
    private(set) var progress: TransferProgress?
    private(set) var madeProgress = false
    private(set) var isCancelled = false
    /// What waits for the thread to let go.
    var onEnd: [@ReactorActor () -> Void] = []
    private var cancelJob: (@Sendable () -> Void)?

    init(id: UUIDv7, peer: AccountID, direction: TransferRow.Direction, pause: Duration) {
        self.id = id
        self.peer = peer
        self.direction = direction
        self.pause = pause
    }

    func report(_ new: TransferProgress) {
        if let old = progress, new.bytesDone > old.bytesDone { madeProgress = true }
        progress = new
    }

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
