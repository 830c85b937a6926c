import Testing

@testable import PeerProtocol

@Suite("The dialler shows its identity only to the device that it meant")
struct ExpectationTests {
    @Test("another device that answers learns nothing more; the intended one does", arguments: [false, true])
    func expected(isRealm: Bool) throws {
        let realm = isRealm ? try realmKey(7) : nil
        let (anna, bert, mallory) = (try Person(1), try Person(2), try Person(3))
        let account = bert.account
        let lured = try Endpoint(dialling: .session, anna, realm: realm) { $0.account == account }
        let trap = Endpoint(accepting: mallory, realm: realm)
        try trap.feed(lured.takeOutput())
        #expect(throws: ChannelError.unexpected) { try lured.feed(trap.takeOutput()) }
        #expect(lured.output.isEmpty && lured.established == nil && trap.established == nil)
        let meant = try Endpoint(dialling: .session, anna, realm: realm) { $0.account == account }
        let friend = Endpoint(accepting: bert, realm: realm)
        try exchange(meant, friend)
        #expect(friend.established?.peer == anna.peer && meant.established?.peer == bert.peer)
    }
}
