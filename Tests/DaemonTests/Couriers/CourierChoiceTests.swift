import Basics
import Testing

@testable import TransferService

/// Goal: a courier that doesn't answer keeps few files back while another one has them.
@Suite("Which courier is asked for a file")
struct CourierChoiceTests {
    private static func account(_ number: UInt8) -> AccountID {
        AccountID(bytes: [UInt8](repeating: number, count: 32))!
    }

    @Test(
        "Any at first; then the one that hasn't failed, or failed longest ago; one that gives is as good as any again")
    func choice() {
        let couriers = (1...3).map { Self.account($0) }
        var choice = CourierChoice()
        #expect(choice.choose(among: []) == nil)
        #expect(Set((0..<200).map { _ in choice.choose(among: couriers) }).count == 3)
        choice.ended(couriers[0], gaveNothing: true, at: Instant(nanoseconds: 10))
        choice.ended(couriers[1], gaveNothing: true, at: Instant(nanoseconds: 20))
        for _ in 0..<100 { #expect(choice.choose(among: couriers) == couriers[2]) }
        for _ in 0..<100 { #expect(choice.choose(among: couriers.prefix(2)) == couriers[0]) }
        #expect(choice.choose(among: [couriers[1]]) == couriers[1])
        choice.ended(couriers[0], gaveNothing: false, at: Instant(nanoseconds: 30))
        #expect(Set((0..<200).map { _ in choice.choose(among: couriers) }) == [couriers[0], couriers[2]])
    }
}
