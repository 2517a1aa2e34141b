// The calculator on a real floor.
import { afterEach, expect, test } from "vitest";
import { ann } from "../support/envelopes.ts";
import { type HostedAgentsFloor, startHostedAgentsFloor } from "./hosted-agents-floor.ts";

let opened: HostedAgentsFloor | undefined;

afterEach(async () => {
  await opened?.close();
  expect(opened?.errors).toEqual([]);
});

const matching = (pattern: RegExp) => expect.stringMatching(pattern);

test("the calculator answers calculations, ignores other utterances, and says what it can do when it is addressed", async () => {
  const floor = await startHostedAgentsFloor();
  opened = floor;
  await floor.invite(ann, "scribe");
  expect(await floor.invite(ann, "calculator")).toEqual([matching(/^calculator: Hello, I am Calculator\. .+$/u)]);
  expect(await floor.say(ann, "what is 12% of 80?")).toEqual(["calculator: 12% of 80 = 9.6"]);
  expect(await floor.say(ann, "5 kg to miles")).toEqual([matching(/^calculator: 5 kg cannot be converted to miles/u)]);
  expect(await floor.say(ann, "I have 2 apples")).toEqual([]);
  expect(await floor.say(ann, "24/7")).toEqual([]);
  expect(await floor.say(ann, "24/6, Calculator?")).toEqual(["calculator: 24/6 = 4"]);
  expect(await floor.say(ann, "@Calculator thanks!")).toEqual(["calculator: You are welcome."]);
  expect(await floor.say(ann, "@Calculator import({})")).toEqual([matching(/^calculator: I only calculate .* try `/u)]);
  expect(await floor.say(ann, "0.1 + 0.2", { to: "calculator", whisper: true })).toEqual([
    "calculator (private): 0.1 + 0.2 = 0.3",
  ]);
});

test("the calculator that is alone with a person answers every utterance", async () => {
  const floor = await startHostedAgentsFloor();
  opened = floor;
  await floor.invite(ann, "calculator");
  expect(await floor.say(ann, "I like tea")).toEqual([matching(/^calculator: I only calculate .* try `/u)]);
  expect(await floor.say(ann, "24/6")).toEqual(["calculator: 24/6 = 4"]);
});
