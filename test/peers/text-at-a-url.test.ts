// Agents with a reader for references read the text at a URL before they handle the utterance.
import { agentNamed } from "@plenary/agents";
import { createAgent, createDialler, listen } from "@plenary/sdk";
import { afterEach, expect, onTestFinished, test } from "vitest";
import { spokenIn } from "./foreign-floor.ts";
import { startSpeakerWithWordsAtUrl } from "./speaker-with-text-at-a-url.ts";

type Speaker = Awaited<ReturnType<typeof startSpeakerWithWordsAtUrl>>;
let speaker: Speaker | undefined;

afterEach(async () => {
  await speaker?.close();
  speaker = undefined;
});

const identification = {
  speakerUri: "tag:parrot.example,2026:1",
  organization: "Example",
  conversationalName: "Parrot",
  synopsis: "Repeats.",
};

async function startParrot(allowHosts: readonly string[] | undefined, agent = createParrot()): Promise<string> {
  const textDialler = allowHosts && createDialler({ mode: "production", allowHosts });
  const listening = await listen(agent, { port: 0, ...(textDialler && { textDialler }) });
  onTestFinished(async () => {
    await listening.close();
    await textDialler?.close();
  });
  return listening.url;
}

function createParrot() {
  const manifest = { identification, capabilities: [] };
  return createAgent({ manifest, onUtterance: ({ text }) => (text === "" ? "no words" : `You said: ${text}`) });
}

test("an agent gets the text at a URL as the utterance", async () => {
  speaker = await startSpeakerWithWordsAtUrl("good mörning");
  const url = await startParrot([speaker.host]);
  expect(spokenIn(await speaker.say(url))).toEqual(["You said: good mörning"]);
  expect(speaker.asked).toEqual(["GET /words.txt"]);
});

const sorry = "Your message contains a link to text that I cannot read. Please send it as plain text.";

test("an agent asks for plain text when it cannot read a text that is addressed to it", async () => {
  speaker = await startSpeakerWithWordsAtUrl("good morning");
  const url = await startParrot([speaker.host]);
  const toMe = { to: { speakerUri: identification.speakerUri } };
  expect(spokenIn(await speaker.say(url, "/gone", { to: toMe }))).toEqual([sorry]);
  expect(spokenIn(await speaker.say(url, "/words.txt", { count: 20 }))).toEqual([sorry]);
  expect(spokenIn(await speaker.say(await startParrot([])))).toEqual([sorry]);
  expect(speaker.asked).toEqual(["GET /gone"]);
});

test("an agent does not fetch a text that is addressed to others", async () => {
  speaker = await startSpeakerWithWordsAtUrl("good morning");
  const url = await startParrot([speaker.host]);
  expect(await speaker.say(url, "/words.txt", { to: { to: { speakerUri: "tag:other.example,2026:1" } } })).toEqual([]);
  expect(speaker.asked).toEqual([]);
});

test("without a reader the reference is left to the handler", async () => {
  speaker = await startSpeakerWithWordsAtUrl("good morning");
  expect(spokenIn(await speaker.say(await startParrot(undefined)))).toEqual(["no words"]);
});

test.each([
  ["echo", "good morning", "You said: good morning"],
  ["clock", "what time is it in Tokyo?", "Tokyo"],
  ["calculator", "what is 17 + 25?", "42"],
])("%s reads text at a URL", async (name, words, answer) => {
  speaker = await startSpeakerWithWordsAtUrl(words);
  const agent = agentNamed(name);
  const to = { speakerUri: agent?.manifest.identification.speakerUri ?? "" };
  const url = await startParrot([speaker.host], agent);
  expect(spokenIn(await speaker.say(url, "/words.txt", { to: { to } })).join()).toContain(answer);
});
