// The clock on a real floor, with Calculator beside it: an addressed agent answers, and so does the one agent that knows the answer.
import { textUtterance } from "@plenary/protocol";
import { createAgent } from "@plenary/sdk";
import { afterEach, expect, test } from "vitest";
import { ann, bob } from "../support/envelopes.ts";
import { type HostedAgentsFloor, startHostedAgentsFloor } from "./hosted-agents-floor.ts";

let opened: HostedAgentsFloor | undefined;

afterEach(async () => {
  await opened?.close();
  expect(opened?.errors).toEqual([]);
});

async function openRoom(others?: Parameters<typeof startHostedAgentsFloor>[0]): Promise<HostedAgentsFloor> {
  opened = await startHostedAgentsFloor(others);
  await opened.invite(ann, "clock");
  return opened;
}

const matching = (pattern: RegExp) => expect.stringMatching(pattern);
const apology = matching(/^clock: I only know times and dates: try `.*` or `.*`\.$/u);

test("the clock greets in one line, and answers public questions about time", async () => {
  const floor = await startHostedAgentsFloor();
  opened = floor;
  expect(await floor.invite(ann, "clock")).toEqual([matching(/^clock: Hello, I am Clock\. .+$/u)]);
  expect(await floor.say(ann, "what time is it in Tokyo?")).toEqual([
    matching(/^clock: It is \d\d:\d\d in Tokyo on .* \(UTC\+9\)\.$/u),
  ]);
  expect(await floor.say(ann, "what weekday is 2027-02-14")).toEqual(["clock: That is Sunday 14 February 2027."]);
});

test("the clock does not answer other questions, nor questions to other conversants", async () => {
  const floor = await openRoom();
  await floor.invite(ann, "calculator");
  expect(await floor.say(ann, "it is time to go")).toEqual([]);
  expect(await floor.say(ann, "what time is it in Atlantis")).toEqual([]);
  expect(await floor.say(ann, "Calculator, what time is it?")).toEqual([matching(/^calculator: I only calculate/u)]);
  expect(await floor.say(ann, "what time is it?", { to: "calculator" })).toEqual([matching(/^calculator: I only/u)]);
  expect(await floor.say(ann, "2 + 2")).toEqual(["calculator: 2 + 2 = 4"]);
});

test("the clock says what it can do, in one line, when it is addressed with anything else", async () => {
  const floor = await openRoom();
  expect(await floor.say(ann, "sing something", { to: "clock" })).toEqual([apology]);
  expect(await floor.say(ann, "Clock, sing something")).toEqual([apology]);
  expect(await floor.say(ann, "thank you very much, Clock!")).toEqual(["clock: You are welcome."]);
  expect(await floor.say(ann, "what time is it in Atlantis", { to: "clock" })).toEqual([
    matching(/^clock: I do not know the place "Atlantis"/u),
  ]);
  expect(await floor.say(ann, "sing something", { to: "clock", whisper: true })).toEqual([
    matching(/^clock \(private\): I only know times/u),
  ]);
});

test("the clock remembers the place of each person, and names its assumption until then", async () => {
  const floor = await openRoom();
  await floor.seat(bob);
  const forMe = "when is it 9 in Tokyo for me";
  const taking = matching(/^clock: 09:00 in Tokyo is .* for you \(.*; say "I am in \.\.\." to change it\)\.$/u);
  expect(await floor.say(ann, forMe)).toEqual([taking]);
  expect(await floor.say(ann, "I am in Seoul")).toEqual([
    matching(/^clock: Noted: you are in Seoul, .*\(Asia\/Seoul\)/u),
  ]);
  expect(await floor.say(ann, forMe)).toEqual(["clock: 09:00 in Tokyo is 09:00 in Seoul."]);
  expect(await floor.say(bob, forMe)).toEqual([taking]);
  expect(await floor.say(bob, "I am in Mumbai", { to: "clock", whisper: true })).toEqual([
    matching(/^clock \(private\): Noted: you are in Mumbai/u),
  ]);
  expect(await floor.say(bob, forMe)).toEqual(["clock: 09:00 in Tokyo is 05:30 in Mumbai."]);
});

test("the UTC offset of an utterance gives the place of its speaker", async () => {
  const floor = await openRoom();
  const said = textUtterance("what time is it", { speakerUri: ann, id: "u1", startTime: "2026-11-16T12:00:00+05:45" });
  expect(await floor.send(ann, [{ ...said }])).toEqual([
    matching(/^clock: It is .* \(UTC\+5:45, the time zone of your message;/u),
  ]);
});

const parrot = "tag:parrot.example,2026:parrot";
let spoken = 0;

test("the clock answers agents that address it with a question, and no other utterance of theirs", async () => {
  const remark = (text: string, to?: { speakerUri: string }) => {
    spoken += 1;
    const startTime = new Date().toISOString();
    return textUtterance(text, { speakerUri: parrot, id: `p${spoken}`, startTime, ...(to && { to }) });
  };
  const floor = await openRoom({
    parrot: (serviceUrl) =>
      createAgent({
        manifest: {
          identification: {
            speakerUri: parrot,
            serviceUrl,
            organization: "Example",
            conversationalName: "Parrot",
            synopsis: "Talks.",
          },
          capabilities: [{ keyphrases: ["talk"], descriptions: ["talks"] }],
        },
        greeting: false,
        onUtterance: ({ text, sender }) => {
          if (sender.speakerUri !== ann) return remark("that is nonsense", { speakerUri: sender.speakerUri });
          const [, addressee, words = ""] = /^Parrot, tell (everyone|clock): (.*)$/u.exec(text) ?? [];
          if (addressee === undefined) return undefined;
          return addressee === "clock" ? remark(words, { speakerUri: floor.speakerOf("clock") }) : remark(words);
        },
      }),
  });
  await floor.invite(ann, "parrot");
  const linesOfClock = async (text: string) =>
    (await floor.say(ann, `Parrot, tell ${text}`)).filter((line) => line.startsWith("clock"));
  expect(await linesOfClock("everyone: what time is it")).toEqual([]);
  expect(await linesOfClock("clock: what weekday is 2027-02-14")).toEqual(["clock: That is Sunday 14 February 2027."]);
  expect(await linesOfClock("clock: sing something")).toEqual([]);
});
