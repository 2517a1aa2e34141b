// Who is found among the agents that come with every floor, few as they are.
import { expect, test } from "vitest";
import { agentNamed, agentNames } from "../../registry.ts";
import { createCatalogue } from "../catalogue/catalogue.ts";

const at = "2026-01-01T00:00:00Z";
const catalogue = createCatalogue(undefined, { now: () => Date.parse(at) });
for (const name of agentNames) {
  const serviceUrl = `http://127.0.0.1:7536/agents/${name}`;
  const { identification, ...others } = agentNamed(name, { serviceUrl })?.manifest ?? {};
  if (identification === undefined) continue;
  catalogue.add(
    { capabilities: [], ...others, identification: { ...identification, serviceUrl } },
    { at, source: "itself" },
  );
}

const namesFor = (text: string) =>
  catalogue.find({ text }).map(({ known }) => known.manifest.identification.conversationalName);

test.each([
  ["what time is it in Tokyo", "Clock"],
  ["how many days till Christmas", "Clock"],
  ["add up numbers", "Calculator"],
  ["what is 12 times 7", "Calculator"],
  ["calculate a 15% tip", "Calculator"],
  ["keep notes of this meeting", "Scribe"],
  ["summarise our discussion", "Scribe"],
  ["run a survey", "Interviewer"],
  ["teach me open floor", "Guide"],
  ["one speaker at a time", "Speaker's Clock"],
])("%j finds %s first", (text, first) => {
  expect(namesFor(text)[0]).toBe(first);
});

test("a request for a chair of the discussion finds a convener", () => {
  expect(namesFor("somebody to chair the discussion")).toContain("Queue");
});

// Each is one letter away from a word of an agent here: form, poll, clock, lesson.
test.each(["buy a farm", "clean my swimming pool", "a click sound", "lesion on my skin"])(
  "%j finds no agent",
  (text) => {
    expect(namesFor(text)).toEqual([]);
  },
);

test.each([
  ["calcluate a tip", "Calculator"],
  ["run a suvrey", "Interviewer"],
  ["a transkript", "Scribe"],
  ["calender", "Clock"],
])("%j is found in spite of the typo", (text, first) => {
  expect(namesFor(text)[0]).toBe(first);
});
