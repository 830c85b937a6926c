import Basics

/// Counts connections whose peers have not proved their identity, and says which new one may begin.
///
/// A value without I/O. The limits stand in ``NetworkLimits``. Some places are kept for addresses at which a friend was
/// last seen, so that a flood from strangers doesn't keep friends out. A host with an IPv6 network has more addresses
/// than can be counted: docs/decisions/0028-ipv6-sources.md.
package struct HalfOpenTable {
    /// Why a connection is turned away: there are too many in all, from its source, or from its link.
    package enum Refusal: Equatable {
        case full, sourceFull, linkFull

        /// For the log.
        var text: String {
            switch self {
            case .full: "too many connections begin at once"
            case .sourceFull: "too many connections begin at this source"
            case .linkFull: "too many connections begin on this link"
            }
        }
    }

    private var bySource: [IPAddress: Int] = [:]
    /// The number of strangers at IPv6 addresses of each link of ours, by the link's interface.
    private var byLink: [UInt32: Int] = [:]
    package private(set) var total = 0
    /// How many of the places that are kept for friends are in use.
    private var friends = 0
    package var refused: UInt64 { refusedFull + refusedSource + refusedLink }
    private var refusedFull: UInt64 = 0
    private var refusedSource: UInt64 = 0
    private var refusedLink: UInt64 = 0
    /// The counts of refusals, by the words of the metrics.
    package var refusedBy: [(String, UInt64)] {
        [("full", refusedFull), ("link_full", refusedLink), ("source_full", refusedSource)]
    }

    /// A place that was given; hand it back with ``release(_:)``.
    package struct Place: Equatable {
        /// The source that it counts for: an address, or a whole network that is not ours.
        package let source: IPAddress
        /// The link that it also counts for.
        package let link: UInt32?
        package let isFriend: Bool
    }

    /// - Parameter link: the interface on whose network the address lies; nil if it comes through a router.
    package mutating func admit(_ address: IPAddress, isFriend: Bool, link: UInt32?) -> Result<Place, RefusalError> {
        let source = address.source(link: link, joinsNeighbours: false)
        let perSource =
            source.isLoopback ? NetworkLimits.halfOpenTotal / 2 : NetworkLimits.halfOpenPerSource
        // This limit is for friends too: another host may share the address.
        guard bySource[source, default: 0] < perSource else { return refuse(.sourceFull) }
        let link = address.isFour || address.isLoopback || isFriend ? nil : link
        if let link, byLink[link, default: 0] >= NetworkLimits.halfOpenPerLink { return refuse(.linkFull) }
        let open = NetworkLimits.halfOpenTotal - NetworkLimits.halfOpenForFriends
        guard total < (isFriend ? NetworkLimits.halfOpenTotal : open + friends) else { return refuse(.full) }
        bySource[source, default: 0] += 1
        if let link { byLink[link, default: 0] += 1 }
        total += 1
        if isFriend { friends = min(friends + 1, NetworkLimits.halfOpenForFriends) }
        return .success(Place(source: source, link: link, isFriend: isFriend))
    }

    package mutating func release(_ place: Place) {
        guard let count = bySource[place.source] else { return }
        bySource[place.source] = count > 1 ? count - 1 : nil
        if let link = place.link, let count = byLink[link] { byLink[link] = count > 1 ? count - 1 : nil }
        total -= 1
        if place.isFriend { friends = max(0, friends - 1) }
    }

    /// The refusal as an error, because `Result` wants one.
    package struct RefusalError: Error, Equatable, CustomStringConvertible {
        package let refusal: Refusal

        package var description: String { "too many connections are half open" }
    }

    private mutating func refuse(_ refusal: Refusal) -> Result<Place, RefusalError> {
        switch refusal {
        case .full: refusedFull += 1
        case .sourceFull: refusedSource += 1
        case .linkFull: refusedLink += 1
        }
        return .failure(RefusalError(refusal: refusal))
    }
}
