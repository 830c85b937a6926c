import Basics
import ControlProtocol

/// What the bridge tells the daemon, a line of JSON each. The daemon takes nothing in it for true: the bridge is where strangers
/// are talked to, and may have become one of them.
public enum BridgeReport: Hashable, Sendable {
    /// A device nearby.
    public struct Device: Hashable, Sendable {
        public let info: DeviceInfo
        public let address: IPAddress

        public init(info: DeviceInfo, address: IPAddress) {
            self.info = info
            self.address = address
        }
    }

    /// A file that is offered.
    public struct Item: Hashable, Sendable {
        /// As it came.
        public let name: String
        public let size: Int64

        public init(name: String, size: Int64) {
            self.name = name
            self.size = size
        }
    }

    /// Why an offer is over before the user, or the last byte, ended it.
    public enum Ending: String, Hashable, Sendable {
        /// The device has taken it back.
        case withdrawn
        /// The user has not answered in time.
        case expired
        /// Nothing came for long.
        case silent
    }

    /// How a file has ended.
    public enum Outcome: String, Hashable, Sendable {
        /// All of it was written; the device waits for the daemon's word.
        case whole
        case broken
        /// The disk has no room for more of it.
        case full
    }

    /// The bridge serves.
    case ready
    /// It can't, for this reason.
    case failed(String)
    /// An announcement of ours has come back to us on the interface with this number, as it goes to all devices there. It is said
    /// once for each ``BridgeOrder/announce``, as ``reached`` is.
    case echoed(on: UInt32)
    /// A device has connected.
    case reached
    /// The devices that are near.
    case devices([Device])
    /// A device offers something: files, or a text. The number names the offer.
    case offered(Int, Device, items: [Item], text: String?)
    case over(Int, Ending)
    /// A file of an offer begins to come; the bridge waits for a descriptor. The ticket names the file.
    case begins(ticket: Int, offer: Int, item: Int)
    /// So many bytes of an offer have come.
    case came(Int, bytes: Int64)
    /// The file of a ticket has ended.
    case ends(ticket: Int, Outcome)

    public var line: JSONObject {
        switch self {
        case .ready: ["said": "ready"]
        case .failed(let why): ["said": "failed", "why": .string(why)]
        case .echoed(let interface): ["said": "echoed", "on": .integer(Int64(interface))]
        case .reached: ["said": "reached"]
        case .devices(let devices): ["said": "devices", "devices": .array(devices.map { .object($0.json) })]
        case .offered(let number, let device, let items, let text):
            [
                "said": "offered", "offer": .integer(Int64(number)), "device": .object(device.json),
                "items": .array(items.map { ["name": .string($0.name), "size": .integer($0.size)] }),
                "text": .optional(text),
            ]
        case .over(let number, let ending):
            ["said": "over", "offer": .integer(Int64(number)), "why": .string(ending.rawValue)]
        case .begins(let ticket, let offer, let item):
            [
                "said": "begins", "file": .integer(Int64(ticket)), "offer": .integer(Int64(offer)),
                "item": .integer(Int64(item)),
            ]
        case .came(let number, let bytes):
            ["said": "came", "offer": .integer(Int64(number)), "bytes": .integer(bytes)]
        case .ends(let ticket, let outcome):
            ["said": "ends", "file": .integer(Int64(ticket)), "how": .string(outcome.rawValue)]
        }
    }

    /// - Returns: nil for a line that is none, or that goes beyond a limit that the bridge keeps.
    public init?(line: JSONValue) {
        func number(_ name: String) -> Int? {
            line[name]?.integer.flatMap { $0 >= 0 ? Int(exactly: $0) : nil }
        }
        switch line["said"]?.string {
        case "ready": self = .ready
        case "failed": self = .failed(String((line["why"]?.string ?? "").prefix(200)))
        case "echoed":
            guard let interface = line["on"]?.integer.flatMap({ UInt32(exactly: $0) }) else { return nil }
            self = .echoed(on: interface)
        case "reached": self = .reached
        case "devices":
            guard let devices = line["devices"]?.array, devices.count <= LocalSendLimits.devices else { return nil }
            let known = devices.compactMap(Device.init)
            guard known.count == devices.count else { return nil }
            self = .devices(known)
        case "offered":
            guard let offer = number("offer"), let device = line["device"].flatMap(Device.init),
                let items = line["items"]?.array, items.count <= LocalSendLimits.files
            else { return nil }
            let known = items.compactMap(Item.init)
            let text = line["text"]?.string
            guard known.count == items.count, text == nil ? !known.isEmpty : known.isEmpty,
                text?.utf8.count ?? 0 <= LocalSendLimits.textBytes
            else { return nil }
            self = .offered(offer, device, items: known, text: text)
        case "over":
            guard let offer = number("offer"), let ending = line["why"]?.string.flatMap(Ending.init) else { return nil }
            self = .over(offer, ending)
        case "begins":
            guard let ticket = number("file"), let offer = number("offer"), let item = number("item") else {
                return nil
            }
            self = .begins(ticket: ticket, offer: offer, item: item)
        case "came":
            guard let offer = number("offer"), let bytes = line["bytes"]?.integer, bytes >= 0 else { return nil }
            self = .came(offer, bytes: bytes)
        case "ends":
            guard let ticket = number("file"), let outcome = line["how"]?.string.flatMap(Outcome.init) else {
                return nil
            }
            self = .ends(ticket: ticket, outcome)
        default: return nil
        }
    }
}

extension BridgeReport.Device {
    var json: JSONObject { ["info": .object(info.json), "address": .string(address.description)] }

    init?(_ json: JSONValue) {
        guard let info = json["info"].flatMap({ DeviceInfo($0) }),
            let address = json["address"]?.string.flatMap({ IPAddress($0) })
        else { return nil }
        self.init(info: info, address: address)
    }
}

extension BridgeReport.Item {
    fileprivate init?(_ json: JSONValue) {
        guard let name = json["name"]?.string, name.utf8.count <= LocalSendLimits.nameBytes,
            let size = json["size"]?.integer, size >= 0
        else { return nil }
        self.init(name: name, size: size)
    }
}
