import ControlProtocol
import Glibc

/// Where the gateway's files and sockets are.
package struct GatewayPlaces {
    /// The daemon's control socket.
    let control: String
    /// The socket for `kibo web`, beside it.
    package let door: String
    /// `$XDG_STATE_HOME/kibo/web`.
    let state: String

    package init(socket: String?) {
        control = SocketPath.resolve(explicit: socket)
        let folder = control.split(separator: "/", omittingEmptySubsequences: false).dropLast().joined(separator: "/")
        door = (folder.isEmpty ? "." : folder) + "/web.sock"
        let home = Self.variable("HOME") ?? "/"
        let states = Self.variable("XDG_STATE_HOME").flatMap { $0.hasPrefix("/") ? $0 : nil } ?? home + "/.local/state"
        state = states + "/kibo/web"
    }

    /// `$XDG_CONFIG_HOME`.
    static var configuration: String {
        variable("XDG_CONFIG_HOME").flatMap { $0.hasPrefix("/") ? $0 : nil } ?? (variable("HOME") ?? "/") + "/.config"
    }

    private static func variable(_ name: String) -> String? {
        getenv(name).map { String(cString: $0) }.flatMap { $0.isEmpty ? nil : $0 }
    }

    /// Makes a folder and those around it, for this user only.
    static func makeFolder(_ path: String) -> Bool {
        var built = ""
        for part in path.split(separator: "/") {
            built += "/" + part
            if mkdir(built, 0o700) != 0, errno != EEXIST { return false }
        }
        return true
    }

    /// The name and port of this user's gateway; drawn and written down if there is none.
    func address() throws(GatewayFailure) -> GatewayAddress {
        guard Self.makeFolder(state) else { throw .system("make the folder \(state)") }
        let path = state + "/address"
        let file = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard file >= 0 else { throw .system("open \(path)") }
        defer { close(file) }
        if let bytes = FileBytes.all(of: file, limit: 256),
            let address = GatewayAddress(text: String(decoding: bytes, as: UTF8.self))
        {
            return address
        }
        let address = GatewayAddress.drawn(port: WebLimits.firstPort)
        try keep(address)
        return address
    }

    /// Writes the address down.
    func keep(_ address: GatewayAddress) throws(GatewayFailure) {
        let path = state + "/address"
        let bytes = Array(address.text.utf8)
        let file = open(path + ".new", O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard file >= 0 else { throw .system("write \(path)") }
        defer { close(file) }
        guard write(file, bytes, bytes.count) == bytes.count, fsync(file) == 0, rename(path + ".new", path) == 0 else {
            throw .system("write \(path)")
        }
    }

    /// Opens the file of logins.
    func openLogins() throws(GatewayFailure) -> CInt {
        let path = state + "/logins"
        let file = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard file >= 0 else { throw .system("open \(path)") }
        return file
    }
}

/// Why the gateway doesn't start.
package enum GatewayFailure: Error, CustomStringConvertible {
    /// A system call failed at this.
    case failed(String)
    /// Another gateway of this user runs.
    case runsAlready
    /// All ports are taken.
    case noPort
    /// The service manager has given other sockets than those of the unit.
    case foreignSockets
    /// The words on the command line.
    case usage(String)

    static func system(_ what: String, _ code: CInt = errno) -> GatewayFailure {
        .failed("can't \(what): \(String(cString: strerror(code)))")
    }

    package var description: String {
        switch self {
        case .failed(let text), .usage(let text): text
        case .runsAlready: "the gateway runs already"
        case .foreignSockets: "the sockets given are not 127.0.0.1 and ::1 at one port and one Unix socket"
        case .noPort: "no port from \(WebLimits.firstPort) on is free on both 127.0.0.1 and ::1"
        }
    }
}
