import Basics
import ControlProtocol
import Messaging
import PeerProtocol
import Testing
import Vocabulary

@testable import Daemon
@testable import Doctor
@testable import Store

/// Goal: the doctor says whether somebody keeps messages for this account, and for which friends nobody could.
@Suite("What the doctor says of couriers")
struct CourierCheckTests {
    private let anna, ben, carl: CourierParty

    init() throws { (anna, ben, carl) = try courierTrio() }

    private func check(_ party: CourierParty) throws -> DoctorCheck {
        try party.read { CourierCheck.check(try CourierCheck.find(own: party.account, in: $0)) }
    }

    private func codes(_ check: DoctorCheck) -> [DoctorFinding?] { check.findings.map(\.code) }

    @Test("Nobody is named: that is said, and nothing is wrong")
    func none() throws {
        let check = try check(anna)
        #expect(check.ok && check.advice.isEmpty && codes(check) == [.couriersNone])
    }

    @Test("One courier keeps messages, one keeps nothing, and one hasn't said")
    func named() throws {
        #expect(try codes(check(ben)) == [.couriersKeep] && check(ben).findings[0].parameters["names"] == ["Carl"])
        try carl.name([], days: 0)
        try carl.tell(ben)
        let refused = try check(ben)
        #expect(!refused.ok && codes(refused) == [.couriersRefuse] && refused.advice.map(\.code) == [.nameCourier])
        let dora = try CourierParty(4, "Dora")
        try ben.know(dora)
        try ben.write { _ = try MailNotes.name(dora.account, in: $0) }
        #expect(try codes(check(ben)) == [.couriersRefuse, .couriersUnknown])
    }

    @Test("A friend whose couriers are no friends of ours, or keep nothing: what is written to them waits here")
    func without() throws {
        #expect(try codes(check(anna)) == [.couriersNone])
        try carl.name([], days: 0)
        try carl.tell(anna)
        let none = try check(anna)
        #expect(
            codes(none) == [.couriersNone, .friendsWithoutCourier] && none.findings[1].parameters["names"] == ["Ben"])
        try carl.name([])
        try carl.tell(anna)
        try anna.know(carl, as: .none)
        #expect(try codes(check(anna)) == [.couriersNone, .friendsWithoutCourier] && check(anna).ok)
        // Ben has named only Carl, so Carl needn't know another courier of Ben's.
        try anna.know(carl)
        #expect(try codes(check(carl)) == [.couriersNone])
    }
}
