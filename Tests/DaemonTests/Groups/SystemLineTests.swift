import Basics
import Messaging
import Testing
import Vocabulary

@Suite("What Kibo itself says in a group, as it is stored")
struct SystemLineTests {
    private func person(_ number: UInt8, _ name: String, isOwn: Bool = false) throws -> SystemMessage.Person {
        SystemMessage.Person(
            account: try #require(AccountID(bytes: [UInt8](repeating: number, count: 32))), name: name, isOwn: isOwn)
    }

    @Test("Each sort comes back as it went; its names are what is searched")
    func roundTrip() throws {
        for action in LineAction.allCases {
            var line = SystemMessage(action, by: try person(1, "Anna", isOwn: true))
            #expect(SystemMessage(stored: line.stored) == line)
            line.subjects = [try person(2, "Ben"), try person(3, "")]
            (line.more, line.role, line.value, line.count) = (4, .owner, "Boat", 20)
            (line.isGone, line.isUndone) = (true, true)
            #expect(SystemMessage(stored: line.stored) == line)
            #expect(line.searchText == "Anna, Ben, Boat")
        }
    }

    @Test("What can't be read is no line")
    func others() throws {
        let stored = SystemMessage(.left, by: try person(1, "Anna")).stored
        for text in [nil, "", "Anna left", "00", String(stored.dropLast(2)), stored + "00"] {
            #expect(SystemMessage(stored: text) == nil, "\(text ?? "nil")")
        }
    }
}
