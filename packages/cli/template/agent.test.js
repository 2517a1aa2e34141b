import assert from "node:assert/strict";
import { test } from "node:test";
import { envelope, invite, textUtterance } from "@plenary/protocol";
import { agent, name } from "./agent.js";

const serviceUrl = "http://agent.example/";
const ann = "tag:ann.example,2026:1";
const said = (text, to) =>
  textUtterance(text, { speakerUri: ann, id: "de:1", startTime: new Date().toISOString(), to });

/** What the agent says when Ann's floor sends it this event. */
async function answer(event) {
  const openFloor = envelope({ conversation: { id: "c1" }, sender: { speakerUri: ann }, events: [event] });
  const request = new Request(serviceUrl, { method: "POST", body: JSON.stringify({ openFloor }) });
  const { events } = (await (await agent.fetch(request)).json()).openFloor;
  return events.map(({ parameters }) => parameters?.dialogEvent?.features.text.tokens[0].value).filter(Boolean);
}

test("it greets when it is invited", async () => {
  assert.deepEqual(await answer(invite({ to: { serviceUrl } })), ["Hello! Tell me something."]);
});

test("it answers a message to it", async () => {
  assert.deepEqual(await answer(said(`@${name} good morning`)), ["You said: good morning"]);
});

test("it does not answer a message to another participant", async () => {
  assert.deepEqual(await answer(said("good morning", { speakerUri: "tag:bob.example,2026:1" })), []);
});
