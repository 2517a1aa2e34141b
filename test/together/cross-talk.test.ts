// Two people and five agents at one floor: at most one agent answers a public utterance.
import { afterAll, beforeAll, expect, test } from "vitest";
import { ann, bob } from "../support/envelopes.ts";
import { type HostedAgentsFloor, startHostedAgentsFloor } from "./hosted-agents-floor.ts";

const agents = ["clock", "calculator", "guide", "scribe", "interviewer"] as const;
type Who = (typeof agents)[number] | "nobody";

const lines: readonly (readonly [says: string, who: Who])[] = [
  ["Good morning", "nobody"],
  ["Thanks, that was great", "nobody"],
  ["What time is it?", "clock"],
  ["what is the time in Paris and London", "clock"],
  ["5 pm in Tokyo", "clock"],
  ["what is 9 in Tokyo for me", "clock"],
  ["How many days until Christmas?", "clock"],
  ["what day is it in 3 days", "clock"],
  ["I am in Berlin", "clock"],
  ["12:30", "nobody"],
  ["Is it 5?", "nobody"],
  ["Bob, what time is it?", "nobody"],
  ["What's 2 + 2?", "calculator"],
  ["half of 80", "calculator"],
  ["how many minutes in an hour?", "calculator"],
  ["how long is 5 miles in km", "calculator"],
  ["10 minutes in hours", "calculator"],
  ["What is pi?", "calculator"],
  ["1", "nobody"],
  ["who are you?", "guide"],
  ["help", "guide"],
  ["What can you do?", "guide"],
  ["who is here?", "guide"],
  ["What is a floor?", "guide"],
  ["how do I whisper?", "guide"],
  ["How do I export this conversation?", "guide"],
  ["How can I export a transcript as html?", "guide"],
  ["export as markdown", "scribe"],
  ["export this conversation", "scribe"],
  ["can you export this conversation?", "scribe"],
  ["export the conversation as html", "scribe"],
  ["Who said what?", "scribe"],
  ["can you summarise?", "scribe"],
  ["what did Bob say?", "scribe"],
  ["Who mentioned lunch?", "scribe"],
  ["remember to buy milk", "nobody"],
  ["what time did Bob say the meeting is?", "nobody"],
  ["yes", "nobody"],
  ["skip", "nobody"],
];

let floor: HostedAgentsFloor;

beforeAll(async () => {
  const now = () => new Date("2026-01-02T00:30:00Z");
  floor = await startHostedAgentsFloor({}, { spokenMs: 5, now, timeZone: "UTC" });
  await floor.seat(bob);
  for (const agent of agents) await floor.invite(ann, agent);
  // The whole lesson of the guide.
  expect(speakersOf(await floor.say(ann, "Hello, everyone!"))).toEqual(["guide"]);
  expect(speakersOf(await floor.say(ann, "@Clock hello"))).toHaveLength(2);
  await floor.say(ann, "a secret", { to: "guide", whisper: true });
});

afterAll(async () => {
  await floor.close();
  expect(floor.errors).toEqual([]);
});

function speakersOf(spoken: readonly string[]): string[] {
  return spoken.map((line) => line.split(":")[0] ?? "");
}

test.each(lines)("%s: %s", async (says, who) => {
  expect(speakersOf(await floor.say(ann, says))).toEqual(who === "nobody" ? [] : [who]);
});

test("the conversants are listed with their tasks, and the people by name", async () => {
  const [line = ""] = await floor.say(ann, "Who is here?");
  for (const name of ["Clock", "Calculator", "Scribe", "Interviewer"]) expect(line).toContain(`\`@${name} `);
  expect(line).toContain("`@Guide help`");
});

test("the interviewer takes only answers to its open question, and other agents answer their own questions", async () => {
  expect(speakersOf(await floor.say(ann, "interview me"))).toEqual(["interviewer", "interviewer"]);
  for (const [says, who] of [
    ["2 + 2", "calculator"],
    ["what time is it", "clock"],
    ["help", "guide"],
    ["see you at lunch, then", undefined],
  ] as const) {
    expect({ says, who: speakersOf(await floor.say(ann, says)) }).toEqual({
      says,
      who: who === undefined ? [] : [who],
    });
  }
  expect(await floor.say(ann, "@Interviewer Ann")).toMatchObject([expect.stringContaining("What brought you here?")]);
  expect(await floor.say(ann, "Work")).toMatchObject([expect.stringContaining("would you like to try")]);
  expect(await floor.say(ann, "skip")).toMatchObject([expect.stringContaining("How many agents")]);
  expect(await floor.say(ann, "stop")).toMatchObject([expect.stringContaining("**Ann**")]);
});
