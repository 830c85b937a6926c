import Basics
import Network
import Reactor
import TestSupport
import Testing

@testable import CallService

/// Goal: two members without a session get one while both are in a call of their group, and no number of changes makes many dials.
@Suite("Members of a call without a session")
struct CallCompanyTests {
    private let start = Instant(nanoseconds: 1_000_000_000)

    private func device(_ byte: UInt8) throws -> DeviceID {
        DeviceID(try #require(Key32([UInt8](repeating: byte, count: 32))))
    }

    @ReactorActor private final class Finder: DeviceFinder {
        var present: Set<DeviceID> = []
        var sought: [DeviceID] = []
        func isPresent(_ device: DeviceID) -> Bool { present.contains(device) }
        func seek(_ device: DeviceID) { sought.append(device) }
    }

    @Test("A device that is about is looked for at once, and again after a pause; one that isn't about is not")
    @ReactorActor func seeks() async throws {
        let finder = Finder()
        let company = CallCompany(finder: finder)
        let (near, far) = (try device(1), try device(2))
        finder.present = [near]
        for step in 0..<100 { company.look(for: [near, far], now: start + .milliseconds(50 * step)) }
        #expect(finder.sought == [near])
        company.look(for: [near, far], now: start + CallCompany.seekPause)
        #expect(finder.sought == [near, near])
        finder.present = [near, far]
        company.look(for: [near, far], now: start + CallCompany.seekPause)
        #expect(finder.sought == [near, near, far])
    }

    @Test("A device that was reached and lost again is looked for at once")
    @ReactorActor func lost() async throws {
        let finder = Finder()
        let company = CallCompany(finder: finder)
        let one = try device(1)
        finder.present = [one]
        company.look(for: [one], now: start)
        company.look(for: [], now: start + .seconds(1))
        company.look(for: [one], now: start + .seconds(2))
        #expect(finder.sought == [one, one])
    }
}
