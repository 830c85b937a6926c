import Basics

/// Counts connections that have not proved who they are, and says which new one may begin.
///
/// A value without I/O. The limits stand in ``DaemonLimits``; some places are kept for addresses at which a friend was
/// last seen, so that a flood from strangers doesn't keep friends out.
struct HalfOpenTable {
    /// Why a connection is turned away.
    enum Refusal: Equatable {
        case full, sourceFull
    }

    private var bySource: [IPAddress: Int] = [:]
    private(set) var total = 0
    /// Places taken by addresses of friends, of those kept for them.
    private var friends = 0
    var refused: UInt64 { refusedFull + refusedSource }
    private var refusedFull: UInt64 = 0
    private var refusedSource: UInt64 = 0
    /// By the words of the metrics.
    var refusedBy: [(String, UInt64)] { [("full", refusedFull), ("source_full", refusedSource)] }

    /// A place that was given; hand it back with ``release(_:)``.
    struct Place: Equatable {
        let source: IPAddress
        let isFriend: Bool
    }

    mutating func admit(_ source: IPAddress, isFriend: Bool) -> Result<Place, RefusalError> {
        let perSource =
            source.isLoopback ? DaemonLimits.halfOpenTotal / 2 : DaemonLimits.halfOpenPerSource
        // For friends too: somebody else may share the address.
        guard bySource[source, default: 0] < perSource else { return refuse(.sourceFull) }
        let open = DaemonLimits.halfOpenTotal - DaemonLimits.halfOpenForFriends
        guard total < (isFriend ? DaemonLimits.halfOpenTotal : open + friends) else { return refuse(.full) }
        bySource[source, default: 0] += 1
        total += 1
        if isFriend { friends = min(friends + 1, DaemonLimits.halfOpenForFriends) }
        return .success(Place(source: source, isFriend: isFriend))
    }

    mutating func release(_ place: Place) {
        guard let count = bySource[place.source] else { return }
        bySource[place.source] = count > 1 ? count - 1 : nil
        total -= 1
        if place.isFriend { friends = max(0, friends - 1) }
    }

    /// The refusal as an error, because `Result` wants one.
    struct RefusalError: Error, Equatable {
        let refusal: Refusal
    }

    private mutating func refuse(_ refusal: Refusal) -> Result<Place, RefusalError> {
        if refusal == .full { refusedFull += 1 } else { refusedSource += 1 }
        return .failure(RefusalError(refusal: refusal))
    }
}
