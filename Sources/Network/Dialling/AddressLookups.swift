import Basics
import Reactor

/// Clients that wait to meet the peer at an address.
@ReactorActor package final class AddressLookups {
    package typealias Outcome = CheckedContinuation<Result<PeerDirectory.Entry, ConnectionFailure>, Never>

    private var waiting: [SocketAddress: [Outcome]] = [:]
    /// Devices that answered at an address, and whose card has yet to come. A device may answer at several addresses.
    private var answered: [DeviceID: Set<SocketAddress>] = [:]

    package func add(_ address: SocketAddress, _ outcome: Outcome) {
        waiting[address, default: []].append(outcome)
    }

    package func isAwaited(_ address: SocketAddress) -> Bool { waiting[address] != nil }

    /// Call when a device answered; its card tells the name.
    package func answered(_ address: SocketAddress, by device: DeviceID) {
        if waiting[address] != nil { answered[device, default: []].insert(address) }
    }

    /// Call when the card of a device has come.
    package func succeeded(_ entry: PeerDirectory.Entry) {
        for address in answered.removeValue(forKey: entry.device) ?? [] {
            for outcome in waiting.removeValue(forKey: address) ?? [] { outcome.resume(returning: .success(entry)) }
        }
    }

    package func failed(_ address: SocketAddress, _ failure: ConnectionFailure) {
        for outcome in waiting.removeValue(forKey: address) ?? [] { outcome.resume(returning: .failure(failure)) }
    }

    /// Tells all waiting clients that they will meet no peer.
    func failAll(_ failure: ConnectionFailure) {
        answered = [:]
        for address in Array(waiting.keys) { failed(address, failure) }
    }

    /// Call when the session with a device ended before its card came.
    package func failed(_ device: DeviceID, _ failure: ConnectionFailure) {
        for address in answered.removeValue(forKey: device) ?? [] { failed(address, failure) }
    }
}
