import Basics
import ControlProtocol
import Glibc
import Reactor

/// What the broker gives to a worker: descriptors at fixed numbers, and a line of JSON over the channel to the broker.
/// None of it is in the arguments, which all users on the host can read.
struct WorkerConfiguration {
    /// The way to the broker, the file of logins, `web.sock`, and then the listening sockets.
    static let broker: CInt = 3
    static let logins: CInt = 4
    static let door: CInt = 5
    static let firstListener: CInt = 6

    /// The argument by which the program is the worker.
    static let word = "--worker"

    let address: GatewayAddress
    let listeners: Int
    /// Where the page lies; nil: nowhere.
    let assets: String?
    /// What a user can type to start the daemon; nil if the broker doesn't know.
    let command: String?

    /// Where the page is, without a slash at its end.
    var origin: String { "http://\(address.name).localhost:\(address.port)" }

    /// That the page has moved to another port, as `kibo web` and the page are told for a day; nil where it hasn't.
    @ReactorActor func moved(unlessOld store: LoginStore) -> JSONValue? {
        guard let move = address.move, !store.isOld(move) else { return nil }
        return [
            "from": .integer(Int64(move.from)), "to": .integer(Int64(address.port)), "at": .integer(move.at),
        ]
    }

    init(address: GatewayAddress, listeners: Int, assets: String?, command: String?) {
        (self.address, self.listeners, self.assets, self.command) = (address, listeners, assets, command)
    }

    /// What the broker writes before anything else.
    var line: [UInt8] {
        let value: JSONValue = [
            "address": .string(address.text), "listeners": .integer(Int64(listeners)),
            "assets": .string(assets ?? ""), "command": .string(command ?? ""),
        ]
        return value.encoded + [UInt8(ascii: "\n")]
    }

    /// Reads that line to its end, and nothing behind it. Nil for anything else.
    init?(from descriptor: CInt) {
        var line: [UInt8] = []
        var byte: UInt8 = 0
        while byte != UInt8(ascii: "\n") {
            let count = read(descriptor, &byte, 1)
            if count < 0, errno == EINTR { continue }
            guard count == 1, line.count <= 2 * ProtocolLimits.pathBytes else { return nil }
            line.append(byte)
        }
        guard let json = try? JSONParser.parse(line), let assets = json["assets"]?.string,
            let address = json["address"]?.string.flatMap({ GatewayAddress(text: $0) }),
            let command = json["command"]?.string, let listeners = json["listeners"]?.integer, 1...2 ~= listeners
        else { return nil }
        self.init(
            address: address, listeners: Int(listeners), assets: assets.isEmpty ? nil : assets,
            command: command.isEmpty ? nil : command)
    }
}
