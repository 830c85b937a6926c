import Basics
import PeerProtocol
import Reactor

/// One dial of a device at all its known addresses. Each address is dialled a moment after the one before, or when that
/// has failed. The first that answers as this device is kept (in the manner of RFC 8305, "Happy Eyeballs").
@ReactorActor final class DialRace: PeerConnectionOwner {
    /// The dial that was asked for, with the first address.
    let dial: DialEffect
    private var waiting: [SocketAddress]
    private var running: [ObjectIdentifier: PeerConnection] = [:]
    private var timer: TimerToken?
    private var failure: ConnectionFailure?
    private var isOver = false
    private let connector: Connector
    private let presence: PresencePublisher
    private let clocks: any Clocks
    /// A peer answered, perhaps another one than expected; the dial has the address that answered.
    private let won: @ReactorActor (DialRace, PeerConnection, PeerIdentity, ChannelPurpose) -> Void
    /// No peer answered.
    private let lost: @ReactorActor (DialRace, ConnectionFailure) -> Void

    init(
        _ dial: DialEffect, further: [SocketAddress], connector: Connector, presence: PresencePublisher,
        clocks: any Clocks,
        won: @escaping @ReactorActor (DialRace, PeerConnection, PeerIdentity, ChannelPurpose) -> Void,
        lost: @escaping @ReactorActor (DialRace, ConnectionFailure) -> Void
    ) {
        self.dial = dial
        waiting = [dial.address] + further.filter { $0 != dial.address }.prefix(NetworkLimits.addressesOfDevice - 1)
        self.connector = connector
        self.presence = presence
        self.clocks = clocks
        self.won = won
        self.lost = lost
    }

    func start() { next() }

    /// Gives up without calling the owner.
    func stop() {
        isOver = true
        timer?.cancel()
        let connections = running
        running = [:]
        for connection in connections.values { connection.end(.closed) }
    }

    private func next() {
        timer?.cancel()
        timer = nil
        guard !isOver, !waiting.isEmpty else { return }
        let connection = connector.dial(waiting.removeFirst(), for: dial.target, owner: self)
        running[ObjectIdentifier(connection)] = connection
        guard !waiting.isEmpty else { return }
        timer = Reactor.shared.schedule(at: clocks.now + NetworkLimits.dialStagger) { [weak self] in self?.next() }
    }

    func connection(_ connection: PeerConnection, established peer: PeerIdentity, purpose: ChannelPurpose) {
        guard running.removeValue(forKey: ObjectIdentifier(connection)) != nil, !isOver else {
            return connection.end(.closed)
        }
        // Another device has that address now, but another address may still be right. At the last address any device's
        // answer counts.
        if case .device(let device) = dial.target, peer.device != device, !(waiting.isEmpty && running.isEmpty) {
            presence.wrong(connection.remoteAddress, of: device)
            connection.end(.closed)
            if running.isEmpty { next() }
            return
        }
        stop()
        won(self, connection, peer, purpose)
    }

    func connection(_ connection: PeerConnection, endedBeforeEstablished failure: ConnectionFailure) {
        guard running.removeValue(forKey: ObjectIdentifier(connection)) != nil, !isOver else { return }
        if failure == .channel(.unexpected), case .device(let device) = dial.target {
            presence.wrong(connection.remoteAddress, of: device)
        }
        // Remember a failure that says more than that no host answers.
        if case .unreachable? = self.failure { self.failure = failure }
        self.failure = self.failure ?? failure
        if !waiting.isEmpty { return next() }
        guard running.isEmpty else { return }
        isOver = true
        timer?.cancel()
        lost(self, self.failure ?? failure)
    }
}
