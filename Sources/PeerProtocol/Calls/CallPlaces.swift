import Basics
import Vocabulary

/// The addresses and ports that a call's windows were given though this daemon doesn't know the device there.
///
/// They are counted for each account and for the whole call, however many signals, devices, generations and restarts name them. So
/// nobody can make a browser send something to many hosts, or to many ports of one.
struct CallPlaces: Hashable, Sendable {
    private var ports: [AccountID: [IPAddress: Set<UInt16>]] = [:]

    /// Whether the candidate may be given to the window; if so, its place is remembered.
    mutating func accept(_ candidate: CallCandidate, of account: AccountID) -> Bool {
        let (mine, address) = (ports[account] ?? [:], candidate.address.withoutScope)
        if let seen = mine[address] {
            guard seen.contains(candidate.port) || seen.count < PeerLimits.callPortsUnknown else { return false }
        } else {
            guard mine.count < PeerLimits.callAddressesUnknown,
                ports.values.reduce(0, { $0 + $1.count }) < PeerLimits.callAddressesUnknownInAll
            else { return false }
        }
        ports[account, default: [:]][address, default: []].insert(candidate.port)
        return true
    }

    /// Goes on with the places of a call that gave way to this one.
    mutating func inherit(_ other: CallPlaces) {
        ports.merge(other.ports) { mine, others in mine.merging(others) { $0.union($1) } }
    }
}

// MARK: Memory

extension CallPlaces {
    /// Nil where there are none.
    var memory: CBOR? {
        if ports.isEmpty { return nil }
        return .array(
            ports.sorted { $0.key < $1.key }.map { account, addresses in
                let candidates = addresses.flatMap { address, ports in
                    ports.map { CallCandidate(priority: 0, address: address, port: $0).value }
                }
                return .array([.bytes(account.bytes), .array(candidates)])
            })
    }

    init(remembering value: CBOR?) throws(WireError) {
        guard let value else { return }
        guard case .array(let accounts) = value else { throw .wrongType(field: "places") }
        for item in accounts {
            let pair = try BodyReader.tuple(item, 2, "places")
            guard case .bytes(let bytes) = pair[0], let account = AccountID(bytes: bytes),
                case .array(let candidates) = pair[1]
            else { throw .invalid(field: "places") }
            for candidate in candidates {
                let candidate = try CallCandidate(reading: candidate, field: "places")
                ports[account, default: [:]][candidate.address, default: []].insert(candidate.port)
            }
        }
    }
}
