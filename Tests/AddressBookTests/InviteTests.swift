import AddressBook
import Testing

@Suite("Invitations")
struct InviteTests {
    @Test("mailto: links follow RFC 6068 §6")
    func mail() {
        for (addresses, subject, body, link): ([String], String?, String?, String) in [
            (["chris@example.com"], nil, nil, "mailto:chris@example.com"),
            (["infobot@example.com"], "current-issue", nil, "mailto:infobot@example.com?subject=current-issue"),
            (
                ["infobot@example.com"], nil, "send current-issue",
                "mailto:infobot@example.com?body=send%20current-issue"
            ),
            (
                ["infobot@example.com"], nil, "send current-issue\nsend index",
                "mailto:infobot@example.com?body=send%20current-issue%0D%0Asend%20index"
            ),
            (["list@example.org"], "a&b?=#", nil, "mailto:list@example.org?subject=a%26b%3F%3D%23"),
            (["gorby%kremvax@example.com"], nil, nil, "mailto:gorby%25kremvax@example.com"),
            (["unlikely?address@example.com"], nil, nil, "mailto:unlikely%3Faddress@example.com"),
            (["Mike&family@example.org"], nil, nil, "mailto:Mike%26family@example.org"),
            (["\"not@me\"@example.org"], nil, nil, "mailto:%22not%40me%22@example.org"),
            (["\"oh\\\\no\"@example.org"], nil, nil, "mailto:%22oh%5C%5Cno%22@example.org"),
            (
                ["\"\\\\\\\"it's\\ ugly\\\\\\\"\"@example.org"], nil, nil,
                "mailto:%22%5C%5C%5C%22it's%5C%20ugly%5C%5C%5C%22%22@example.org"
            ),
            (["user@example.org"], "café", "café", "mailto:user@example.org?subject=caf%C3%A9&body=caf%C3%A9"),
            (["user@example.org"], "コーヒー", nil, "mailto:user@example.org?subject=%E3%82%B3%E3%83%BC%E3%83%92%E3%83%BC"),
            (
                ["user@納豆.example.org"], "Test", "NATTO",
                "mailto:user@%E7%B4%8D%E8%B1%86.example.org?subject=Test&body=NATTO"
            ),
            (["a@example.com", "b,c@example.com"], nil, nil, "mailto:a@example.com,b%2Cc@example.com"),
            (["bill+ietf@example.org"], nil, "1+1\r\n2", "mailto:bill+ietf@example.org?body=1%2B1%0D%0A2"),
        ] { #expect(InviteLink.mail(to: addresses, subject: subject, body: body) == link) }
    }

    @Test("sms: links follow RFC 5724 §2.5")
    func text() {
        #expect(InviteLink.text(to: ["+15105550101"]) == "sms:+15105550101")
        #expect(
            InviteLink.text(to: ["+15105550101", "+15105550102"], body: "hello there")
                == "sms:+15105550101,+15105550102?body=hello%20there")
        #expect(InviteLink.text(to: ["+49170"], body: "Grüße &?\n") == "sms:+49170?body=Gr%C3%BC%C3%9Fe%20%26%3F%0A")
    }

    @Test("Each placeholder is filled in, other braces stay, and a name is never taken for a placeholder")
    func placeholders() {
        let text = InviteText("Hello {name}, {me} here: {link} {phone} {na{name}}{ {package}")
        #expect(
            text.filled(name: "{me}", me: "Anna", link: "kibo:x", package: "http://files.example/{link}")
                == "Hello {me}, Anna here: kibo:x {phone} {na{me}}{ http://files.example/{link}")
        #expect(
            InviteText("Kibo ({package})").filled(name: "", me: "", link: "", package: "")
                == "Kibo (ask me how to get it)")
        #expect(text.isPersonal && !InviteText("Hello {me} {link}").isPersonal)
    }

    @Test("A message for sendmail has headers that can't be extended, and a text in base 64")
    func message() {
        let plain = String(
            decoding: MailMessage.bytes(to: "a@example.org", subject: "Hello", body: "one\n.\ntwo"), as: UTF8.self)
        #expect(
            plain == """
                To: a@example.org
                Subject: Hello
                MIME-Version: 1.0
                Content-Type: text/plain; charset=UTF-8
                Content-Transfer-Encoding: base64

                b25lCi4KdHdv

                """)
        let long = String(repeating: "Grüße von Zoë ", count: 10)
        let text = String(
            decoding: MailMessage.bytes(to: "a@b", subject: "x\nBcc: evil@example.org \(long)", body: long),
            as: UTF8.self)
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        #expect(lines.allSatisfy { $0.utf8.count <= 78 } && !lines.contains { $0.hasPrefix("Bcc") })
        #expect(lines[1].hasPrefix("Subject: =?UTF-8?B?") && lines[2].hasPrefix(" =?UTF-8?B?"))
        #expect(
            !String(decoding: MailMessage.bytes(to: "a@b", subject: "=?UTF-8?Q?x?=", body: ""), as: UTF8.self).contains(
                "Q?x"))
    }
}
