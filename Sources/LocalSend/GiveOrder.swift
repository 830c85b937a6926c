import Basics
import ControlProtocol

/// What the daemon tells the giver, which hands files or a text to one device, or only asks who it is: a line of JSON each. With ``socket`` and ``file(_:)``
/// goes a descriptor.
public enum GiveOrder: Hashable, Sendable {
    /// A file that is given.
    public struct Item: Hashable, Sendable {
        /// With the names of folders before it, if it is in some.
        public let name: String
        public let size: Int64
        /// A media type.
        public let type: String

        public init(name: String, size: Int64, type: String) {
            self.name = name
            self.size = size
            self.type = type
        }
    }

    /// The files or the text that the giver hands over, and the device that gets them. Without either, the device is asked who
    /// it is, and may have any certificate.
    public struct Errand: Hashable, Sendable {
        /// What this host says of itself.
        public let info: DeviceInfo
        /// This host's certificate and its key in PEM, for devices that ask for one; nil if it has none.
        public let certificate: String?
        public let key: String?
        public let device: BridgeReport.Device
        /// What the device asks for; nil: nothing.
        public let pin: String?
        /// Either files, or a text, or neither.
        public let items: [Item]
        public let text: String?

        /// Whether the device is only asked who it is.
        public var isGreeting: Bool { items.isEmpty && text == nil }

        public init(
            info: DeviceInfo, certificate: String?, key: String?, device: BridgeReport.Device, pin: String?,
            items: [Item], text: String?
        ) {
            self.info = info
            self.certificate = certificate
            self.key = key
            self.device = device
            self.pin = pin
            self.items = items
            self.text = text
        }
    }

    /// The first order.
    case begin(Errand)
    /// The socket that comes with it is connected to the device.
    case socket
    /// The device can't be reached.
    case unreachable
    /// The file at this place of the errand, open for reading, comes with it.
    case file(Int)
    /// The file at this place can't be read, or is another one by now.
    case changed(Int)
    /// Ends it, and tells the device.
    case stop

    public var line: JSONObject {
        switch self {
        case .begin(let errand):
            [
                "do": "begin", "info": .object(errand.info.json), "certificate": .optional(errand.certificate),
                "key": .optional(errand.key), "device": .object(errand.device.json), "pin": .optional(errand.pin),
                "text": .optional(errand.text),
                "items": .array(
                    errand.items.map {
                        ["name": .string($0.name), "size": .integer($0.size), "type": .string($0.type)]
                    }),
            ]
        case .socket: ["do": "socket"]
        case .unreachable: ["do": "unreachable"]
        case .file(let place): ["do": "file", "item": .integer(Int64(place))]
        case .changed(let place): ["do": "changed", "item": .integer(Int64(place))]
        case .stop: ["do": "stop"]
        }
    }

    /// Whether a descriptor comes with it.
    public var hasDescriptor: Bool {
        switch self {
        case .socket, .file: true
        default: false
        }
    }

    /// - Returns: nil for a line that is none.
    public init?(line: JSONValue) {
        let place = line["item"]?.integer.flatMap { Int(exactly: $0) }
        switch line["do"]?.string {
        case "begin":
            guard let info = line["info"].flatMap({ DeviceInfo($0) }),
                let device = line["device"].flatMap({ BridgeReport.Device($0) }), let items = line["items"]?.array
            else { return nil }
            let known = items.compactMap(Item.init)
            let text = line["text"]?.string
            guard known.count == items.count, known.isEmpty || text == nil else { return nil }
            self = .begin(
                Errand(
                    info: info, certificate: line["certificate"]?.string, key: line["key"]?.string, device: device,
                    pin: line["pin"]?.string, items: known, text: text))
        case "socket": self = .socket
        case "unreachable": self = .unreachable
        case "file":
            guard let place else { return nil }
            self = .file(place)
        case "changed":
            guard let place else { return nil }
            self = .changed(place)
        case "stop": self = .stop
        default: return nil
        }
    }
}

extension GiveOrder.Item {
    fileprivate init?(_ json: JSONValue) {
        guard let name = json["name"]?.string, let size = json["size"]?.integer, size >= 0,
            let type = json["type"]?.string
        else { return nil }
        self.init(name: name, size: size, type: type)
    }
}

/// What the giver tells the daemon, a line of JSON each. It may have become the device's, so nothing in it is taken for true.
public enum GiveReport: Hashable, Sendable {
    /// How it has ended.
    public enum Ending: String, Hashable, Sendable, CaseIterable {
        /// What the device wanted was given.
        case done
        case declined
        /// The device asks for a PIN, or for another one.
        case pinNeeded = "pin"
        /// It takes something of somebody else.
        case busy
        /// It has been asked too often.
        case tooMany = "too many"
        /// It has ended it, after it had begun.
        case cancelled
        /// Its disk is full.
        case noRoom = "no room"
        /// It answered with a status that the protocol doesn't have there.
        case refused
        /// Its certificate is not the one that it announced.
        case otherCertificate = "certificate"
        case unreachable
        /// Nothing went on for long.
        case silent
        /// Nobody answered there in time.
        case expired
        /// The connection broke, or the answers make no sense.
        case broken
        /// A file is another one than was offered.
        case changed
        /// This user has ended it.
        case stopped
    }

    /// Wants a connection to the device.
    case dial
    /// This is what the device says of itself; its certificate, if there is one, is the one that it has shown.
    case met(DeviceInfo)
    /// The device's user takes the files at these places.
    case takes([Int])
    /// Wants to read the file at this place.
    case wants(Int)
    /// So many bytes have gone, of all files together.
    case went(Int64)
    /// The device has the file at this place.
    case gave(Int)
    /// The last word.
    /// - Parameter status: the last one of HTTP; nil if there was none.
    case over(Ending, status: Int?)

    public var line: JSONObject {
        switch self {
        case .dial: ["said": "dial"]
        case .met(let info): ["said": "met", "info": .object(info.json)]
        case .takes(let places): ["said": "takes", "items": .array(places.map { .integer(Int64($0)) })]
        case .wants(let place): ["said": "wants", "item": .integer(Int64(place))]
        case .went(let bytes): ["said": "went", "bytes": .integer(bytes)]
        case .gave(let place): ["said": "gave", "item": .integer(Int64(place))]
        case .over(let ending, let status):
            [
                "said": "over", "how": .string(ending.rawValue), "status": .optional(status.map { Int64($0) }),
            ]
        }
    }

    /// - Returns: nil for a line that is none.
    public init?(line: JSONValue) {
        let place = line["item"]?.integer.flatMap { Int(exactly: $0) }
        switch line["said"]?.string {
        case "dial": self = .dial
        case "met":
            guard let info = line["info"].flatMap({ DeviceInfo($0) }) else { return nil }
            self = .met(info)
        case "takes":
            guard let items = line["items"]?.array, items.count <= LocalSendLimits.files else { return nil }
            let places = items.compactMap { $0.integer.flatMap { Int(exactly: $0) } }
            guard places.count == items.count else { return nil }
            self = .takes(places)
        case "wants":
            guard let place else { return nil }
            self = .wants(place)
        case "went":
            guard let bytes = line["bytes"]?.integer, bytes >= 0 else { return nil }
            self = .went(bytes)
        case "gave":
            guard let place else { return nil }
            self = .gave(place)
        case "over":
            guard let ending = line["how"]?.string.flatMap(Ending.init) else { return nil }
            let status = line["status"]?.integer.flatMap { 100...999 ~= $0 ? Int($0) : nil }
            self = .over(ending, status: status)
        default: return nil
        }
    }
}
