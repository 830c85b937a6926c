import Foundation
import Testing

@testable import ControlProtocol

/// The folder for downloads is where the desktop keeps it.
@Suite("The user's folders")
struct UserDirectoriesTests {
    @Test("user-dirs.dirs is read as xdg-user-dir reads it")
    func reading() {
        func folder(_ text: String) -> String? { UserDirectories.downloads(in: text, home: "/srv/anna") }
        #expect(folder("XDG_DOWNLOAD_DIR=\"$HOME/Téléchargements\"\n") == "/srv/anna/Téléchargements")
        #expect(folder("# a note\nXDG_DESKTOP_DIR=\"$HOME/Bureau\"\n  XDG_DOWNLOAD_DIR = \"/srv/down\"") == "/srv/down")
        #expect(folder("XDG_DOWNLOAD_DIR=\"$HOME/a\\\"b\\\\c\\$d\"") == "/srv/anna/a\"b\\c$d")
        #expect(folder("XDG_DOWNLOAD_DIR=\"/one\"\nXDG_DOWNLOAD_DIR=\"/two\"\nXDG_DOWNLOAD_DIR=\"three\"") == "/two")
        #expect(folder("XDG_DOWNLOAD_DIR=\"$HOME\"") == "/srv/anna")
        for text in [
            "", "#XDG_DOWNLOAD_DIR=\"/a\"", "XDG_DOWNLOAD_DIR=/a", "XDG_DOWNLOAD_DIR=\"a\"", "XDG_DOWNLOAD_DIRS=\"/a\"",
            "XDG_DOWNLOAD_DIR=\"$HOMEWARD/a\"", "XDG_DOWNLOAD_DIR=\"~/a\"", "XDG_DOWNLOAD_DIR=\"$(id)\"",
        ] {
            #expect(folder(text) == nil, "\(text)")
        }
        #expect(UserDirectories.downloads(inFile: "/nowhere/user-dirs.dirs", home: "/") == nil)
    }
}
