import { declineInvite, type EventOf, type FloorEvent } from "@plenary/protocol";
import { createAgent, type Delegation, type UtteranceInput } from "@plenary/sdk";
import { afterEach, expect, test } from "vitest";
import { ann, eventTypes, said, utterance } from "../support/envelopes.ts";
import { answer, echo, eventsIn, startAgent } from "../support/http-agent.ts";
import { closeFloorsAndAgents, manifestOf, serve, speakerOf, startSdkAgentsFloor } from "./sdk-agents-floor.ts";

afterEach(closeFloorsAndAgents);

/** An agent that knows small talk, and delegates all questions about the weather. */
async function reception(options: Omit<Delegation, "to"> & { to: string }, more: object = {}) {
  const { to: serviceUrl, ...rest } = options;
  const onUtterance = ({ text, delegate }: UtteranceInput<unknown>) =>
    text.includes("weather") ? delegate({ to: { serviceUrl }, ...rest }) : `Reception: ${text}`;
  return serve(createAgent({ manifest: manifestOf("reception"), greeting: false, onUtterance, ...more }));
}

const weather = () =>
  serve(
    createAgent({
      manifest: manifestOf("weather"),
      greeting: "Weather here.",
      onUtterance: ({ text, history }) => `Sunny (${history.length}): ${text}`,
    }),
  );

test("the delegating agent hands the conversation over with its history, and then stays silent", async () => {
  const floor = await startSdkAgentsFloor();
  const desk = await reception({ to: await weather(), say: "I'll pass you over to the weather." });
  const id = await floor.open("c", desk);
  await floor.say(id, "hello");
  await floor.say(id, "what will the weather be?");
  await floor.say(id, "and tomorrow?");
  expect((await floor.transcript(id)).slice(2)).toEqual([
    "ann: hello",
    "reception: Reception: hello",
    "ann: what will the weather be?",
    "reception: I'll pass you over to the weather.",
    "reception invite",
    "weather acceptInvite",
    "weather: Weather here.",
    // The greeting, its answer and the question: everything that was said to everyone.
    "weather: Sunny (3): what will the weather be?",
    "reception yieldFloor",
    "ann: and tomorrow?",
    "weather: Sunny (0): and tomorrow?",
  ]);
});

test("an agent that leaves after delegating says goodbye, and leaves once the other agent has joined", async () => {
  const floor = await startSdkAgentsFloor();
  const desk = await reception({ to: await weather(), afterwards: "bye", farewell: "All the best." });
  const id = await floor.open("c", desk);
  await floor.say(id, "weather?");
  expect((await floor.transcript(id)).slice(-2)).toEqual(["reception: All the best.", "reception bye"]);
  const { conversants } = await floor.state(id);
  expect(conversants.map(({ identification }) => identification.speakerUri)).toEqual([ann, speakerOf("weather")]);
});

test.each(["yield", "bye"] as const)(
  "after a refusal the agent that wanted to %s continues the conversation",
  async (afterwards) => {
    const floor = await startSdkAgentsFloor();
    const shy = createAgent({
      manifest: manifestOf("shy"),
      onInvite: () => declineInvite({ reason: "@outOfDomain" }),
      onUtterance: () => "never",
    });
    const otherwise = ({ event, say }: { event: EventOf<"declineInvite">; say: (text: string) => FloorEvent }) =>
      say(`Alas: ${event.reason}`);
    const id = await floor.open("c", await reception({ to: await serve(shy), afterwards, otherwise }));
    await floor.say(id, "weather?");
    const answered = await floor.say(id, "hello?");
    expect((await floor.transcript(id)).slice(-4)).toEqual([
      "shy declineInvite",
      "reception: Alas: @outOfDomain",
      "ann: hello?",
      "reception: Reception: hello?",
    ]);
    expect(said(answered)).toHaveLength(1);
  },
);

test("an unreachable address counts as a refusal, and the asker gets a message", async () => {
  const floor = await startSdkAgentsFloor();
  const id = await floor.open("c", await reception({ to: "http://127.0.0.1:9/", afterwards: "bye" }));
  await floor.say(id, "weather?");
  const isAnnounced = ({ sender, kind, event }: { sender?: string; kind: string; event?: object }) =>
    kind === "event" && sender === speakerOf("reception") && JSON.stringify(event).includes("I am still here.");
  await floor.until(id, (entries) => entries.some(isAnnounced));
});

test("an agent that joins without an acceptInvite counts as joined when it speaks", async () => {
  const floor = await startSdkAgentsFloor();
  const plain = await startAgent((heard, agent) => {
    const isInvited = eventsIn(heard).some(({ eventType }) => eventType === "invite");
    return isInvited ? answer(heard, agent, utterance(agent.speakerUri, "plainly")) : answer(heard, agent);
  });
  const id = await floor.open("c", await reception({ to: plain.url }));
  expect(eventTypes(await floor.say(id, "weather?"))).toEqual(["invite", "utterance", "yieldFloor"]);
});

test("the invited agent gets no whisper, and the announcement is whispered", async () => {
  const floor = await startSdkAgentsFloor();
  const guest = await startAgent(echo, speakerOf("guest"));
  const desk = await reception({ to: guest.url, say: "I'll ask the weather." });
  const id = await floor.open("c", desk);
  await floor.say(id, "hello");
  await floor.whisper(id, "secret weather", speakerOf("reception"));
  expect(guest.heard.length).toBeGreaterThan(0);
  expect(guest.heard.map(({ text }) => text).join("\n")).not.toMatch(/secret|hello/u);
  expect(await floor.transcript(id, ann)).toContain("reception (private): I'll ask the weather.");
});

test("soft delegation: a question is answered with scored manifests, only to the conversant that asked", async () => {
  const floor = await startSdkAgentsFloor();
  const url = "https://weather.example/";
  const { identification, capabilities } = manifestOf("weather");
  const manifest = { identification: { ...identification, serviceUrl: url }, capabilities, score: 0.9 };
  const modest = createAgent({
    manifest: manifestOf("modest"),
    greeting: false,
    onUtterance: ({ recommend }) => recommend([manifest], "I would ask the weather."),
  });
  const id = await floor.open("c", await serve(modest));
  const answered = await floor.say(id, "will it rain?");
  const [, published] = answered.body.consequences?.[0]?.openFloor.events ?? [];
  expect(said(answered)).toEqual([[speakerOf("modest"), "I would ask the weather."]]);
  expect(published).toMatchObject({
    eventType: "publishManifests",
    to: { speakerUri: ann },
    parameters: { servicingManifests: [{ identification: { serviceUrl: url }, score: 0.9 }] },
  });
  const whispered = await floor.whisper(id, "will it rain?", speakerOf("modest"));
  expect(eventTypes(whispered)).toEqual(["utterance"]);
  expect(said(whispered)).toEqual([[speakerOf("modest"), `I would ask the weather. weather (${url})`]]);
});
