import Glibc

/// The gateway as a unit of the user's service manager: it holds the sockets from login on, so that no other program of this
/// host can take the port, and starts the gateway when a browser comes.
package struct UserUnit {
    private let places: GatewayPlaces
    private let manager: UserManager

    /// The unit whose socket `kibo web` turns on.
    private static let name = "kibo-web.socket"

    /// Nil where there is no service manager, the unit is not installed, or the daemon's socket is not the usual one.
    init?(places: GatewayPlaces) {
        guard let manager = UserManager(places: places), manager.says("cat \(Self.name)") else { return nil }
        (self.places, self.manager) = (places, manager)
    }

    /// Turns the unit on, with the port of this user's gateway or the next one that is free on both loopbacks. The gateway
    /// itself sees that it has new sockets.
    func start() throws(GatewayFailure) {
        guard !manager.says("is-active \(Self.name)") else { return }
        let address = try places.knownAddress()
        let (port, sockets) = try ListeningSockets.bindFree(known: address?.port)
        for socket in sockets { close(socket) }
        try writeDropIn(port: port)
        guard manager.says("daemon-reload"), manager.says("enable --now \(Self.name)") else {
            throw .failed("the service manager can't start \(Self.name); see: systemctl --user status \(Self.name)")
        }
    }

    /// The text of the unit's drop-in.
    /// - Parameter hasIPv6: where it is false, a socket for [::1] would keep the whole unit from starting.
    package static func dropIn(port: UInt16, hasIPv6: Bool) -> String {
        """
        # Written by kibo web: the port of this user's gateway.
        [Socket]
        ListenStream=
        ListenStream=127.0.0.1:\(port)
        \(hasIPv6 ? "ListenStream=[::1]:\(port)" : "# This host has no IPv6.")
        ListenStream=%t/kibo/web.sock

        """
    }

    private func writeDropIn(port: UInt16) throws(GatewayFailure) {
        let folder = GatewayPlaces.configuration + "/systemd/user/\(Self.name).d"
        let path = folder + "/port.conf"
        guard GatewayPlaces.makeFolder(folder) else { throw .system("make the folder \(folder)") }
        let bytes = Array(Self.dropIn(port: port, hasIPv6: ListeningSockets.hasIPv6()).utf8)
        let file = open(path + ".new", O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw .system("write \(path)") }
        defer { close(file) }
        guard write(file, bytes, bytes.count) == bytes.count, fsync(file) == 0, rename(path + ".new", path) == 0 else {
            throw .system("write \(path)")
        }
    }
}

/// The words of a command line in the form that C takes.
enum CommandWords {
    static func with<Result>(_ words: [String], _ body: ([UnsafeMutablePointer<CChar>?]) -> Result) -> Result {
        var arguments: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) }
        arguments.append(nil)
        defer { for text in arguments { free(text) } }
        return body(arguments)
    }
}
