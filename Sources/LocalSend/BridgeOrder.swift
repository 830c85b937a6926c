import Basics
import ControlProtocol

/// What the daemon tells the bridge, a line of JSON each. With ``listen``, ``hear(_:)`` and ``write(_:)`` goes a descriptor.
public enum BridgeOrder: Hashable, Sendable {
    /// Where the bridge speaks and hears by datagrams.
    public struct Link: Hashable, Sendable {
        /// The kernel's number of the interface.
        public let index: UInt32
        /// Our address there.
        public let address: IPAddress
        /// Bits of its network.
        public let prefix: Int

        public init(index: UInt32, address: IPAddress, prefix: Int) {
            self.index = index
            self.address = address
            self.prefix = prefix
        }
    }

    /// What the bridge is to be.
    public struct Role: Hashable, Sendable {
        public let info: DeviceInfo
        /// The certificate and its key in PEM; nil for plain HTTP.
        public let certificate: String?
        public let key: String?
        public let pin: String?
        public let links: [Link]
        /// Offers and files get numbers from the next one on, so that no two bridges of a daemon have the same.
        public let first: Int

        public init(
            info: DeviceInfo, certificate: String?, key: String?, pin: String?, links: [Link], first: Int
        ) {
            self.first = first
            self.info = info
            self.certificate = certificate
            self.key = key
            self.pin = pin
            self.links = links
        }
    }

    /// The first order.
    case begin(Role)
    /// Serves the TCP socket that comes with it.
    case listen
    /// Speaks and hears on the UDP socket that comes with it, on the interfaces with these numbers.
    case hear([UInt32])
    /// Asks all devices who they are.
    case announce
    /// A device has said who it is when it was asked at its address.
    case met(BridgeReport.Device)
    /// What devices must say from now on; nil: nothing.
    case setPIN(String?)
    /// The user's answer to an offer: the places of the files that are wanted, none for a text; nil declines.
    case answer(Int, taking: [Int]?)
    /// The file of this ticket goes into the descriptor that comes with it.
    case write(Int)
    /// The file of this ticket can't be taken.
    case refuse(Int, UploadDesk.Status)
    /// Whether the file of this ticket, which has come whole, is kept.
    case kept(Int, Bool)
    /// Ends an offer whose files come.
    case stop(Int)

    public var line: JSONObject {
        switch self {
        case .begin(let role):
            [
                "do": "begin", "info": .object(role.info.json), "certificate": .optional(role.certificate),
                "key": .optional(role.key), "pin": .optional(role.pin), "first": .integer(Int64(role.first)),
                "links": .array(
                    role.links.map {
                        [
                            "index": .integer(Int64($0.index)), "address": .string($0.address.description),
                            "prefix": .integer(Int64($0.prefix)),
                        ]
                    }),
            ]
        case .listen: ["do": "listen"]
        case .hear(let interfaces): ["do": "hear", "on": .array(interfaces.map { .integer(Int64($0)) })]
        case .announce: ["do": "announce"]
        case .met(let device): ["do": "met", "device": .object(device.json)]
        case .setPIN(let pin): ["do": "pin", "pin": .optional(pin)]
        case .answer(let number, let items):
            [
                "do": "answer", "offer": .integer(Int64(number)),
                "items": items.map { .array($0.map { .integer(Int64($0)) }) } ?? .null,
            ]
        case .write(let ticket): ["do": "write", "file": .integer(Int64(ticket))]
        case .refuse(let ticket, let status):
            ["do": "refuse", "file": .integer(Int64(ticket)), "status": .integer(Int64(status.rawValue))]
        case .kept(let ticket, let isKept): ["do": "kept", "file": .integer(Int64(ticket)), "kept": .bool(isKept)]
        case .stop(let number): ["do": "stop", "offer": .integer(Int64(number))]
        }
    }

    /// Whether a descriptor comes with it.
    public var hasDescriptor: Bool {
        switch self {
        case .listen, .hear, .write: true
        default: false
        }
    }

    /// - Returns: nil for a line that is none.
    public init?(line: JSONValue) {
        func number(_ name: String) -> Int? { line[name]?.integer.flatMap { Int(exactly: $0) } }
        switch line["do"]?.string {
        case "begin":
            guard let info = line["info"].flatMap({ DeviceInfo($0) }), let links = line["links"]?.array,
                let first = number("first"), first >= 0
            else { return nil }
            self = .begin(
                Role(
                    info: info, certificate: line["certificate"]?.string, key: line["key"]?.string,
                    pin: line["pin"]?.string, links: links.compactMap(Link.init), first: first))
        case "listen": self = .listen
        case "hear":
            self = .hear((line["on"]?.array ?? []).compactMap { $0.integer.flatMap { UInt32(exactly: $0) } })
        case "announce": self = .announce
        case "met":
            guard let device = line["device"].flatMap({ BridgeReport.Device($0) }) else { return nil }
            self = .met(device)
        case "pin": self = .setPIN(line["pin"]?.string)
        case "answer":
            guard let offer = number("offer") else { return nil }
            self = .answer(
                offer, taking: line["items"]?.array.map { $0.compactMap { $0.integer.flatMap { Int(exactly: $0) } } })
        case "write":
            guard let ticket = number("file") else { return nil }
            self = .write(ticket)
        case "refuse":
            guard let ticket = number("file"), let status = number("status").flatMap(UploadDesk.Status.init) else {
                return nil
            }
            self = .refuse(ticket, status)
        case "kept":
            guard let ticket = number("file"), let isKept = line["kept"]?.bool else { return nil }
            self = .kept(ticket, isKept)
        case "stop":
            guard let offer = number("offer") else { return nil }
            self = .stop(offer)
        default: return nil
        }
    }
}

extension BridgeOrder.Link {
    fileprivate init?(_ json: JSONValue) {
        guard let index = json["index"]?.integer.flatMap({ UInt32(exactly: $0) }),
            let address = json["address"]?.string.flatMap({ IPAddress($0) }),
            let prefix = json["prefix"]?.integer.flatMap({ Int(exactly: $0) }), 0...128 ~= prefix
        else { return nil }
        self.init(index: index, address: address, prefix: prefix)
    }
}
