/// The accounts that see a part of our profile.
public enum Visibility: String, ContractWord {
    case everyone, friends, nobody

    /// Whether one who is a friend, or is none, sees it.
    public func isFor(friend isFriend: Bool) -> Bool {
        switch self {
        case .everyone: true
        case .friends: isFriend
        case .nobody: false
        }
    }
}

/// The settings of what others see.
extension SettingsCatalogue {
    public static let showEmail = SettingKey<Visibility>(
        "privacy.showEmail", .friends,
        "who sees your e-mail address: `everyone` on the network, your `friends`, or `nobody`")
    public static let showPhone = SettingKey<Visibility>(
        "privacy.showPhone", .friends,
        "who sees your telephone number: `everyone` on the network, your `friends`, or `nobody`")

    static let profile: [SettingSpec] = [showEmail.spec, showPhone.spec]
}
