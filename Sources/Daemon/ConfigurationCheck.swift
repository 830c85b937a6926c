import Basics
import ControlProtocol
import Glibc
import Network
import Reactor
import Runtime
import Store
import Threads

/// `kibod --check`: what a start would find, without starting anything.
extension Options {
    /// Looks at everything that the configuration names.
    /// - Returns: what was found and for which user, for people.
    /// - Throws: ``StartError`` in words for the user.
    func check() throws(StartError) -> String {
        let key = try readRealmKey()
        _ = try configuration.roster?.check(data: Paths.absolute(dataDirectory))
        let data = try checkData()
        if let place = configuration.listen { try checkListening(at: place, data: data) }
        let user = RealmKeyFile.userName
        let places = files.isEmpty ? "\(configurationFile) (there is none)" : files.joined(separator: ", ")
        var text = "The configuration can be used by \(user): \(places)\n"
        if key != nil, let path = configuration.realmKeyFile { text += "\(user) can read the realm key: \(path)\n" }
        for line in systemUnit?.remarks(on: configuration) ?? [] { text += line + "\n" }
        if geteuid() == 0 { text += "For the daemon of another user, run: sudo -u USER kibod --check\n" }
        return text
    }

    /// The system unit whose home this is; nil if it is a user's.
    private var systemUnit: SystemUnit? { SystemUnit(home: Paths.home) }

    /// Whether the user could have their data where the daemon would look for them.
    /// - Returns: the path.
    private func checkData() throws(StartError) -> String {
        guard let unit = systemUnit, dataDirectory == Paths.data else {
            try DataDirectory.check(dataDirectory)
            return dataDirectory
        }
        // The unit makes its home before it starts the daemon.
        if access(unit.home, F_OK) == 0 || errno != ENOENT {
            try DataDirectory.check(unit.home)
            try DataDirectory.check(unit.data)
        }
        return unit.data
    }

    /// Whether the daemon could listen at an address, and at the port if only that one will do.
    private func checkListening(at place: ListenPlace, data: String) throws(StartError) {
        var address = place.address
        // Of several ports, the daemon takes one that is free.
        if case .from = place { address = SocketAddress(address.host, port: 0) }
        let outcome = ConditionLock<Result<Void, SocketError>?>(nil)
        Reactor.shared.post { [address] in
            let result: Result<Void, SocketError>
            do throws(SocketError) {
                try StreamListener(address: address, backlog: 1) { file, _ in close(file) }.close()
                result = .success(())
            } catch {
                result = .failure(error)
            }
            outcome.withLock { $0 = result }
            outcome.wake()
        }
        let result: Result<Void, SocketError> = outcome.wait { $0 }
        guard case .failure(let error) = result else { return }
        // The user's own daemon may have the port.
        if case .addressInUse = error, DataDirectory.isLocked(data) { return }
        throw StartError(error, "can't listen on \(place.address)")
    }
}

/// A system unit `kibod@USER`, which sees less than its user does.
struct SystemUnit {
    /// Where the homes of these units are.
    private static let homes = "/var/lib/kibo/"

    let home: String
    let user: String
    var data: String { home + "/data" }

    /// - Parameter home: nil is returned for any other home than that of such a unit.
    init?(home: String) {
        let user = home.dropFirst(Self.homes.count)
        guard home.hasPrefix(Self.homes), !user.isEmpty, !user.contains("/") else { return nil }
        self.home = home
        self.user = String(user)
    }

    /// What the unit, as the package has it, hides from its daemon, for the user.
    func remarks(on configuration: ConfigurationLayer) -> [String] {
        var lines: [String] = []
        for path in [configuration.realmKeyFile, configuration.roster?.file].compactMap(\.self) {
            let path = Paths.absolute(path)
            if path.hasPrefix("/tmp/") || path.hasPrefix("/var/tmp/") {
                lines.append("Note: kibod@\(user) can't see \(path), because it has a /tmp of its own.")
            }
        }
        let name = SettingsCatalogue.filesDownloadDirectory.spec.key
        for row in configuration.hostSettings where row.name == name {
            guard let folder = (try? JSONParser.parse(row.value))?.string, !(folder + "/").hasPrefix(home + "/")
            else { continue }
            lines.append("Note: kibod@\(user) can write to \(home) only, not to \(ForeignText.escaped(folder)).")
        }
        return lines
    }
}
