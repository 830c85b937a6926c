import Basics
import LocalSend
import Testing

@testable import LocalSendBridge

/// Goal: the daemon is told once that our announcements come back on an interface, and nothing that others send can make it so.
@Suite("Our announcements that come back")
struct OwnEchoesTests {
    private static let own = DeviceInfo(
        alias: "Anna’s Kibo", model: "Kibo", kind: .desktop, fingerprint: "ab01", port: 53_317, isEncrypted: true)
    private static let asking = Announcement(own, wantsAnswers: true).datagram
    private static let answering = Announcement(own, wantsAnswers: false).datagram
    private static let cable = IPAddress.v4(0x0A09_0005)
    private static let radio = IPAddress.v4(0xC0A8_0105)

    private var echoes = OwnEchoes(
        links: [.init(index: 2, address: cable, prefix: 24), .init(index: 3, address: radio, prefix: 24)], own: own)

    @Test("The first one on each interface is told, and again after all were asked again")
    mutating func first() {
        #expect(echoes.hear(Self.asking[...], from: Self.cable, on: 2) == .first)
        #expect(echoes.hear(Self.asking[...], from: Self.cable, on: 2) == .again)
        #expect(echoes.hear(Self.answering[...], from: Self.cable, on: 2) == .again)
        #expect(echoes.hear(Self.answering[...], from: Self.radio, on: 3) == .first)
        for _ in 0..<1000 { #expect(echoes.hear(Self.asking[...], from: Self.radio, on: 3) == .again) }
        echoes.begin()
        #expect(echoes.hear(Self.asking[...], from: Self.cable, on: 2) == .first)
    }

    @Test("A part of a longer piece of memory is read as the datagram that it is")
    mutating func slice() {
        let bytes = [1, 2] + Self.asking + [3]
        #expect(echoes.hear(bytes[2..<bytes.count - 1], from: Self.cable, on: 2) == .first)
    }

    @Test("A copy from another address, or on an interface that doesn't have the address, is one of others")
    mutating func forged() {
        for (source, interface): (IPAddress, UInt32) in [
            (.v4(0x0A09_0006), 2), (Self.radio, 2), (Self.cable, 3), (Self.cable, 4), (Self.cable, 0),
            (.v6(high: 0, low: 1, scope: 0), 2),
        ] {
            #expect(echoes.hear(Self.asking[...], from: source, on: interface) == .ofOthers)
        }
        #expect(echoes.hear(Self.asking[...], from: Self.cable, on: 2) == .first, "forged ones have changed nothing")
    }

    @Test("What another user of this host announces from the same address is no echo of ours")
    mutating func neighbour() {
        let other = DeviceInfo(
            alias: "Anna’s Kibo", model: "Kibo", kind: .desktop, fingerprint: "ab02", port: 53_317, isEncrypted: true)
        for datagram in [
            Announcement(other, wantsAnswers: true).datagram, Array(Self.asking.dropLast()), Self.asking + [0x20], [],
        ] {
            #expect(echoes.hear(datagram[...], from: Self.cable, on: 2) == .ofOthers)
        }
    }
}
