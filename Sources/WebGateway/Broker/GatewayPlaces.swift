import Basics
import ControlProtocol
import Crypto
import Glibc

/// Where the gateway's files and sockets are.
package struct GatewayPlaces {
    /// The daemon's control socket.
    let control: String
    /// The socket for `kibo web`, beside it.
    package let door: String
    /// `$XDG_STATE_HOME/kibo/web`; for the gateway of a daemon at another place than the usual one a folder of its own, since two
    /// gateways have two addresses.
    let state: String
    /// Whether the daemon is where this user's usually is.
    let isUsual: Bool

    package init(socket: String?) {
        control = SocketPath.find(explicit: socket)
        let folder = control.split(separator: "/", omittingEmptySubsequences: false).dropLast().joined(separator: "/")
        door = (folder.isEmpty ? "." : folder) + "/web.sock"
        let home = Self.variable("HOME") ?? "/"
        let states = Self.variable("XDG_STATE_HOME").flatMap { $0.hasPrefix("/") ? $0 : nil } ?? home + "/.local/state"
        isUsual = control == SocketPath.find()
        let mark = Hex.encode(Blake2b.hash(Array(control.utf8), length: WebLimits.placeBytes))
        state = states + "/kibo/web" + (isUsual ? "" : "-" + mark)
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

    /// The name and port at which browsers know this gateway; nil if it never ran.
    func knownAddress() throws(GatewayFailure) -> GatewayAddress? {
        guard Self.makeFolder(state) else { throw .system("make the folder \(state)") }
        let path = state + "/address"
        let file = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard file >= 0 else { throw .system("open \(path)") }
        defer { close(file) }
        return FileBytes.all(of: file, limit: 256).flatMap { GatewayAddress(text: String(decoding: $0, as: UTF8.self)) }
    }

    /// The address of the gateway that has these sockets, written down. At other sockets than before it has a new name, and all logins
    /// have ended. Between the two another program may have had the port: it may have been sent the cookies, and may have left a script
    /// in a browser that runs under the old name for ever.
    func settle(_ known: GatewayAddress?, _ sockets: ListeningSockets) throws(GatewayFailure) -> GatewayAddress {
        let port = sockets.port
        if let known, known.port == port, let mark = sockets.mark, known.sockets == mark { return known }
        let now = SystemClocks().wallTime.milliseconds
        let address =
            known?.moved(to: port, sockets: sockets.mark, now: now) ?? .drawn(port: port, sockets: sockets.mark)
        if let known {
            let reason =
                known.port == port
                ? "port \(port) was free for a time, so the page has a new name"
                : "port \(known.port) can't be had any more, another program may have it: the page is at port \(port) now, "
                    + "under a new name"
            WebLog.write(reason + ", and all browsers have to log in again")
        }
        // First of all: a new name with old logins would be no wall.
        let logins = try openLogins()
        defer { close(logins) }
        guard ftruncate(logins, 0) == 0, fsync(logins) == 0 else { throw .system("write \(state)/logins") }
        try keep(address)
        return address
    }

    /// Writes the address down.
    private func keep(_ address: GatewayAddress) throws(GatewayFailure) {
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

    /// As kibod's: 78 (EX_CONFIG) if a person has to put something right first.
    var exitCode: Int32 {
        switch self {
        case .failed, .noPort: 1
        case .usage: 2
        case .runsAlready: 6
        case .foreignSockets: 78
        }
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
