// A model on a test floor: streamed text, stop, and what its prompt contains of the conversation.
import { afterEach, expect, test } from "vitest";
import { ann, bob, utterance } from "../support/envelopes.ts";
import { chunk, done, drips, fallsSilentAfter, type Play, says, startModel, streamOf } from "../support/stub-model.ts";
import { carl, type LlmFloor, startLlmFloor } from "./llm-floor.ts";

const closing: { close: () => Promise<void> }[] = [];

afterEach(async () => {
  for (const one of closing.splice(0).reverse()) await one.close();
});

async function open(plays: Play[], settings: Parameters<typeof startLlmFloor>[1] = {}) {
  const model = await startModel(...plays);
  closing.push(model);
  const floor = await startLlmFloor(model, settings);
  closing.push(floor);
  await floor.open();
  return { model, floor };
}

async function watching(floor: LlmFloor, speaker: string) {
  const viewer = await floor.watch(speaker);
  closing.push(viewer);
  return viewer;
}

test("people see the text as it arrives, and then the same text as one utterance", async () => {
  let goOn = () => {};
  const play: Play = async (response) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.write(chunk({ content: "Once upon " }));
    await new Promise<void>((resolve) => {
      goOn = resolve;
    });
    response.end(chunk({ content: "a time." }) + done);
  };
  const { floor } = await open([play]);
  const viewer = await watching(floor, bob);
  const answered = floor.say(ann, "Stub, tell us a story");
  await viewer.until(({ delta }) => delta === "Once upon", "the first words, before the others are there");
  goOn();
  expect(await answered).toEqual(["Once upon a time."]);
  await viewer.until(({ end }) => end === "final", "the end of the draft");
  const [{ dialogEventId } = { dialogEventId: "" }] = viewer.drafts();
  expect(viewer.drafts().flatMap(({ delta = [] }) => delta)).toEqual(["Once upon", " a time."]);
  const spoken = viewer.frames.filter(({ openFloor }) => JSON.stringify(openFloor ?? "").includes("Once upon a time."));
  expect(JSON.stringify(spoken)).toContain(dialogEventId);
});

const stops: [name: string, stop: (floor: LlmFloor) => Promise<unknown>][] = [
  ["a pause", (floor) => floor.pause()],
  ["revokeFloor", (floor) => floor.send(ann, { eventType: "revokeFloor", to: { speakerUri: floor.llm } })],
  ["uninvite", (floor) => floor.send(ann, { eventType: "uninvite", to: { speakerUri: floor.llm } })],
];

test.each(stops)("%s closes the connection to the model, and the received text is not said", async (_name, stop) => {
  const { model, floor } = await open([fallsSilentAfter("It was a dark ")]);
  const viewer = await watching(floor, bob);
  const answered = floor.say(ann, "Stub, tell us a story");
  await viewer.until(({ delta }) => delta === "It was a dark", "the first words");
  const { cut } = await model.request(0);
  await stop(floor);
  await cut;
  await viewer.until(({ end }) => end === "dropped", "the end of the draft");
  await answered;
  expect(await floor.log(ann)).not.toContain("It was a dark");
});

test("the agent waits for a model that thinks first, and people see none of its thinking", async () => {
  const thinking = chunk({ reasoning_content: "hm" }).repeat(20);
  const { floor } = await open([drips(thinking + streamOf(["At ", "last."]), 40)], { timeouts: { patienceMs: 1 } });
  const viewer = await watching(floor, bob);
  expect(await floor.say(ann, "Stub, why?")).toEqual(["At last."]);
  await viewer.until(({ end }) => end === "final", "the end of the draft");
  expect(
    viewer
      .drafts()
      .flatMap(({ delta = [] }) => delta)
      .join(""),
  ).toBe("At last.");
});

test("the part of an answer that the model cuts off is kept", async () => {
  const { floor } = await open([drips(chunk({ content: "It was" }), 9)]);
  expect(await floor.say(ann, "Stub, tell us a story")).toEqual(["It was … (cut: the connection to my model broke)"]);
});

test("the prompt distinguishes two people and the model's own utterances", async () => {
  const { model, floor } = await open([says("Hello Ann."), says("Hello Bob.")]);
  await floor.say(ann, "I like tea");
  await floor.say(bob, "I like coffee");
  await floor.say(ann, "Stub, hello");
  await floor.say(bob, "Stub, and me?");
  const [system, ...messages] = model.asked[1]?.body.messages ?? [];
  expect(system?.content).toContain("Ann (a person), Bob (a person)");
  expect(system?.content).toContain("Now Bob (a person) speaks to you.");
  expect(messages).toEqual([
    { role: "user", content: "Ann: I like tea\nBob: I like coffee\nAnn: Stub, hello" },
    { role: "assistant", content: "Hello Ann." },
    { role: "user", content: "Bob: Stub, and me?" },
  ]);
});

test("a whisper is in no prompt except those for the same whisperer", async () => {
  const { model, floor } = await open([says("Your secret is safe.")]);
  expect(await floor.whisper(ann, "the code is 4711")).toEqual(["Your secret is safe."]);
  await floor.say(bob, "Stub, what did Ann tell you?");
  await floor.whisper(bob, "tell me, what did Ann say?");
  await floor.say(ann, "Stub, what did I tell you?");
  const prompts = model.asked.slice(1).map(({ body }) => JSON.stringify(body.messages));
  expect(prompts).toHaveLength(3);
  for (const messages of prompts) expect(messages).not.toContain("4711");
  // Its private answer to Bob is not in its public answer to Ann.
  expect(prompts[2]).not.toContain("what did Ann say?");
  await floor.whisper(ann, "say it again");
  const last = JSON.stringify(model.asked.at(-1)?.body.messages);
  expect(last).toContain("Ann (whispers): the code is 4711");
  expect(last).not.toContain("what did Ann say?");
  expect(await floor.log(bob)).not.toContain("4711");
});

test("utterances before a newcomer are in no prompt whose answer the newcomer gets", async () => {
  const { model, floor } = await open([says("Hm.")]);
  await floor.say(ann, "between us three: the code is 4711");
  const lastPrompt = () => JSON.stringify(model.asked.at(-1)?.body.messages);
  await floor.say(ann, "Stub, which code?");
  expect(lastPrompt()).toContain("4711");
  await floor.seat(carl, "Carl");
  await floor.whisper(carl, "which code?");
  expect(lastPrompt()).not.toContain("4711");
  await floor.say(ann, "Stub, again: which code?");
  expect(lastPrompt()).not.toContain("4711");
  await floor.whisper(bob, "which code?");
  expect(lastPrompt()).toContain("Ann: between us three: the code is 4711");
  await floor.say(carl, "Stub, I am new here");
  await floor.say(ann, "Stub, who is new?");
  expect(lastPrompt()).toContain("Carl: Stub, I am new here");
  expect(await floor.log(carl)).not.toContain("4711");
});

test("the drafts of an answer to a whisper reach the whisperer only", async () => {
  const { floor } = await open([says("Just ", "us ", "two.")]);
  const [annSees, bobSees] = [await watching(floor, ann), await watching(floor, bob)];
  await floor.whisper(ann, "are we alone?");
  await annSees.until(({ end }) => end === "final", "the end of the draft");
  await floor.say(ann, "good");
  expect(JSON.stringify(bobSees.frames)).not.toContain("us two");
  expect(bobSees.drafts()).toEqual([]);
});

test("a model that declines says nothing, and its token is in no draft", async () => {
  const settings = { policy: "open", instructions: "You help with cooking." } as const;
  const { floor } = await open([drips(streamOf([..."@outOfDomain"]), 40)], settings);
  const viewer = await watching(floor, bob);
  expect(await floor.say(ann, "book me a flight")).toEqual([]);
  expect(await floor.say(ann, "Stub, book me a flight")).toEqual(["Sorry, that is outside of what I am here for."]);
  expect(viewer.drafts().filter(({ delta = "" }) => delta.includes("@"))).toEqual([]);
  expect(await floor.log(ann)).not.toContain("@outOfDomain");
});

test("the agent answers when no other agent was addressed, beside an agent that answers everything", async () => {
  const { model, floor } = await open([says("Four.")], { policy: "open" });
  await floor.invite("echo");
  expect((await floor.say(ann, "two and two?")).sort()).toEqual(["Four.", "You said: two and two?"]);
  expect(await floor.say(ann, "Echo, and you?")).toEqual(["You said: Echo, and you?"]);
  expect(model.asked).toHaveLength(1);
});

test("after a restart the agent knows earlier utterances, and no erased ones", async () => {
  const { model, floor } = await open([says("Noted.")]);
  await floor.say(ann, "Stub, my cat is called Mia");
  await floor.close();
  closing.pop();
  const again = await startLlmFloor(model, {}, { store: floor.store, port: floor.port });
  closing.push(again);
  await again.say(bob, "Stub, what is her cat called?");
  expect(model.asked[1]?.body.messages.slice(1)).toEqual([
    { role: "user", content: "Ann: Stub, my cat is called Mia" },
    { role: "assistant", content: "Noted." },
    { role: "user", content: "Bob: Stub, what is her cat called?" },
  ]);
  const { entries } = JSON.parse(await again.log(ann)) as { entries: { seq: number }[] };
  const cat = entries.find((entry) => JSON.stringify(entry).includes("Mia"));
  await again.call("/api/v1/conversations/c/erase", { seq: cat?.seq });
  await again.say(bob, "Stub, and now?");
  expect(JSON.stringify(model.asked[2]?.body)).not.toContain("Mia");
});

test("an invite with a task outside its domain is declined on the floor", async () => {
  const { floor } = await open([says("@outOfDomain")], { instructions: "You help with cooking." });
  await floor.send(ann, { eventType: "uninvite", to: { speakerUri: floor.llm } });
  const { dialogEvent } = utterance(ann, "Book me a flight.").parameters as { dialogEvent: object };
  const to = { serviceUrl: `${floor.url}/agents/llm` };
  await floor.send(ann, { eventType: "invite", to, parameters: { dialogHistory: [dialogEvent] } });
  const log = await floor.log(ann);
  expect(log).toMatch(/"eventType":"declineInvite"[^}]*\}?[^}]*"reason":"@outOfDomain"/u);
  const { conversants } = await floor.call("/api/v1/conversations/c");
  expect(JSON.stringify(conversants)).not.toContain(floor.llm);
});
