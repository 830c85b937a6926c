import Basics
import CLinux
import Glibc

/// A stream, as the loop knows it.
@ReactorActor protocol StreamOfTurn: AnyObject {
    /// Writes what was queued in this turn.
    func flushAtEndOfTurn()
    /// Tells the handler that the stream is closed.
    func sayFarewell()
}

/// The reactor thread's own state and its turns. Only that thread ever uses it.
@ReactorActor final class EventLoop {
    static let shared = EventLoop(reactor: Reactor.shared)

    private let reactor: Reactor
    private(set) var table: EventTable
    let timers = TimerHeap()
    /// Bodies to run at the end of this turn.
    var endOfTurn = TurnList<@ReactorActor () -> Void>()
    /// The buffer into which every socket is read. A handler that keeps its slice keeps the storage, and the next read
    /// gets a fresh buffer.
    private(set) var readBuffer = [UInt8](repeating: 0, count: ReactorLimits.readBufferBytes)

    private var turnTime: Instant?
    /// The moment at which the reactor's alarm rings.
    private var alarmAt: Instant?
    private var unwritten = TurnList<any StreamOfTurn>()
    private var closed = TurnList<any StreamOfTurn>()
    private var unfinished = TurnList<any EventSource>()
    private var batch: [Reactor.Work] = []
    private var events = [epoll_event](repeating: epoll_event(), count: ReactorLimits.eventsPerTurn)

    private init(reactor: Reactor) {
        self.reactor = reactor
        table = EventTable(epoll: reactor.epoll)
    }

    /// The moment of this turn.
    var now: Instant {
        if let turnTime { return turnTime }
        let time = SystemClocks().now
        turnTime = time
        return time
    }

    // MARK: What sources ask for

    func watch(_ fd: CInt, _ source: any EventSource, _ interest: Readiness) throws(SocketError) {
        try table.add(fd, source, interest)
    }

    func change(_ fd: CInt, _ interest: Readiness) { table.change(fd, interest) }

    func forget(_ fd: CInt) { table.remove(fd) }

    /// Calls `source.ready([])` in the next turn, which then comes without waiting.
    func again(_ source: any EventSource) { unfinished.append(source) }

    /// Has `stream.flushAtEndOfTurn()` called at the end of this turn.
    func writeAtEndOfTurn(_ stream: any StreamOfTurn) { unwritten.append(stream) }

    /// Has `stream.sayFarewell()` called at the end of this turn.
    func sayFarewell(_ stream: any StreamOfTurn) { closed.append(stream) }

    /// Lets `body` read into the shared buffer.
    func withReadBuffer<R>(_ body: (UnsafeMutableRawBufferPointer) -> R) -> R {
        readBuffer.withUnsafeMutableBytes(body)
    }

    // MARK: Turns

    func runForever() -> Never {
        while true { turn() }
    }

    private func turn() {
        let count = wait()
        turnTime = nil
        if let earliest = timers.earliest, earliest <= now { timers.runDue(now) }
        for index in 0..<count {
            let tag = events[index].data.u64
            if tag == EventTable.wakeUpTag { continue }
            // The source is looked up only now, because an earlier event of this turn may have closed it.
            table.source(of: tag)?.ready(Readiness(rawValue: events[index].events))
        }
        if !unfinished.isEmpty {
            let sources = unfinished.drain()
            for source in sources { source.ready([]) }
            unfinished.recycle(sources)
        }
        runInbox()
        finishTurn()
    }

    private func wait() -> Int {
        let isIdle = unfinished.isEmpty && endOfTurn.isEmpty && unwritten.isEmpty && closed.isEmpty
        let sleeps = isIdle && reactor.mayFallAsleep()
        let milliseconds = sleeps ? timers.earliest.map(milliseconds(until:)) ?? -1 : 0
        let count = epoll_wait(reactor.epoll, &events, CInt(events.count), CInt(clamping: milliseconds))
        if sleeps { reactor.isAwake() }
        return max(0, Int(count))
    }

    /// How long to wait, rounded up, because waking too early would cost a second wait.
    private func milliseconds(until earliest: Instant) -> Int64 {
        let left = (earliest - SystemClocks().now).nanoseconds
        let milliseconds = left <= 0 ? 0 : (left - 1) / 1_000_000 + 1
        if milliseconds > ReactorLimits.longWaitMilliseconds, alarmAt != earliest { setAlarm(earliest) }
        return milliseconds
    }

    private func setAlarm(_ moment: Instant) {
        alarmAt = moment
        let (seconds, rest) = moment.nanoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
        var time = itimerspec(
            it_interval: timespec(), it_value: timespec(tv_sec: Int(clamping: seconds), tv_nsec: Int(rest)))
        timerfd_settime(reactor.alarm, CInt(TFD_TIMER_ABSTIME), &time, nil)
    }

    private func runInbox() {
        let (executor, tasks) = (reactor.asUnownedSerialExecutor(), reactor.asUnownedTaskExecutor())
        for _ in 0..<ReactorLimits.inboxRoundsPerTurn {
            reactor.drainInbox(into: &batch)
            if batch.isEmpty { return }
            for work in batch {
                switch work {
                case .job(let job): job.runSynchronously(isolatedTo: executor, taskExecutor: tasks)
                case .call(let body): body()
                }
            }
            batch.removeAll(keepingCapacity: true)
        }
    }

    private func finishTurn() {
        if !endOfTurn.isEmpty {
            // What these bodies add waits for the end of the next turn.
            let bodies = endOfTurn.drain()
            for body in bodies { body() }
            endOfTurn.recycle(bodies)
        }
        if !unwritten.isEmpty {
            let streams = unwritten.drain()
            for stream in streams { stream.flushAtEndOfTurn() }
            unwritten.recycle(streams)
        }
        // A farewell may close further streams, but their number is finite.
        while !closed.isEmpty {
            let streams = closed.drain()
            for stream in streams { stream.sayFarewell() }
            closed.recycle(streams)
        }
    }
}
