/// The limits of this module, each with its unit and reason. Those of passphrases and sealed keys are in Crypto.
enum AccountLimits {
    /// The wait after the first wrong passphrase, which doubles with each, and the longest: a user who mistypes doesn't notice
    /// the first, and a program makes no more than a thousand and a half tries a day.
    static let passphraseDelay = (first: Duration.seconds(1), longest: Duration.seconds(60))
}
