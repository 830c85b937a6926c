import Basics
import Reactor
import Transfer

/// The connections that carry files, as long as they last, and which of our addresses they come from.
@ReactorActor final class BulkConnections {
    static let shared = BulkConnections()

    private struct Line {
        weak var connection: BulkConnection?
        let local: IPAddress
    }

    private var lines: [Line] = []

    func add(_ connection: BulkConnection, from local: IPAddress?) {
        lines.removeAll { $0.connection == nil }
        guard let local else { return }
        lines.append(Line(connection: connection, local: local))
    }

    /// Ends the connections from addresses that are no longer ours. Nothing comes over them any more, and neither side
    /// would notice for a while. Their transfers go on over other connections.
    func cut(_ addresses: Set<IPAddress>) {
        for line in lines where addresses.contains(line.local) { line.connection?.interrupt() }
        lines.removeAll { $0.connection == nil || addresses.contains($0.local) }
    }
}
