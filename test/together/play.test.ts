// One person and the three agents of the welcome conversation on a floor. All answers are listed; the other agents are silent.
import { afterEach, beforeEach, expect, test } from "vitest";
import { ann } from "../support/envelopes.ts";
import { type HostedAgentsFloor, startHostedAgentsFloor } from "./hosted-agents-floor.ts";

type Line = { says: string; to?: string; whisper?: boolean; chooses?: string };
/** Ann's utterance, and all answers: the agent, and the beginning or a part of the text. */
type Scene = readonly [ann: Line, ...answers: readonly [who: string, words: RegExp][]];

const theCurtainRises: readonly Scene[] = [
  [{ says: "Hello, everyone!" }, ["guide", /^Welcome! .* write `@Clock what time is it in Tokyo\?`$/]],
  [{ says: "What time is it in Tokyo?" }, ["clock", /^It is 09:30 in Tokyo on Friday/]],
  [{ says: "And what is 17 * 23?" }, ["calculator", /391/]],
  [
    { says: "@Calculator 5 miles in km", to: "calculator" },
    ["calculator", /8\.0/],
    ["guide", /^Well done: everyone could read that, .* press \*\*Whisper\*\*/],
  ],
  [{ says: "Clock, what day is it today?" }, ["clock", /Friday/]],
  [{ says: "What is a convener?" }, ["guide", /^A convener .*\(Inter-Agent Message 1\.1\.0, section 0\.4\.2\)/s]],
  [{ says: "Thank you all, that was lovely." }],
  [
    { says: "Can you keep a secret?", to: "guide", whisper: true },
    ["guide (private)", /^Only you and I can read this\..* What would you like to see\?/],
  ],
  [
    { says: "my choice", to: "guide", whisper: true, chooses: "others" },
    ["guide (private)", /- `@Clock .*- `@Calculator /s],
  ],
  [{ says: "What did Clock say about Tokyo?" }],
  [
    { says: "@Guide who will win the match?", to: "guide" },
    ["guide", /^I do not know that: .* What would you like to see\?/],
  ],
];

const afterTheStop: readonly Scene[] = [
  [{ says: "What is an envelope?" }],
  [{ says: "12% of 80" }, ["calculator", /9\.6/]],
  [
    { says: "@Guide what is an envelope?", to: "guide" },
    ["guide", /^An envelope is the message of Open Floor.*section 1\.4\)/s],
  ],
  [{ says: "How do I export this conversation?" }, ["guide", /^A conversation can be taken away/]],
  [{ says: "It was a pleasure. Good night!" }],
];

/** Half past midnight in Greenwich, on a Friday. */
const now = () => new Date("2026-01-02T00:30:00Z");

let floor: HostedAgentsFloor;

beforeEach(async () => {
  floor = await startHostedAgentsFloor({}, { spokenMs: 50, now, timeZone: "UTC" });
  // Seats them as the page does.
  for (const agent of ["clock", "calculator", "guide"]) await floor.invite(ann, agent);
});

afterEach(async () => {
  await floor.close();
  expect(floor.errors).toEqual([]);
});

async function play([{ says, to, whisper, chooses }, ...answers]: Scene): Promise<void> {
  const addressee = to === undefined ? undefined : { to, ...(whisper && { whisper }) };
  const heard =
    chooses !== undefined && addressee !== undefined
      ? await floor.reply(ann, [chooses], addressee)
      : await floor.say(ann, says, addressee);
  const wanted = answers.map(([who, words]) => ({ who, words: expect.stringMatching(words) }));
  // Two agents that answer at once do so in no fixed order.
  const spoken = heard.toSorted().map((line) => {
    const [who = "", ...words] = line.split(": ");
    return { who, words: words.join(": ") };
  });
  expect({ says, spoken }).toEqual({ says, spoken: wanted });
}

test("a person and three agents talk without cross-talk: each answers only what concerns it", async () => {
  for (const scene of theCurtainRises) await play(scene);

  // Ann asks for a long answer and stops it.
  const screen = await floor.watch(ann);
  const talking = floor.say(ann, "How the floor is passed", { to: "guide" });
  await screen.draftWith("delta");
  await floor.send(ann, [{ eventType: "revokeFloor", to: { speakerUri: floor.speakerOf("guide") } }]);
  expect(await talking).toEqual([]);
  await screen.close();

  for (const scene of afterTheStop) await play(scene);

  const said = (await floor.log(ann)).filter(({ kind, event }) => kind === "event" && event?.eventType === "utterance");
  const byAgents = said.filter(({ sender }) => sender !== ann);
  const answers = [...theCurtainRises, ...afterTheStop].reduce((sum, [, ...lines]) => sum + lines.length, 0);
  // Each joined with a greeting, and no agent spoke to another.
  expect(byAgents).toHaveLength(answers + 3);
  for (const { event } of byAgents) expect(event?.to).toMatchObject({ speakerUri: ann });
});
