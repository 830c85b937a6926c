import Basics
import PeerProtocol
import Testing

@Suite("SessionTieBreak") struct DiscoveryTieBreakTests {
    private let small = [DiscoveryFixture.device(1), DiscoveryFixture.device(2)].min() ?? DiscoveryFixture.device(1)
    private let large = [DiscoveryFixture.device(1), DiscoveryFixture.device(2)].max() ?? DiscoveryFixture.device(2)

    @Test("of two crossing dials both sides keep the smaller key's, whichever was finished first where")
    func crossing() {
        for smallSeesOwnFirst in [true, false] {
            for largeSeesOwnFirst in [true, false] {
                let newAtSmall = SessionTieBreak.keepsNew(
                    own: small, peer: large, newIsDialledByUs: !smallSeesOwnFirst, oldIsDialledByUs: smallSeesOwnFirst,
                    oldAge: .milliseconds(3))
                let newAtLarge = SessionTieBreak.keepsNew(
                    own: large, peer: small, newIsDialledByUs: !largeSeesOwnFirst, oldIsDialledByUs: largeSeesOwnFirst,
                    oldAge: .milliseconds(40))
                let smallKeepsOwn = newAtSmall != smallSeesOwnFirst
                let largeKeepsOwn = newAtLarge != largeSeesOwnFirst
                #expect(smallKeepsOwn && !largeKeepsOwn)
            }
        }
    }

    @Test("a second session beside a settled one stays, whichever side dialled")
    func settled() {
        for byUs in [true, false] {
            for (own, peer) in [(small, large), (large, small)] {
                #expect(
                    SessionTieBreak.keepsNew(
                        own: own, peer: peer, newIsDialledByUs: byUs, oldIsDialledByUs: !byUs, oldAge: .seconds(3600)))
            }
        }
    }

    @Test("the later of one device's dials stays, and any dial to a daemon that has restarted")
    func laterAndOtherRun() {
        for byUs in [true, false] {
            #expect(
                SessionTieBreak.keepsNew(
                    own: small, peer: large, newIsDialledByUs: byUs, oldIsDialledByUs: byUs, oldAge: .zero))
        }
        #expect(
            SessionTieBreak.keepsNew(
                own: large, peer: small, newIsDialledByUs: true, oldIsDialledByUs: false, oldAge: .zero,
                isOtherRun: true))
    }
}
