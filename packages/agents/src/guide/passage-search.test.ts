import { existsSync, readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { passagesIn, readPassages } from "./passage-search.ts";

/** The sections of the specifications, by their numbers. */
const sections: Record<string, string> = {
  "Inter-Agent Message 1.1.0": `0.1 0.2 0.3 0.4 0.4.1 0.4.2 0.4.3 0.5 0.6 1.1 1.2 1.3 1.4 1.5 1.6 1.6.1 1.6.2 1.6.3 1.7 1.8 1.9 1.10 1.10.1
    1.10.2 1.10.3 1.10.4 1.11 1.12 1.13 1.14 1.15 1.16 1.17 1.18 1.19 1.20 1.21 1.22 2.1 2.2 2.3 3 4 5`,
  "Assistant Manifest 1.0.1": "0.1 0.2 0.3 1.1 1.2 1.3 1.4 1.5 1.6 1.6.1 1.7 2 3 4 5 6",
  "OVON 0.9.3": `0.1 0.2 0.3 0.4 1.1 1.2 1.3 1.4 1.5 1.6 1.7 1.8 1.9 1.10 1.10.1 1.11 1.11.1 1.12 1.13 1.14 1.15 1.16 1.17 1.18 2.1
    2.2 3 4 5 6 7`,
};
/** Named as a whole: what they say here has no number of its own. */
const whole = ["Dialog Event 1.0.2", "Inter-Agent Message 1.1.1"];

const root = new URL("../../../../", import.meta.url);
const commandLine = new URL("packages/cli/src/", root);
const commands = readdirSync(commandLine, { recursive: true, encoding: "utf8" })
  .filter((name) => name.endsWith(".ts"))
  .map((name) => readFileSync(new URL(name, commandLine), "utf8"))
  .join("\n");
const passages = await readPassages();
const places = [...new Set(passages.flatMap((passage) => passage.places))];

function exists(place: string): boolean {
  const [, document = "", section] = /^(.+), section ([\d.]+)$/u.exec(place) ?? [];
  if (section !== undefined) return sections[document]?.split(/\s+/u).includes(section) === true;
  const [, command] = /^`plenary ([a-z-]+) --help`$/u.exec(place) ?? [];
  if (command !== undefined) return commands.includes(`.command("${command}`);
  return whole.includes(place) || existsSync(new URL(place, root));
}

test.each(places)("%s exists", (place) => {
  expect(exists(place)).toBe(true);
});

test.each(["Inter-Agent Message 1.1.0, section 1.23", "NOTHING.md", "`plenary dance --help`", "Dialog Event 9"])(
  "%s would be found out",
  (place) => {
    expect(exists(place)).toBe(false);
  },
);

test("every section with content is cited by a passage", () => {
  const named = new Set(places);
  const spoken = (document: string) => (sections[document] ?? "").split(/\s+/u).filter((one) => /^[012]\./u.test(one));
  const missing = spoken("Inter-Agent Message 1.1.0").filter(
    (one) => !named.has(`Inter-Agent Message 1.1.0, section ${one}`),
  );
  expect(missing).toEqual([]);
});

test("a passage is a few sentences under its own heading, short enough to read aloud", () => {
  expect(new Set(passages.map(({ heading }) => heading)).size).toBe(passages.length);
  expect(passages.length).toBeGreaterThanOrEqual(90);
  for (const { heading, text } of passages) {
    expect(text.split(/\s+/u).length, heading).toBeLessThanOrEqual(80);
    expect(text, heading).not.toMatch(/\n|[^.!?)]$/u);
  }
});

test("a passage without a place is an error that names the file", () => {
  expect(() => passagesIn("# A\n\n## B\n\nNo place.\n", "a.md")).toThrow(/^a\.md: .*B/su);
});
