import Basics
import TestSupport
import Testing

@testable import Daemon
@testable import Network

struct GroupMeetingsTests {
    private func accounts(_ count: Int) -> [AccountID] {
        (0..<count).map { number in
            AccountID(bytes: (0..<32).map { UInt8(truncatingIfNeeded: $0 == 0 ? number : number >> 8) })!
        }
    }

    @Test func asksForAsManyAsAreMissing() {
        var random = SeededGenerator(seed: 1)
        let people = accounts(10)
        let wanted = GroupPeerSelection.wanted(
            [.init(reachable: people, connected: [people[0], people[1]])], using: &random)
        #expect(wanted.count == GroupPeerSelection.sessions - 2)
        #expect(wanted.isDisjoint(with: people.prefix(2)))
    }

    @Test func asksForNobodyWhereEnoughAreConnectedOrNobodyIsThere() {
        var random = SeededGenerator(seed: 2)
        let people = accounts(4)
        #expect(
            GroupPeerSelection.wanted([.init(reachable: people, connected: Set(people.prefix(3)))], using: &random)
                == [])
        #expect(GroupPeerSelection.wanted([.init(reachable: [], connected: [])], using: &random) == [])
    }

    @Test func oneWhoSharesTwoGroupsCountsForBoth() {
        var random = SeededGenerator(seed: 3)
        let people = accounts(3)
        let group = GroupPeerSelection.Standing(reachable: people, connected: [])
        #expect(GroupPeerSelection.wanted([group, group], using: &random) == Set(people))
    }

    /// Goal: what one member learns reaches all. The sessions that the members choose leave no member unconnected.
    @Test func membersOfALargeGroupAreAllConnected() {
        for seed in 0..<50 {
            var random = SeededGenerator(seed: UInt64(seed))
            let people = accounts(256)
            var links: [AccountID: Set<AccountID>] = [:]
            for one in people {
                let group = GroupPeerSelection.Standing(
                    reachable: people.filter { $0 != one }, connected: links[one] ?? [])
                for other in GroupPeerSelection.wanted([group], using: &random) {
                    links[one, default: []].insert(other)
                    links[other, default: []].insert(one)
                }
            }
            var seen: Set<AccountID> = [people[0]]
            var edge = [people[0]]
            while let one = edge.popLast() {
                for other in links[one] ?? [] where seen.insert(other).inserted { edge.append(other) }
            }
            #expect(seen.count == people.count, "seed \(seed)")
        }
    }
}
