/// The settings of invitations.
extension SettingsCatalogue {
    public static let inviteText = SettingKey<String>(
        "invite.text", .text(.characters(ProtocolLimits.inviteCharacters)),
        """
        Hello {name},

        I use Kibo, a messenger for our local network: messages and files go straight from one computer to the other, \
        without a server and without the internet. Join me: install Kibo ({package}), and add me with

            kibo add {link}

        {me}
        """,
        "the text of an invitation; {name} is the invited person's name, {me} yours, {link} your link, {package} the "
            + "address of the package")
    public static let invitePackageAddress = SettingKey<String>(
        "invite.packageAddress", .label(minimum: 0, maximum: ProtocolLimits.packageAddressCharacters), "",
        "where people can get Kibo's package, such as a page or a shared folder on your network; invitations mention "
            + "it")
    public static let inviteEmailCommand = SettingKey<String>(
        "invite.emailCommand", .command(required: [], allowed: ["{email}", "{name}", "{subject}"]), "",
        "the program that sends invitations by e-mail, run without a shell, such as `sendmail -t`; its standard input "
            + "is a complete message, or only the text if {subject} is among its arguments; {email} and {name} are "
            + "filled in")
    public static let inviteSMSCommand = SettingKey<String>(
        "invite.smsCommand", .command(required: ["{phone}"], allowed: ["{phone}", "{name}", "{text}"]), "",
        "the program that sends invitations by SMS, run without a shell, such as `gammu sendsms TEXT "
            + "{phone}`; its standard input is the text; {phone}, {name} and {text} are filled in")

    static let invite: [SettingSpec] = [
        inviteText.spec, invitePackageAddress.spec, inviteEmailCommand.spec, inviteSMSCommand.spec,
    ]
}
