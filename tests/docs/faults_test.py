"""Faults that tools/docs must find: every known kind, in pages, headers and sites that contain it.

Called as: faults_test.py <checkout>
"""
import pathlib
import shutil
import sys
import tempfile
import unittest

ROOT = pathlib.Path(sys.argv.pop(1)).resolve()
sys.path.insert(0, str(ROOT / "tools/docs"))

import blocks
import links
import make_site
import pages


class Case(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.temporary = pathlib.Path(self.folder.name)

    def page(self, text, path="docs/page.md"):
        place = self.temporary / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text)
        return {path: pages.Page(self.temporary, path)}

    def expect(self, faults, wanted):
        self.assertTrue(any(wanted in fault for fault in faults), f"no '{wanted}' in {faults}")


class Blocks(Case):
    def faults(self, text):
        return blocks.page_faults(ROOT, self.page(text))

    def block(self, language, code):
        return self.faults(f"# A page\n\n```{language}\n{code}\n```\n")

    def test_good_blocks_have_no_fault(self):
        self.assertEqual(self.block("sh", "./run test --debug -R guard # a variant\n(cd build && cpack -G DEB)"), [])
        several_lines = "X=1 ./run fuzz world 20 && ./run record cut a.boxrec \\\n    --ids 3 -o b.boxrec"
        self.assertEqual(self.block("sh", several_lines), [])
        self.assertEqual(self.block("cmake", "target_link_libraries(a PRIVATE broadside::broadside_c)"), [])
        self.assertEqual(self.block("python", "import broadside"), [])
        self.assertEqual(self.block("text", "anything ( at all"), [])

    def test_a_block_names_its_language(self):
        self.expect(self.block("", "int x;"), "no language")
        self.expect(self.block("c++", "int x;"), "no language")
        self.expect(self.faults("# A page\n\nas follows:\n\n    int x;\n"), "fence it")

    def test_shell_parses(self):
        self.expect(self.block("sh", "./run test 'guard"), "unexpected EOF")

    def test_commands_and_options_exist(self):
        self.expect(self.block("sh", "./run tests"), "no command tests")
        self.expect(self.block("sh", "./run test --debgu"), "no option --debgu")
        self.expect(self.block("sh", "./run record cut x --idz 3"), "no option --idz")
        self.expect(self.block("sh", "./run fuzz worlds"), "knows no worlds")
        self.expect(self.block("sh", "cmake --preset relaese"), "no preset relaese")
        self.expect(self.block("sh", "cmake --preset release -DBROADSIDE_ZONE=TRACE"), "no option BROADSIDE_ZONE")
        self.expect(self.block("sh", "tools/checks/mutant.py --count 3"), "no file tools/checks/mutant.py")
        self.expect(self.block("sh", "tools/checks/mutate.py --counts 3"), "no option --counts")
        self.expect(self.block("sh", "build/release/tests/broadside_tset"), "no program broadside_tset")
        self.expect(self.block("sh", "ninja -C build/release formt"), "no target formt")
        self.expect(self.block("sh", "broadsied-tune x.boxrec"), "no command that is known")

    def test_commands_in_sentences_exist(self):
        self.expect(self.faults("Take `./run bench --filtr x`."), "no option --filtr")
        self.expect(self.faults("Set `BROADSIDE_ISAX`."), "nothing has this name")

    def test_cmake(self):
        self.expect(self.block("cmake", "add_subdirectory(a"), "does not parse")
        self.expect(self.block("cmake", "target_link_libraries(a broadside::core)"), "no target broadside::core")
        self.expect(self.block("cmake", "set(BROADSIDE_ISAZ scalar)"), "no option BROADSIDE_ISAZ")
        self.expect(self.block("cmake", "find_package(broadside 9.9)"), "not 9.9")

    def test_python(self):
        self.expect(self.block("python", "def f(:"), "Python")


class Links(Case):
    def faults(self, text):
        return links.page_faults(ROOT, self.page(text))

    def test_good_links_have_no_fault(self):
        self.assertEqual(self.faults("# A page\n[a](../README.md) [b](https://example.org/x) [c](#a-page) [d](../core)"), [])

    def test_files_and_headings_exist(self):
        self.expect(self.faults("[a](nowhere.md)"), "no such file")
        self.expect(self.faults("![a](demo.jpg)"), "no such file")
        self.expect(self.faults("[a](../../outside.md)"), "outside")
        self.expect(self.faults("[a](../build/x)"), "outside")
        self.expect(self.faults("# A page\n[a](#another)"), "no such heading")
        self.expect(self.faults("[a](../run#line)"), "no page")

    def test_addresses_look_like_addresses(self):
        self.expect(self.faults("[a](https://nowhere)"), "no address")
        self.expect(self.faults("[a](htp://example.org)"), "no address")

    def test_anchors_of_headings_are_those_of_github(self):
        page = self.page("# `find_pairs`: one, two\n## A\n## A\n## \"Quoted\" - dash\n")["docs/page.md"]
        self.assertEqual(page.anchors(), {"find_pairs-one-two", "a", "a-1", "quoted---dash"})

    def test_pages_that_nothing_lists(self):
        both = {**self.page("# Guide\n\n## Start\n\n- [One](one.md)\n", "docs/README.md"),
                **self.page("# One", "docs/one.md"), **self.page("# Two", "docs/two.md")}
        self.assertEqual(make_site.contents_faults(both), ["docs/README.md: does not list docs/two.md"])


class Made(Case):
    def test_no_folder_is_replaced_but_a_site(self):
        (self.temporary / "letter.txt").write_text("dear")
        self.expect(make_site.make_site(ROOT, {}, self.temporary), "something else")
        self.assertTrue((self.temporary / "letter.txt").is_file())

    def test_links_of_the_site(self):
        (self.temporary / "a.html").write_text('<a href="b.html#x">b</a> <a href="c.html">c</a> <img src="d.png">')
        (self.temporary / "b.html").write_text('<p id="y"><a href="a.html">a</a> <a href="https://example.org">far</a>'
                                               '<script src="https://example.org/x.js"></script>')
        (self.temporary / "e.html").write_text("nobody comes here")
        self.assertEqual(links.site_faults(self.temporary), [
            "a.html: b.html#x: no such place", "a.html: c.html: not on the site", "a.html: d.png: not on the site",
            "b.html: https://example.org/x.js: asks a network"])
        self.assertEqual(links.unreached(self.temporary, {"a.html"}), ["e.html"])

    def test_declarations_of_the_npm_package(self):
        place = self.temporary / "bindings/javascript/index.d.ts"
        place.parent.mkdir(parents=True)
        place.write_text("/** A kind. */\nexport type Kind =\n    | 'a'\n    | 'b';\n\nexport interface Tree extends Owner {\n"
                         "    /**\n     * The boxes,\n     * all of them.\n     */\n    find(\n        a: { b: number },\n    ): number[];\n"
                         "    // More.\n    readonly count: number;\n}\n/** Loads. */\nexport declare function load(): Tree;\n")
        found = list(make_site.declarations.names(self.temporary))
        self.assertEqual([(name, comment) for name, _, comment in found],
                         [("Kind", "A kind."), ("Tree", ""), ("Tree.find", "The boxes, all of them."), ("Tree.count", ""),
                          ("load", "Loads.")])
        page = make_site.declarations.content(self.temporary, lambda text, language: text)
        for _, address, _ in found:
            self.assertIn(f'id="{address.partition("#")[2]}"', page)
        self.assertIn("export interface Tree extends Owner</code>", page)

    def test_remarks_of_the_search_name_existing_symbols(self):
        words = self.temporary / "search_words.json"
        words.write_text('{"synonyms": {}, "absent": [{"asked": ["x"], "text": "No x.", "see": ["docs/page.md#a", "Nothing"]}]}')

        class Symbols:
            def address_of(self, code):
                return None

        found, faults = make_site.search_words(self.page("# A"), Symbols(), words)
        self.assertEqual(found["absent"][0]["see"], [("A", "docs/page.html#a")])
        self.assertEqual(faults, ["search_words.json: nothing is called Nothing"])

    # A header of its own, read as those of the library are.
    def reference_faults(self, declarations):
        header = self.temporary / "checkout/core/include/broadside/thing.hpp"
        header.parent.mkdir(parents=True, exist_ok=True)
        header.write_text(f"// A thing.\n#pragma once\nnamespace broadside {{\n{declarations}\n}}  // namespace broadside\n")
        words = self.temporary / "checkout/docs/vocabulary.md"
        words.parent.mkdir(exist_ok=True)
        words.write_text("## Functions\n\n| `clear` | Removes all. |\n\n## Fields\n\n| `status` | How it went. |\n")
        shutil.rmtree(self.temporary / "site", ignore_errors=True)
        faults, _ = make_site.make_reference(self.temporary / "checkout", self.temporary / "site", "@CONTENT@")
        return faults

    def test_comments_are_found_at_their_symbols(self):
        self.assertEqual(self.reference_faults(
            "/// A thing.\nclass Thing {\npublic:\n    void clear();\n    /// Some.\n    int some() const;\n"
            "    void set_some(int) const;\n\n    // More of it.\n\n    int many() const;\nprivate:\n    int hidden_;\n};\n"
            "/// Two, a and b.\nstruct Two {\n    int a, b;\n    int status = 0;\n};\n"
            "/// What.\nenum class What { one, two };\n/// Once.\nvoid once(int);\nvoid once(float);"), [])

    def test_members_named_on_pages(self):
        self.reference_faults("/// A.\nstruct Thing {\n    /// B.\n    int one = 0;\n};\n/// C.\nenum class What { one };")
        symbols = make_site.Symbols(self.temporary / "site/work/tags.xml")
        page = self.page("`Thing::one`, `What::one`, `Unknown::two` and `Thing::two`, `What::two`")["docs/page.md"]
        self.assertEqual(symbols.faults_of(page), ["docs/page.md:1: `Thing::two`: Thing has no two",
                                                   "docs/page.md:1: `What::two`: What has no two"])

    def test_symbols_without_a_comment(self):
        self.expect(self.reference_faults("int lonely();"), "thing.hpp:4: warning: Member lonely()")
        self.expect(self.reference_faults("struct Thing {\n    /// B.\n    int one = 0;\n};"), "Compound broadside::Thing")
        self.expect(self.reference_faults("/// A.\nclass Thing {\npublic:\n    int own_word() const;\n};"), "own_word")
        self.expect(self.reference_faults("/// A.\nstruct Thing {\n    /// B.\n    int one = 0;\n    float other = 0;\n};"),
                    "other")
        self.expect(self.reference_faults("/// A.\nvoid one();\n\nvoid other();"), "other")
        # A word for fields documents no function.
        self.expect(self.reference_faults("/// A.\nclass Thing {\npublic:\n    int status() const;\n};"), "status")


if __name__ == "__main__":
    unittest.main()
