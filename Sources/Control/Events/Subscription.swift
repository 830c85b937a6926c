import Basics
import ControlProtocol
import Reactor
import Vocabulary

/// The client that a subscription sends to.
@ReactorActor package protocol EventReceiver: AnyObject {
    /// Bytes that the client has not taken yet.
    var bufferedBytes: Int { get }
    func has(_ subscription: Subscription) -> Bool
    var role: Role { get }
    /// Queues a line that ends in a newline.
    func send(_ line: [UInt8])
}

/// One client's cursor in the event log.
@ReactorActor package final class Subscription {
    let number: Int64
    let wantsEphemeral: Bool
    /// Whether the client notifies its user of what comes.
    let notifies: Bool
    let types: Set<EventType>?
    private weak var connection: (any EventReceiver)?
    /// The last event that was handed over or skipped.
    var position: Int64
    /// Whether it gets commits as they happen; otherwise it reads from the log.
    var isLive = false
    var isReading = false

    init(
        number: Int64, connection: any EventReceiver, position: Int64, types: Set<EventType>?,
        wantsEphemeral: Bool, notifies: Bool
    ) {
        self.number = number
        self.connection = connection
        self.position = position
        self.types = types
        self.wantsEphemeral = wantsEphemeral
        self.notifies = notifies
    }

    /// Whether the client is there and has not unsubscribed.
    var isConnected: Bool { connection?.has(self) == true }

    /// Whether the client reads fast enough to be given more.
    var hasRoom: Bool { connection.map { $0.bufferedBytes < ControlLimits.controlOutputHighMark } ?? false }

    func wants(_ type: EventType) -> Bool { types?.contains(type) ?? true }

    /// Whether the client shows its user ringing calls: an open page does, and so does a client that notifies its user.
    var rings: Bool { (notifies || connection?.role == .web) && wantsEphemeral && wants(.callChanged) }

    func deliver(_ event: ComposedEvent) {
        guard wants(event.type) else { return }
        write(seq: event.seq, at: event.at, event.type, event.change, event.aspects, data: event.data)
    }

    /// An event that has no number.
    func deliver(type: EventType, change: ChangeKind, data: EventData, at time: WallTime) {
        guard wants(type) else { return }
        write(seq: nil, at: time, type, change, data: data)
    }

    /// Tells of events that are no longer in the log.
    func deliverGap(from: Int64, to: Int64, at time: WallTime) {
        let data = EventData(["from": .integer(from), "to": .integer(to)], of: .gap)
        // A gap concerns every client that reads the log, whatever types it asked for.
        write(seq: nil, at: time, .gap, .insert, data: data)
    }

    /// The data is JSON already; it is copied, not parsed.
    private func write(
        seq: Int64?, at time: WallTime, _ type: EventType, _ change: ChangeKind, _ aspects: MessageAspects = [],
        data: EventData
    ) {
        guard let connection else { return }
        let data = data.bytes(for: connection.role)
        var line: [UInt8] = []
        line.reserveCapacity(data.count + 160)
        Event.appendLine(
            subscription: number, seq: seq, at: time.milliseconds, type: type.rawValue, change: change.rawValue,
            changed: aspects.list, encodedData: data, to: &line)
        connection.send(line)
    }
}
