import Basics
import Reactor
import Runtime

/// The TCP port that this user has on this host, in the file `port` of the data directory: it stays the same whoever
/// starts first.
@ReactorActor package struct KeptPort {
    private let environment: Environment
    private let path: String
    /// Nil if there is none yet, or the file can't be read.
    package let port: UInt16?

    package init(environment: Environment) {
        self.environment = environment
        path = environment.directory + "/port"
        let bytes = (try? Paths.readFile(path, limit: NetworkLimits.portFileBytes)) ?? nil
        port = bytes.flatMap {
            UInt16(String(decoding: $0, as: UTF8.self).filter { !$0.isWhitespace })
        }
    }

    /// Writes down the port that the daemon has now, if it is one of the host's range.
    package func keep(_ port: UInt16, of place: ListenPlace?) {
        let range = ListenPlace.ports(of: place, kept: nil)
        guard port != self.port, range.contains(port) else { return }
        let log = environment.log.labelled("listener")
        if let before = self.port, range.contains(before) {
            log.notice(
                "another program has this user's port: peers connect to another one from now on",
                [("before", "\(before)"), ("port", "\(port)")])
        }
        _ = environment.workers.files.submit { [path] in
            do { try AtomicFile.write(Array("\(port)\n".utf8), to: path) } catch {
                log.warning("the port can't be written down, and may change with the next start", [("why", "\(error)")])
            }
        }
    }
}
