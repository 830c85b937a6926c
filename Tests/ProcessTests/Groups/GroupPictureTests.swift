import Basics
import ControlProtocol
import TestSupport
import Testing

@Suite("Pictures of groups between real daemons", .serialized)
struct GroupPictureTests {
    /// Goal: the picture reaches a member that is no friend of any member that has it, and is given to members only.
    @Test("A member who is no friend asks for the group's picture and gets it")
    func stranger() throws {
        let scene = try GroupScene(["Anna", "Bert", "Cleo"])
        let (anna, bert, cleo) = (scene.people[0], scene.people[1], scene.people[2])
        let id = JSONValue.string(scene.group)
        _ = try anna.call(
            "group.setRole", ["id": id, "member": .string(try bert.account.id), "role": "admin"])
        try Patience.until("Bert is an admin", report: bert.logTail) {
            try scene.shown(at: bert)?["role"]?.string == "admin"
        }
        // Anna is a friend of both. Without her Cleo depends on Bert, who is no friend of hers.
        anna.kill()
        let path = bert.directory.file("boat.png")
        try TextFile.write(SampleFiles.png(width: 400, height: 300), to: path)
        _ = try bert.call("group.update", ["id": id, "avatarPath": .string(path)])
        let file = try Patience.until("Cleo has the picture", report: bert.logTail + cleo.logTail) {
            try scene.shown(at: cleo)?["avatar"]?.string
        }
        #expect(file.hasPrefix(cleo.dataPath + "/avatars/"))
        let relation = try cleo.call("contact.list")["contacts"]?.array?.map { try Contact(json: $0).displayName }
        #expect(relation == ["Anna"], "Bert is no contact of Cleo's")

        // Cleo may hand the picture on, too: Anna comes back when Bert, who chose it, is gone.
        bert.kill()
        try anna.start()
        try Patience.until("Anna has it from Cleo", report: anna.logTail) {
            try scene.shown(at: anna)?["avatar"]?.string != nil
        }
    }
}
