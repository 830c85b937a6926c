import Basics
import TestSupport
import Testing

@testable import Store

/// Goal: a device to which something was given is known again by its certificate, and no number of them fills the disk.
@Suite("Devices that are no peers")
struct GuestDevicesTests {
    private static func fingerprint(_ number: Int) -> [UInt8] {
        withUnsafeBytes(of: number.bigEndian) { [UInt8](repeating: 7, count: 24) + Array($0) }
    }

    @Test("Each is known by its certificate, under its last name, also after the store was closed")
    func known() async throws {
        let fixture = try await Fixture()
        try await fixture.store.commit { transaction in
            #expect(try GuestDevices.all(transaction).isEmpty)
            try GuestDevices.note(Self.fingerprint(1), alias: "Nice Orange", in: transaction)
            try GuestDevices.note(Self.fingerprint(2), alias: "Nice Orange", in: transaction)
            try GuestDevices.note(Self.fingerprint(1), alias: "Good Pear", in: transaction)
        }
        fixture.store.close()
        let again = try fixture.reopen()
        let known = try await again.read { try GuestDevices.all($0) }
        #expect(known == [Self.fingerprint(1): "Good Pear", Self.fingerprint(2): "Nice Orange"])
        again.close()
    }

    @Test("Beyond the limit the one goes that got something longest ago")
    func limit() async throws {
        let fixture = try await Fixture()
        for number in 0..<GuestDevices.most {
            fixture.clocks.advance(.seconds(1))
            try await fixture.store.commit {
                try GuestDevices.note(Self.fingerprint(number), alias: "\(number)", in: $0)
            }
        }
        fixture.clocks.advance(.seconds(1))
        try await fixture.store.commit { transaction in
            try GuestDevices.note(Self.fingerprint(0), alias: "again", in: transaction)
            try GuestDevices.note(Self.fingerprint(-1), alias: "new", in: transaction)
        }
        let known = try await fixture.store.read { try GuestDevices.all($0) }
        #expect(known.count == GuestDevices.most)
        #expect(known[Self.fingerprint(0)] == "again" && known[Self.fingerprint(-1)] == "new")
        #expect(known[Self.fingerprint(1)] == nil && known[Self.fingerprint(2)] != nil)
        fixture.store.close()
    }
}
