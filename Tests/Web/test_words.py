"""The words of the web client: both languages have all of them, and each code of the contract has some."""

import json
import pathlib
import re
import unittest

WEB = pathlib.Path(__file__).parents[2] / "Web"
PLACEHOLDER = re.compile(r"\{(\w+)\}")


def once(pairs):
    """The object of these fields, each of which stands there once."""
    names = [name for name, _ in pairs]
    twice = {name for name in names if names.count(name) > 1}
    assert not twice, f"twice in one file: {twice}"
    return dict(pairs)


def messages(language):
    found = {}
    for file in sorted((WEB / "messages" / language).glob("*.json")):
        for key, text in json.loads(file.read_text(), object_pairs_hook=once).items():
            assert key not in found, f"{key} stands in two files of {language}"
            found[key] = text
    return found


def forms(text):
    return [text] if isinstance(text, str) else list(text.values())


def codes(name):
    text = (WEB / "src/contract/codes.ts").read_text()
    block = re.search(rf"export const {name} = \[(.*?)\]", text, re.S)
    return re.findall(r'"([^"]+)"', block.group(1))


class Words(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.english, cls.german = messages("en"), messages("de")

    def test_keys(self):
        """English and German have the same keys"""
        self.assertEqual(set(self.english), set(self.german))

    def test_placeholders(self):
        """A text has the same placeholders and plural forms in both languages"""
        for key, text in self.english.items():
            other = self.german.get(key, "")
            self.assertEqual(isinstance(text, str), isinstance(other, str), key)
            expected = {name for form in forms(text) for name in PLACEHOLDER.findall(form)}
            found = {name for form in forms(other) for name in PLACEHOLDER.findall(form)}
            self.assertEqual(expected, found, key)
            if not isinstance(text, str):
                self.assertIn("other", text, key)
                self.assertEqual(set(text), set(other), key)

    def test_no_empty_text(self):
        """No text is empty"""
        for language in (self.english, self.german):
            for key, text in language.items():
                self.assertTrue(all(form.strip() for form in forms(text)), key)

    def test_codes(self):
        """Each reason, hint, system line, problem and part of a message's story has words"""
        lines = {
            "role_changed": ["role_changed.owner", "role_changed.admin", "role_changed.member"],
            "created": ["created", "createdWith"], "described": ["described", "describedEmpty"],
            "picture_changed": ["picture_changed", "pictureGone"], "history_changed": ["history_changed", "historyNone"],
        }
        wanted = [f"reason.{code}" for code in codes("reasonCodes")] + [f"hint.{code}" for code in codes("hintCodes")]
        wanted += [f"story.step.{code}" for code in codes("storyStepCodes")]
        wanted += [f"story.state.{code}" for code in codes("storyStateCodes")]
        wanted += [f"dial.{code}" for code in codes("dialProblemCodes")]
        wanted += [f"leftOut.{code}" for code in codes("leftOutCauseCodes")]
        wanted += [f"card.{code}" for code in codes("cardProblemCodes")]
        for key in ("story", "transfers", "file"):
            wanted += [f"{key}.cancelledBy.{code}" for code in codes("transferSideCodes")]
        for code in codes("lineActionCodes"):
            for key in lines.get(code, [code]):
                wanted += [f"line.{key}", f"line.{key}.own"]
        # What turns by a parameter has more than one text.
        turned = {"clock_far_off": [".behind", ".ahead"], "clocks_too_far": [".behind", ".ahead"], "clock_apart": [".behind", ".ahead"]}
        wanted += [f"doctor.finding.{code}{end}" for code in codes("doctorFindingCodes") for end in turned.get(code, [""])]
        wanted += [f"doctor.advice.{code}" for code in codes("doctorAdviceCodes")]
        self.assertGreater(len(wanted), 150)
        self.assertEqual([key for key in wanted if key not in self.english], [])

    def test_settings(self):
        """Each setting of the contract has a name, and each value that it may have"""
        text = (WEB / "src/contract/settings.ts").read_text()
        settings = re.findall(r'^  "([\w.]+)": (.+);$', text, re.M)
        self.assertGreater(len(settings), 20)
        kinds = [f"setting.files.autoDownloadKinds.{kind}" for kind in codes("attachmentKindCodes")]
        wanted = [f"setting.{key}" for key, _ in settings] + kinds
        wanted += [f"setting.{key}.{value}" for key, type in settings for value in re.findall(r'"(\w+)"', type)]
        self.assertEqual([key for key in wanted if key not in self.english], [])

    def test_guide(self):
        """What the guide prints in bold for the user to press stands on the page"""
        texts = {form for text in self.english.values() for form in forms(text)}
        bold = re.findall(r"\*\*([^*]+)\*\*", (WEB.parent / "docs/GUIDE.md").read_text())
        self.assertGreater(len(bold), 20)
        # A sentence in bold is a heading.
        named = [name for words in bold if not words.endswith(".") for name in words.split(" → ")]
        self.assertEqual([name for name in named if name != "Kibo" and not any(text.startswith(name) for text in texts)], [])

    def test_keys_are_used(self):
        """Each key stands in the sources, or begins as keys do that are put together from codes"""
        sources = "\n".join(file.read_text() for file in (WEB / "src").rglob("*.ts*"))
        made = {match.rstrip(".") for match in re.findall(r"`([\w.]+)\.\$\{", sources)}
        unused = [
            key for key in self.english
            if f'"{key}"' not in sources and not any(key.startswith(prefix + ".") for prefix in made)
        ]
        self.assertEqual(unused, [])
