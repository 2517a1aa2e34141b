// The minimal behaviours of 0.9.3 (chapter 2.1), one by one, as a floor of that version writes and reads them.
import { expect, test } from "vitest";
import { createFloor, me } from "./minimal-floor.ts";

const from = "https://ann.example";

const dialogEvent = (text: string) => ({
  id: "de:1",
  speakerId: "ann",
  span: { startTime: "2023-06-14 02:06:07+00:00" },
  features: { text: { mimeType: "text/plain", tokens: [{ value: text }] } },
});

async function answerTo(events: object[], options: Parameters<typeof createFloor>[0] = {}) {
  const ovon = {
    schema: { version: "0.9.3" },
    conversation: { id: "c1", persistentState: { theirs: 1 } },
    sender: { from },
    events,
  };
  const response = await createFloor({ greeting: "Hello.", ...options }).post(JSON.stringify({ ovon }));
  expect(response.status).toBe(200);
  const answer = JSON.parse(await response.text());
  expect(answer.ovon).toMatchObject({
    schema: { version: "0.9.3" },
    conversation: { id: "c1", persistentState: { theirs: 1 } },
    sender: { from: me.serviceUrl },
  });
  return answer.ovon.events;
}

const words = (event: { parameters: { dialogEvent: ReturnType<typeof dialogEvent> } }) =>
  event.parameters.dialogEvent.features.text.tokens[0]?.value;

test("utterance: the speaker is answered with an utterance, to everyone", async () => {
  const [answer, ...more] = await answerTo([
    { eventType: "utterance", parameters: { dialogEvent: dialogEvent("hi") } },
  ]);
  expect([answer.eventType, answer.to, words(answer), more]).toEqual(["utterance", undefined, "You said: hi", []]);
});

test("whisper: one that is understood is answered by a whisper to its sender", async () => {
  const whisper = { eventType: "whisper", to: me.serviceUrl, parameters: { dialogEvent: dialogEvent("psst") } };
  const [answer, ...more] = await answerTo([whisper]);
  expect([answer.eventType, answer.to, words(answer), more]).toEqual(["whisper", from, "You said: psst", []]);
});

test("whisper: one without an addressee is for its receiver", async () => {
  const [answer] = await answerTo([{ eventType: "whisper", parameters: { dialogEvent: dialogEvent("psst") } }]);
  expect([answer.eventType, answer.to]).toEqual(["whisper", from]);
});

test("whisper: one that is not understood is ignored", async () => {
  const whisper = { eventType: "whisper", parameters: { dialogEvent: dialogEvent("#!?") } };
  expect(await answerTo([whisper], { onUtterance: () => undefined })).toEqual([]);
});

test("invite: a greeting and an answer to the whisper are sent, for the user to see", async () => {
  const events = await answerTo([
    { eventType: "invite", to: me.serviceUrl },
    { eventType: "whisper", to: me.serviceUrl, parameters: { dialogEvent: dialogEvent("What is the weather?") } },
  ]);
  expect(events.map((event: { eventType: string }) => event.eventType)).toEqual(["utterance", "utterance"]);
  expect(events.map(words)).toEqual(["Hello.", "You said: What is the weather?"]);
});

test("invite: one without a whisper gets a greeting", async () => {
  expect((await answerTo([{ eventType: "invite" }])).map(words)).toEqual(["Hello."]);
});

test("bye: ignored", async () => {
  expect(await answerTo([{ eventType: "bye" }])).toEqual([]);
});

test("requestManifest: a manifest is returned", async () => {
  const [answer, ...more] = await answerTo([{ eventType: "requestManifest" }]);
  expect(more).toEqual([]);
  expect(answer).toMatchObject({
    eventType: "publishManifest",
    parameters: { manifest: { identification: { serviceEndpoint: me.serviceUrl, conversationalName: "Bot" } } },
  });
});

test("publishManifest: ignored without a request", async () => {
  const identification = { serviceEndpoint: from, organization: "", conversationalName: "", synopsis: "" };
  const manifest = { identification, capabilities: [{ keyphrases: [], descriptions: [] }] };
  expect(await answerTo([{ eventType: "publishManifest", parameters: { manifest } }])).toEqual([]);
});

test("findAssistant: the agent proposes itself for any task", async () => {
  const task = { eventType: "whisper", parameters: { dialogEvent: dialogEvent("who knows about gardening?") } };
  const [answer, ...more] = await answerTo([{ eventType: "findAssistant" }, task]);
  expect(more).toEqual([]);
  expect(answer).toMatchObject({
    eventType: "proposeAssistant",
    parameters: { servicingManifests: [{ identification: { serviceEndpoint: me.serviceUrl } }] },
  });
});

test("proposeAssistant: ignored without a request", async () => {
  const parameters = { servicingManifests: [], discoveryManifests: [] };
  expect(await answerTo([{ eventType: "proposeAssistant", parameters }])).toEqual([]);
});

test("an agent addressed in 1.0.0 answers in 1.0.0, without fields that this version does not know", async () => {
  const openFloor = {
    schema: { version: "1.0.0" },
    conversation: { id: "c1" },
    sender: { speakerUri: "tag:ann.example,2025:1" },
    events: [{ eventType: "invite", to: { serviceUrl: me.serviceUrl } }],
  };
  const response = await createFloor({ greeting: "Hello." }).post(JSON.stringify({ openFloor }));
  const answer = JSON.parse(await response.text()).openFloor;
  expect(answer.schema.version).toBe("1.0.0");
  expect(answer.events).toMatchObject([{ eventType: "utterance" }]);
  expect(answer.events[0].to).toBeUndefined();
});
