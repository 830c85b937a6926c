import Basics
import Testing

@testable import TransferService

/// Goal: nobody can open so many connections for files that others get none.
@Suite("Places for accounts that fetch files from us")
struct ServingPlacesTests {
    private static func account(_ number: UInt8) -> AccountID {
        AccountID(bytes: [UInt8](repeating: number, count: 32))!
    }

    private let most = TransferServiceLimits.activeTransfersPerPeer * 2
    private let all = TransferServiceLimits.activeTransfers * 2

    @Test(
        "When a few accounts have taken every place, a newcomer takes places from them until all have about the same number"
    )
    func crowd() {
        var peers: [AccountID] = []
        func come(_ account: AccountID) -> Bool {
            switch ServingPlaces(peers).answer(to: account) {
            case .busy: return false
            case .free: break
            case .instead(let loser):
                guard let place = peers.firstIndex(of: loser) else { return false }
                peers.remove(at: place)
            }
            peers.append(account)
            return true
        }
        for number in 0..<UInt8(all / most) {
            for _ in 0..<most { #expect(come(Self.account(number))) }
            #expect(!come(Self.account(number)))
        }
        #expect(peers.count == all)
        let late = Self.account(200)
        var count = 0
        while count < 100, come(late) { count += 1 }
        #expect(peers.count == all && count >= most - 2 && count < most)
        // Those who lost places take none of them back from those who have fewer.
        for number in 0..<UInt8(all / most) { #expect(!come(Self.account(number))) }
        let shares = Dictionary(grouping: peers, by: \.self).values.map(\.count)
        #expect(shares.max()! - shares.min()! <= 1)
        #expect(!come(late) && shares.allSatisfy { $0 > 0 })
    }
}
