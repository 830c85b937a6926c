/// The language of the control socket, shared by the daemon and its clients: JSON values, JSON-RPC 2.0, the objects
/// that travel, and the catalogue of methods and events that both the checks and the documents are made of.
///
/// This module knows nothing of stores, peers or threads. It turns bytes into checked values and back; the only part
/// that touches the system is `Client/`, a blocking client for the command line, tests and benchmarks.
public enum ControlProtocol {
    /// The version of this interface as `system.hello` reports it. Additions don't change it; a break raises it.
    public static let version = 1
    /// The version of the programs that are built from this package (semantic versioning), as `--version` prints it.
    public static let productVersion = "0.1.0"
}
