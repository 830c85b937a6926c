import Basics
import ControlProtocol
import Reactor
import Store

/// Tells clients when somebody is or isn't a courier any more, or something else is kept for others: once a second at most,
/// and only while a subscriber wants to know.
@ReactorActor package final class CourierWatch {
    private let store: Store
    private let hub: EventHub
    private var timer: TimerToken?

    package init(store: Store, hub: EventHub) {
        self.store = store
        self.hub = hub
    }

    /// Call after a commit that has changed such a thing.
    package func changed() {
        guard timer == nil, hub.isWanted(.courierChanged) else { return }
        timer = Reactor.shared.schedule(at: Reactor.shared.now + ControlLimits.courierPause) { [weak self] in
            self?.timer = nil
            self?.tell()
        }
    }

    private func tell() {
        store.read(by: .events) {
            try Parcels.sum($0)
        } completion: { [weak self] result in
            guard case .success(let kept) = result else { return }
            Reactor.shared.post {
                self?.hub.ephemeral(
                    .courierChanged, .update, ["parcels": .integer(kept.parcels), "bytes": .integer(kept.bytes)])
            }
        }
    }
}
