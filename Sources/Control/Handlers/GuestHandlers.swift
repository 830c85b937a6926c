import ControlProtocol
import Reactor

/// The methods about devices that are no peers, such as phones with LocalSend.
@ReactorActor package struct GuestHandlers: MethodArea {
    package let base: MethodBase
    private let guests: any GuestControl

    package init(base: MethodBase, guests: any GuestControl) {
        self.base = base
        self.guests = guests
    }

    package var methods: [String: Method] {
        [
            "guest.list": { parameters, _ in list(look: parameters.bool("look")) },
            "guest.scan": { parameters, _ in
                let (asked, found) = try await guests.scan(address: parameters.optionalString("address"))
                return ["asked": .integer(Int64(asked)), "found": .integer(Int64(found))]
            },
            "guest.take": { parameters, _ in
                let items = parameters["items"]?.array.map { $0.compactMap { $0.integer.flatMap { Int(exactly: $0) } } }
                try await guests.take(try uuid("offer", parameters), items: items)
                return [:]
            },
            "guest.give": { parameters, _ in
                try await guests.give(
                    to: parameters.string("device"), text: parameters.optionalString("text"),
                    paths: try MessageHandlers.files(parameters), anyType: parameters.bool("anyType"),
                    pin: parameters.optionalString("pin")
                ).json
            },
            "guest.decline": { parameters, _ in
                try guests.decline(try uuid("offer", parameters))
                return [:]
            },
        ]
    }

    private func list(look: Bool) -> JSONValue {
        if look { guests.announce() }
        return [
            "on": .bool(guests.isOn), "name": .string(guests.name), "port": .optional(guests.port.map { Int64($0) }),
            "problem": .optional(guests.problem), "devices": .array(guests.devices.map(\.json)),
            "offers": .array(guests.offers.map(\.json)), "given": .array(guests.given.map(\.json)),
        ]
    }
}
