import ControlProtocol

/// An effect that the controller wants carried out by the loop.
enum ChatEffect: Equatable {
    /// Ask the daemon; the answer comes back with what it is for.
    case call(String, JSONObject, ChatRequest)
    case bell
    /// Stop as Ctrl-Z does, until the shell lets it go on.
    case suspend
    /// Draw everything again, whatever is on the screen.
    case repaint
    /// Give the connection up and make another: the daemon can't serve this one now.
    case disconnect
    case quit
}

/// The purpose of an answer.
enum ChatRequest: Equatable {
    case subscribed
    /// The newest page, with the number of the last event when it was asked for, and the load that it belongs to.
    case newest(asOf: Int64, load: Int)
    case older(asOf: Int64, load: Int)
    case conversation(String)
    /// All chats.
    case chats
    /// The calls that are not over.
    case calls
    /// A call was declined or ended.
    case ofCall
    /// The person or group that a name means, to go to that chat.
    case named
    /// The chat to go to.
    case turned
    /// How many are unread in all, when that load was asked for.
    case unread(load: Int)
    case contacts
    case group
    /// A conversation in place of one that is gone, for a message of ours, by its key.
    case opened(key: String)
    case transfers
    /// A message of ours, by its key.
    case sent(key: String, asOf: Int64)
    /// A change of a message, and what to say if it fails, and when it is done.
    case changed(String, done: String?, asOf: Int64)
    /// A new text for a message.
    case edited(String, text: String, asOf: Int64)
    /// The story of a message: the beginnings of its id and of its text.
    case why(String, String)
    case search
    case quote(String)
    /// Something was done about the file of that name.
    case moved(String)
    case markedRead
    case typing
}
