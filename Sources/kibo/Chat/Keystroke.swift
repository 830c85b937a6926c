/// One thing that the user did on the keyboard.
enum Keystroke: Equatable {
    /// Characters, one or more. Never a control character.
    case text(String)
    /// Text that was pasted in one go; it may hold anything.
    case paste(String)
    case enter
    /// Alt-Enter or Ctrl-J: a new line in the text.
    case newline
    case tab
    case escape
    case backspace
    case delete
    case left
    case right
    case wordLeft
    case wordRight
    case up
    case down
    /// Up and Down with Ctrl: to choose a message, or a line of a list.
    case previous
    case next
    /// Up and Down with Alt: to the chat above or below in the list.
    case previousChat
    case nextChat
    case home
    case end
    case pageUp
    case pageDown
    /// Ctrl with a letter, in lower case, except for those that have a name above.
    case control(Character)
    /// Alt with a character.
    case alt(Character)
}
