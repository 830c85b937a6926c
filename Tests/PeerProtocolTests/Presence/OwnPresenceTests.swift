import PeerProtocol
import Testing

@Suite("Our own presence")
struct OwnPresenceTests {
    @Test("What the user says counts until the user says otherwise")
    func said() {
        var presence = OwnPresence()
        #expect(presence.state == .online)
        presence.say(.away)
        #expect(presence.state == .away)
        presence.noticed(idle: false, by: 1)
        #expect(presence.state == .away, "an active client doesn't override what the user said")
        presence.say(.online)
        #expect(presence.state == .online)
        #expect(OwnPresence(said: .away).state == .away)
    }

    @Test("A user is idle if idle at every client that reports; what a client has noticed goes with the client")
    func noticed() {
        var presence = OwnPresence()
        presence.noticed(idle: true, by: 1)
        #expect(presence.state == .away && presence.said == .online)
        presence.noticed(idle: false, by: 2)
        #expect(presence.state == .online, "the user is active at the other client")
        presence.noticed(idle: true, by: 2)
        #expect(presence.state == .away)
        presence.left(1)
        #expect(presence.state == .away)
        presence.left(2)
        #expect(presence.state == .online, "no client is left that reports idle")
        presence.left(2)
        presence.left(77)
        #expect(presence.state == .online)
    }

    @Test("A user who sets the state to online is not idle, whatever was noticed before")
    func saidOnline() {
        var presence = OwnPresence()
        presence.noticed(idle: true, by: 1)
        presence.say(.online)
        #expect(presence.state == .online)
        presence.noticed(idle: true, by: 1)
        #expect(presence.state == .away, "the client may report idle again later")
        presence.noticed(idle: false, by: 1)
        presence.say(.online)
        presence.noticed(idle: true, by: 2)
        #expect(presence.state == .online, "the client that has seen the user active still counts")
    }
}
