import Basics
import Testing

@testable import Crypto

struct SafetyNumberTests {
    private func account(_ byte: UInt8) throws -> AccountID {
        try #require(AccountID(bytes: [UInt8](repeating: byte, count: 32)))
    }

    @Test("Both sides see the same sixty digits, and other pairs see other digits")
    func symmetric() throws {
        let (anna, ben, carl) = (try account(1), try account(2), try account(3))
        let number = SafetyNumber(anna, ben)
        #expect(number == SafetyNumber(ben, anna))
        #expect(number.digits.count == 60 && number.digits.allSatisfy { $0.isNumber })
        #expect(number != SafetyNumber(anna, carl) && number != SafetyNumber(ben, carl))
        // Each half belongs to one account.
        let halves = Set([String(number.digits.prefix(30)), String(number.digits.suffix(30))])
        let others = SafetyNumber(anna, carl)
        #expect(halves.intersection([String(others.digits.prefix(30)), String(others.digits.suffix(30))]).count == 1)
        #expect(number.digits.prefix(30) <= number.digits.suffix(30))
    }

    @Test("A typed number may have spaces and dashes; texts too short, too long or with other characters fail")
    func typed() throws {
        let number = SafetyNumber(try account(1), try account(2))
        #expect(number.groups.count == 12 && number.groups.allSatisfy { $0.count == 5 })
        #expect(SafetyNumber(number.description) == number)
        #expect(SafetyNumber("  " + number.groups.joined(separator: "-\n") + "\t") == number)
        #expect(SafetyNumber(String(number.digits.dropLast())) == nil)
        #expect(SafetyNumber(number.digits + "0") == nil)
        #expect(SafetyNumber("x" + number.digits.dropFirst()) == nil)
        // Swift counts digits of other scripts as digits; this parser does not.
        #expect(SafetyNumber("٣" + number.digits.dropFirst()) == nil)
        #expect(SafetyNumber("") == nil)
    }
}
