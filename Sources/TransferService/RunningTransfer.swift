import Basics
import CLinux
import Network
import PeerProtocol
import Reactor
import Runtime
import Threads
import Transfer
import Vocabulary

/// A transfer that is being worked on: prepared, dialled or moving bytes.
@ReactorActor package final class RunningTransfer {
    /// For a transfer that goes out, it is known once the peer has named it.
    package var id: UUIDv7
    package let peer: AccountID
    package let direction: TransferDirection
    /// Its item in the queue; nil if the receiver has dialled, which needs no item.
    package let item: TransferQueue.Item?
    /// How far the work is. Bytes move only in the last phase.
    package enum Phase { case preparing, dialling, moving }
    package var phase = Phase.preparing
    package var call: BulkDial?
    /// The courier from which it is fetched while its sender is away.
    var courier: AccountID?
    /// For a transfer that comes in: the connection that the sender has dialled by itself; the transfer goes on over
    /// it.
    package private(set) var offered: BulkConnection?
    package private(set) var progress: TransferProgress?
    package private(set) var gauge = RateGauge()
    /// When the transfer last made progress, or began to move.
    package var lastSign: Instant?
    /// The connection over which it moves.
    package private(set) weak var line: BulkConnection?
    /// When clients were last told of it.
    var published: Instant?
    var shownRate: Int64 = 0
    var shownBytes: UInt64 = 0
    package var hasNews: Bool { progress.map { $0.bytesShown != shownBytes } ?? false }
    private(set) var madeProgress = false
    package private(set) var isCancelled = false
    /// Whether it is to end because somebody who has fewer connections here needs its place.
    private(set) var givesWay = false
    /// Actions that wait for the thread to let go.
    var onEnd: [@ReactorActor () -> Void] = []
    private var cancelJob: (@Sendable () -> Void)?

    package init(_ item: TransferQueue.Item) {
        id = item.id
        peer = item.peer
        direction = item.direction
        self.item = item
    }

    /// Makes a transfer without an item: for a peer that dialled and has not said yet what for, or for what isn't ours.
    package init(id: UUIDv7, peer: AccountID, direction: TransferDirection = .outgoing) {
        self.id = id
        self.peer = peer
        self.direction = direction
        item = nil
    }

    package func report(_ new: TransferProgress, now: Instant) {
        if let old = progress, new.bytesDone > old.bytesDone { madeProgress = true }
        if progress?.bytesShown != new.bytesShown { lastSign = now }
        progress = new
        gauge.note(new.bytesShown, now: now)
    }

    /// Takes the connection of a sender that has dialled: the sender knows that what we have under way is dead or in
    /// vain, and need not wait for a courier, which may be slow on purpose.
    /// - Returns: false if the connection is not taken because bytes of the sender's are moving: otherwise each call would
    ///   make us check the part again.
    package func accept(_ connection: BulkConnection, now: Instant) -> Bool {
        if isComing(now: now) { return false }
        offered = connection
        switch phase {
        case .preparing: break
        case .dialling: call?.connection?.end(.closed)
        case .moving: interrupt()
        }
        return true
    }

    /// Whether bytes come from the sender itself.
    func isComing(now: Instant) -> Bool { phase == .moving && courier == nil && !isSilent(now: now) }

    /// Bytes move over this connection from now on.
    func moves(over line: BulkConnection, now: Instant) {
        phase = .moving
        lastSign = now
        self.line = line
    }

    /// Whether the transfer stands still and we hear nothing from the other side. The acknowledgements of its kernel
    /// count as a sign: on a slow link there is little else.
    func isSilent(now: Instant) -> Bool {
        if let lastSign, now - lastSign < TransferServiceLimits.transferSilence { return false }
        return line?.silence.map { $0 >= TransferServiceLimits.transferSilence } ?? true
    }

    func detachOffered() -> BulkConnection? {
        defer { offered = nil }
        return offered
    }

    /// Ends the connection; the transfer goes on over another.
    package func interrupt() { cancelJob?() }

    /// Ends the connection, now or as soon as there is something to end.
    func giveWay() {
        givesWay = true
        interrupt()
    }

    /// Sets what ``cancel()``, ``giveWay()`` and ``interrupt()`` stop from now on.
    package func isReady(_ cancel: @escaping @Sendable () -> Void) {
        cancelJob = cancel
        if isCancelled || givesWay { cancel() }
    }

    /// Call when the thread has let go. Releases the job, which holds the transfer to report to it; otherwise neither
    /// would be freed.
    package func letGo() {
        cancelJob = nil
        for body in onEnd { body() }
        onEnd = []
    }

    package func cancel() {
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
                // Chat goes first, also where a transfer could use all cores.
                kibo_thread_give_way(TransferServiceLimits.transferNice)
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

extension RunningTransfer {
    /// Fetches a file from the only source that is asked for it.
    /// - Parameter next: gets how the job has ended, and how the source has. Where the source has ended before the file was
    ///   whole, the job was cancelled: nobody else gives what it lacks.
    func fetch(
        _ job: SwarmDownload, from connection: BulkConnection,
        then next: @escaping @Sendable @ReactorActor (Result<Void, TransferFailure>, SourceEnd) -> Void
    ) {
        let source = Answer<SourceEnd>()
        onThread {
            let end = job.fetch(from: connection, isAuthor: false)
            if end != .complete { job.cancel() }
            source.give(.success(end))
        } then: { result in
            guard case .failure(let failure) = result else { return }
            connection.cancel()
            job.cancel()
            source.give(.success(.ended(failure)))
        }
        onThread { () -> (Result<Void, TransferFailure>, SourceEnd) in
            let result: Result<Void, TransferFailure>
            do throws(TransferFailure) {
                _ = try job.run()
                result = .success(())
            } catch { result = .failure(error) }
            return (result, try source.wait().get())
        } then: { result in
            switch result {
            case .failure(let failure): next(.failure(failure), .ended(failure))
            case .success((let result, let end)): next(result, end)
            }
        }
    }
}

/// A bulk connection being dialled.
@ReactorActor package final class BulkDial: PeerConnectionOwner {
    package var connection: PeerConnection?
    private let peer: AccountID
    private let then: @ReactorActor (Result<BulkConnection, TransferFailure>) -> Void

    package init(peer: AccountID, then: @escaping @ReactorActor (Result<BulkConnection, TransferFailure>) -> Void) {
        self.peer = peer
        self.then = then
    }

    package func connection(_ connection: PeerConnection, established peer: PeerIdentity, purpose: ChannelPurpose) {
        guard peer.account == self.peer, let bulk = connection.detachBulk() else {
            connection.end(.closed)
            then(.failure(.interrupted("somebody else answered, or the connection broke")))
            return
        }
        then(.success(bulk))
    }

    package func connection(_ connection: PeerConnection, endedBeforeEstablished failure: ConnectionFailure) {
        then(.failure(.interrupted(failure.dial.text)))
    }
}
