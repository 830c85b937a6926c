import Basics
import ControlProtocol
import HTTP
import Reactor

/// One stream of events to a browser. It carries out what its machine wants.
@ReactorActor final class EventStream: ReplyStream {
    private var machine: EventStreamMachine
    private let session: LoginSession
    private var connection: StreamConnection?
    private var isSuspended = false
    private var isClosed = false
    private var beatTimer: TimerToken?
    /// Notices that the browser has gone. The library doesn't look at a connection that waits, and notices only when it has written
    /// twice; until then the daemon would believe that a call can ring here.
    private var endWatch: DescriptorWatch?

    init(session: LoginSession, machine: EventStreamMachine) {
        self.session = session
        self.machine = machine
        beatLater()
    }

    // MARK: The line

    func lineIsUp() { carryOut(machine.lineIsUp()) }

    func lineIsDown() {
        machine.lineIsDown()
        wake()
    }

    func heard(_ event: JSONObject) { carryOut(machine.heard(event)) }

    /// Ends the stream because the login is over; what was heard before is still sent.
    func end() { carryOut(machine.end()) }

    private func carryOut(_ effects: [EventStreamMachine.Effect]) {
        for effect in effects {
            switch effect {
            case .subscribe(let parameters):
                session.subscribe(self, parameters) { [weak self] outcome in
                    guard let self else { return }
                    if case .result(let result) = outcome {
                        carryOut(machine.subscribed(result))
                    } else {
                        carryOut(machine.refused())
                    }
                }
            case .unsubscribe(let subscription): session.unsubscribe(subscription)
            }
        }
        wake()
    }

    // MARK: The browser

    func goes(over connection: StreamConnection) {
        self.connection = connection
        endWatch = try? DescriptorWatch(endOf: connection.descriptor) { [weak self] in self?.browserHasGone() }
    }

    func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
        let (bytes, effects) = machine.drain(buffer.count, hasLine: session.hasLine)
        buffer.copyBytes(from: bytes)
        let count = bytes.count
        if !effects.isEmpty { carryOut(effects) }
        if count > 0 { return count }
        if machine.waiting > 0 { return 0 }
        if machine.hasEnded { return -1 }
        guard let connection else { return -1 }
        isSuspended = true
        connection.rest()
        return 0
    }

    /// Ends the subscription at once; what the library still writes makes it notice the end.
    private func browserHasGone() {
        endWatch?.close()
        endWatch = nil
        guard !isClosed else { return }
        carryOut(machine.end())
    }

    private func wake() {
        guard isSuspended, !isClosed, machine.waiting > 0 || machine.hasEnded, let connection else { return }
        isSuspended = false
        connection.wake()
    }

    private func beatLater() {
        let next = Reactor.shared.now + .seconds(WebLimits.beatSeconds)
        beatTimer = Reactor.shared.schedule(at: next) { [weak self] in
            guard let self, !isClosed else { return }
            machine.beat()
            wake()
            beatLater()
        }
    }

    func close() {
        guard !isClosed else { return }
        isClosed = true
        beatTimer?.cancel()
        endWatch?.close()
        connection = nil
        for effect in machine.end() {
            if case .unsubscribe(let subscription) = effect { session.unsubscribe(subscription) }
        }
        session.streamEnded(self)
    }
}
