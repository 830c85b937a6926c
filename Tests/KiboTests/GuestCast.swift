import ControlProtocol
import Vocabulary

/// The devices with LocalSend that the scripts speak of, what they offer, and what they are offered.
enum GuestCast {
    static let first = "019ac0de-7777-7000-8000-000000000001"
    static let second = "019ac0df-7777-7000-8000-000000000002"
    /// What the user gives.
    static let third = "019ac0e5-7777-7000-8000-000000000005"
    static let until = Cast.noon + 300_000
    static let phone = GuestDevice(
        id: "00112233aabbccdd", name: "Nice\u{1B}[2J Orange", model: "Pi\u{202E}xel", kind: .mobile,
        address: "192.168.1.7:53317", encrypted: true)
    static let laptop = GuestDevice(
        id: "ffee2233aabbccdd", name: "Old Laptop", model: nil, kind: .desktop, address: "192.168.1.9:53317",
        encrypted: false)

    /// What a device offers.
    static func files(
        _ id: String = first, _ device: GuestDevice = phone, _ state: GuestOffer.State = .waiting,
        problem: Reason? = nil, detail: String? = nil
    ) -> GuestOffer {
        let items = [
            GuestOffer.Item(number: 0, name: "photo.jpg", size: 2048, refusal: nil),
            GuestOffer.Item(number: 1, name: "ru\u{1B}n.exe", size: 1024, refusal: .typeNotAllowed),
            GuestOffer.Item(number: 2, name: "film.mp4", size: 4096, refusal: nil),
        ]
        return GuestOffer(
            id: id, device: device, state: state, items: items, size: 7168, cameAt: Cast.noon,
            until: state == .waiting ? until : nil, problem: problem, detail: detail)
    }

    /// Folders that a device offers.
    static func folders(_ state: GuestOffer.State = .waiting) -> GuestOffer {
        let items = [
            GuestOffer.Item(number: 0, name: "1.jpg", folder: "Holi\u{1B}day/Day 1", size: 2048, refusal: nil),
            GuestOffer.Item(number: 1, name: "note.txt", size: 1024, refusal: nil),
            GuestOffer.Item(number: 2, name: "2.jpg", folder: "Holi\u{1B}day", size: 4096, refusal: nil),
            GuestOffer.Item(number: 3, name: "1.jpg", folder: "Work", size: 1024, refusal: nil),
        ]
        return GuestOffer(
            id: first, device: phone, state: state, items: items, size: 8192, cameAt: Cast.noon,
            until: state == .waiting ? until : nil)
    }

    static func text(_ id: String = second, _ state: GuestOffer.State = .waiting) -> GuestOffer {
        GuestOffer(
            id: id, device: laptop, state: state, text: "see \u{1B}[31mthis\nand that", cameAt: Cast.noon,
            until: state == .waiting ? until : nil)
    }

    /// What the user gives to the phone.
    static func given(
        _ state: GuestOffer.State, files: Int = 2, problem: Reason? = nil, detail: String? = nil
    ) -> GuestOffer {
        let items = [
            GuestOffer.Item(number: 0, name: "photo.jpg", size: 2048, refusal: nil),
            GuestOffer.Item(number: 1, name: "film.mp4", size: 4096, refusal: nil),
        ].prefix(files)
        return GuestOffer(
            id: third, device: phone, state: state, items: Array(items), size: items.reduce(0) { $0 + $1.size },
            cameAt: Cast.noon, until: state == .waiting ? until : nil, problem: problem, detail: detail)
    }

    /// An answer to `guest.list`.
    static func guests(
        on isOn: Bool = true, port: Int64? = 53_317, problem: String? = nil,
        devices: [GuestDevice] = [phone, laptop], _ offers: [GuestOffer] = [], given: [GuestOffer] = []
    ) -> JSONValue {
        var object = JSONObject()
        object["on"] = .bool(isOn)
        object["name"] = "Anna"
        object["port"] = port.map { JSONValue.integer($0) } ?? JSONValue.null
        object["problem"] = problem.map { JSONValue.string($0) } ?? JSONValue.null
        object["devices"] = .array(devices.map(\.json))
        object["offers"] = .array(offers.map(\.json))
        object["given"] = .array(given.map(\.json))
        return .object(object)
    }
}
