// An interview on a real floor: by choosing, in plain text, in public and whispered.
import { afterEach, expect, test } from "vitest";
import { ann, bob } from "../support/envelopes.ts";
import { type HostedAgentsFloor, startHostedAgentsFloor } from "./hosted-agents-floor.ts";

let opened: HostedAgentsFloor | undefined;

afterEach(async () => {
  await opened?.close();
  expect(opened?.errors).toEqual([]);
});

async function openRoom(): Promise<HostedAgentsFloor> {
  opened = await startHostedAgentsFloor();
  await opened.invite(ann, "interviewer");
  return opened;
}

const matching = (pattern: RegExp) => expect.stringMatching(pattern);
const interviewer = { to: "interviewer" };
const whispered = { to: "interviewer", whisper: true };

test("a whole interview has one question of each kind, one that is asked again, and a summary", async () => {
  const floor = await openRoom();
  expect(await floor.say(ann, "interview me")).toEqual([
    matching(/^interviewer: One question at a time: /u),
    "interviewer: What shall I call you?",
  ]);
  expect(await floor.reply(ann, ["Ann"], interviewer)).toEqual([matching(/^interviewer: What brought you here\? \(/u)]);
  expect(await floor.reply(ann, ["pizza"], interviewer)).toEqual([
    matching(/^interviewer: One of these, please: .*What brought you here\?/u),
  ]);
  expect(await floor.reply(ann, ["Work"], interviewer)).toEqual([matching(/^interviewer: Which of these/u)]);
  expect(await floor.reply(ann, ["Whispering", "Bringing an agent"], interviewer)).toEqual([
    matching(/^interviewer: How many agents/u),
  ]);
  expect(await floor.say(ann, "two")).toEqual([matching(/^interviewer: Should an agent speak up/u)]);
  expect(await floor.say(ann, "no", interviewer)).toEqual([
    matching(
      /^interviewer: Thank you\. Your answers:\n.*\*\*Ann\*\*\n.*\*\*Work\*\*\n.*Whispering, Bringing.*\n.*\*\*Two\*\*\n.*\*\*No\*\*$/u,
    ),
  ]);
  expect(await floor.questions(ann)).toMatchObject([
    { input_type: "notification" },
    { input_type: "text", placeholder: "your name", required: true },
    { input_type: "radio", options: [{ label: "Curiosity" }, { label: "Work" }, { label: "Somebody invited me" }] },
    { input_type: "radio", error: matching(/^One of these/u) },
    { input_type: "checkbox", required: false },
    { input_type: "dropdown" },
    { input_type: "binary_choice", options: [{ label: "Yes" }, { label: "No" }] },
  ]);
  const last = (await floor.log(ann)).findLast(({ event }) => event?.eventType === "utterance");
  expect(last?.event?.to).toMatchObject({ speakerUri: ann });
});

test("each person has a separate interview, on a subject of the person's choice", async () => {
  const floor = await openRoom();
  await floor.seat(bob);
  await floor.say(ann, "interview me about lunch: which day? (Mon, Tue, Wed); how hungry?", interviewer);
  expect(await floor.say(bob, "interview me: tea? (yes, no)", interviewer)).toContain("interviewer: tea? (yes, no)");
  expect(await floor.say(bob, "Tue")).toEqual([]);
  expect(await floor.say(ann, "Tue")).toEqual(["interviewer: how hungry?"]);
  expect(await floor.say(bob, "yes")).toEqual(["interviewer: Thank you. Your answers:\n- tea? **yes**"]);
  expect(await floor.say(ann, "what time is it?")).toEqual([]);
  // Any text would be an answer, and the utterance may be for Bob.
  expect(await floor.say(ann, "very")).toEqual([]);
  expect(await floor.say(ann, "very", interviewer)).toEqual([
    "interviewer: Thank you. Your answers about lunch:\n- which day? **Tue**\n- how hungry? **very**",
  ]);
  expect(await floor.say(ann, "very")).toEqual([]);
});

test("a whispered interview stays private", async () => {
  const floor = await openRoom();
  await floor.seat(bob);
  expect(await floor.say(ann, "interview me: your wish?; how dear? (very, a little)", whispered)).toEqual([
    matching(/^interviewer \(private\): One question/u),
    "interviewer (private): your wish?",
  ]);
  expect(await floor.say(ann, "peace")).toEqual([]);
  expect(await floor.say(ann, "peace", whispered)).toEqual([matching(/^interviewer \(private\): how dear\?/u)]);
  expect(await floor.reply(ann, ["very"], interviewer)).toEqual([
    matching(/^interviewer \(private\): This interview is private/u),
  ]);
  expect(await floor.reply(ann, ["very"], whispered)).toEqual([
    matching(/^interviewer \(private\): Thank you\. .*\*\*peace\*\*.*\*\*very\*\*/su),
  ]);
  expect(await floor.questions(bob)).toEqual([]);
});

test("skip and stop work, and an old question is closed", async () => {
  const floor = await openRoom();
  await floor.say(ann, "interview me");
  expect(await floor.say(ann, "skip")).toEqual([matching(/^interviewer: What brought you here/u)]);
  expect(await floor.say(ann, "Interviewer, stop")).toEqual([matching(/^interviewer: Stopped\./u)]);
  expect(await floor.reply(ann, ["Work"], interviewer)).toEqual([
    matching(/^interviewer: That question is no longer open/u),
  ]);
});

test("the interviewer says what it can do when it is addressed with anything else, and is silent otherwise", async () => {
  const floor = await openRoom();
  await floor.invite(ann, "clock");
  expect(await floor.say(ann, "the interview went well")).toEqual([]);
  expect(await floor.say(ann, "sing something", interviewer)).toEqual([
    matching(/^interviewer: I ask questions: say/u),
  ]);
  expect(await floor.say(ann, "interview me about lunch")).toEqual([
    matching(/^interviewer: Tell me what to ask, as in/u),
  ]);
});

test("alone with the agent, plain text answers a text question, and other utterances are answered", async () => {
  const floor = await openRoom();
  expect(await floor.say(ann, "the interview went well")).toEqual([matching(/^interviewer: I ask questions: say/u)]);
  await floor.say(ann, "interview me");
  expect(await floor.say(ann, "what for?")).toEqual([matching(/^interviewer: I ask questions: say/u)]);
  expect(await floor.say(ann, "Ann")).toEqual([matching(/^interviewer: What brought you here/u)]);
  expect(await floor.say(ann, "the rain")).toEqual([matching(/^interviewer: One of these, please/u)]);
});
