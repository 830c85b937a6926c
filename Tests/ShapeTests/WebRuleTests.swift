import Testing

@Suite("The rules of the web client: the client keeps them, and each catches what it forbids")
struct WebRuleTests {
    @Test("The web client keeps its rules")
    func kept() {
        let files = Project.here.files.filter(WebRules.applies)
        #expect(files.count > 20)
        let report = files.flatMap(WebRules.all).map(\.description).joined(separator: "\n")
        #expect(report.isEmpty, "\(report)")
    }

    @Test("No more than three files of the web client import each other in a circle")
    func noCircles() {
        let circles = WebRules.circles(Project.here.files)
        #expect(circles.allSatisfy { $0.count <= 3 }, "\(circles)")
    }

    private func file(_ text: String, _ path: String = "Web/src/parts/a.tsx") -> SourceFile {
        SourceFile(path: path, text: text)
    }

    @Test(
        "Imports of the layers above are found, those of the layers below pass",
        arguments: [
            ("import { Row } from \"../screens/row\";", 1), ("import(\"../screens/sides/calls\")", 1),
            ("import { t } from \"../text/t\";", 0), ("import { useState } from \"react\";", 0),
            ("import { Icon } from \"./icon\";", 0),
        ])
    func layers(line: String, count: Int) { #expect(WebRules.imports(file(line)).count == count) }

    @Test("Files in a circle are found, also by way of others")
    func circles() {
        let files = [
            file("import { b } from \"./b\";", "Web/src/parts/a.ts"),
            file("import { c } from \"./deep/c\";", "Web/src/parts/b.tsx"),
            file("import type { A } from \"../a\";", "Web/src/parts/deep/c.ts"),
            file("import { a } from \"./a\";", "Web/src/parts/d.ts"),
        ]
        #expect(WebRules.circles(files) == [["Web/src/parts/a", "Web/src/parts/b", "Web/src/parts/deep/c"]])
    }

    @Test(
        "Untyped values, and comments that silence the compiler, are found",
        arguments: ["let a: any = 1", "f(x as any)", "Array<any>", "let a: any[] = []", "// @ts-ignore"])
    func untyped(line: String) { #expect(WebRules.types(file("// head\n" + line)).map(\.line).first == 2) }

    @Test(
        "The word in a comment or a text is nothing", arguments: ["// for any reason", "t(\"any.key\")", "anyone(1)"])
    func typed(line: String) { #expect(WebRules.types(file(line)).isEmpty) }

    @Test(
        "What makes elements, code or styles of text is found",
        arguments: [
            "<p dangerouslySetInnerHTML={{ __html: x }} />", "node.innerHTML = x", "document.write(x)", "eval(x)",
            "<p style={{ color }} />",
        ])
    func markup(line: String) { #expect(WebRules.markup(file(line)).count == 1) }

    @Test(
        "Words outside the catalogue are found",
        arguments: ["<p>Hello there</p>", "<Button icon=\"add\">Add</Button>", "<input aria-label=\"Your name\" />"])
    func words(line: String) { #expect(WebRules.words(file(line)).count == 1) }

    @Test(
        "Words of the catalogue, types and comparisons pass",
        arguments: [
            "<p>{t(\"a.b\")}</p>", "<SearchField label=\"friends.search\" />", "const a = new Map<string, number>();",
            "if (a > limit && b < most) return;", "<span>·</span>", "<img alt=\"\" />",
        ])
    func noWords(line: String) { #expect(WebRules.words(file(line)).isEmpty) }

    @Test(
        "Physical directions are found, logical ones and media queries pass",
        arguments: [
            ("a { margin-left: 1px }", 1), ("  left: 0;", 1), ("a { width: 1px }", 1), ("a { text-align: right }", 1),
            ("a { margin-inline-start: 1px; inline-size: 3px; text-align: start }", 0),
            ("@media (min-width: 30rem) {", 0), ("/* left: 0 */", 0), ("a { border-radius: 3px }", 0),
        ])
    func directions(line: String, count: Int) {
        #expect(WebRules.logicalProperties(file(line, "Web/style/a.css")).count == count)
    }
}
