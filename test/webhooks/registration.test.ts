// What a registration must look like, and which addresses it may name.
import { createDialler } from "@plenary/sdk";
import { afterEach, expect, test } from "vitest";
import { ann } from "../support/envelopes.ts";
import { startTestFloor, type TestFloor, type TestFloorOptions } from "../support/start-test-floor.ts";
import { patience } from "../support/wait-for.ts";
import { startReceiver } from "./receiver.ts";

let floor: TestFloor | undefined;

afterEach(async () => {
  await floor?.close();
  expect(floor?.errors).toEqual([]);
  floor = undefined;
});

const root = "/api/v1/webhooks";
const url = "https://receiver.example/hook";

async function start(options: TestFloorOptions = {}): Promise<TestFloor> {
  floor = await startTestFloor(options);
  await floor.openConversation("c", [ann]);
  return floor;
}

test.each([
  [{}, "/url"],
  [{ url: "mailto:ann@example.org" }, "/url"],
  [{ url: "https://user:secret@receiver.example/" }, "/url"],
  [{ url, kinds: [] }, "/kinds"],
  [{ url, kinds: ["event", "hidden"] }, "/kinds/1"],
  [{ url, eventTypes: "utterance" }, "/eventTypes"],
  [{ url, eventTypes: ["utterence"] }, "/eventTypes/0"],
  [{ url, kinds: ["seated"], eventTypes: ["utterance"] }, "/eventTypes"],
  [{ url, speaker: "Ann" }, "/speaker"],
  [{ url, label: "" }, "/label"],
  [{ url, events: ["utterance"] }, "/events"],
])("a registration %j is refused at %s", async (registration, pointer) => {
  const { post, must } = await start();
  const { status, body } = await post(root, registration);
  expect([status, body.pointer]).toEqual([400, pointer]);
  expect((await must("GET", root)).webhooks).toEqual([]);
});

test("an unknown conversation is refused", async () => {
  const { post } = await start();
  const { status, body } = await post(root, { url, conversation: "none" });
  expect([status, body.type]).toEqual([404, "urn:plenary:problem:unknown-conversation"]);
});

test("above the limit a registration is refused, with the remedy", async () => {
  const { must, post } = await start({ webhookLimits: { perRegistrantMax: 2 } });
  const { id } = await must("POST", root, { url });
  await must("POST", root, { url });
  const { status, body } = await post(root, { url });
  expect([status, body.fix]).toEqual([422, expect.stringContaining("delete one")]);
  await must("DELETE", `${root}/${id}`);
  await must("POST", root, { url });
});

test("D32: in production, private addresses and plain http are refused at once, names when they are dialled", async () => {
  const receiver = await startReceiver();
  const { port } = receiver;
  const resolve = async () => [{ address: "127.0.0.1", family: 4 }];
  const dialler = createDialler({ mode: "production", resolve });
  const { post, must, speak } = await start({ dialler });
  for (const address of [`127.0.0.1:${port}`, "10.0.0.5", "[::1]", "169.254.169.254"]) {
    const { status, body } = await post(root, { url: `http://${address}/` });
    expect([address, status, body.pointer]).toEqual([address, 422, "/url"]);
  }
  const { id } = await must("POST", root, { url: `http://receiver.example:${port}/` });
  await speak("c", ann, "hello");
  const hook = () => must("GET", `${root}/${id}`);
  await expect.poll(hook, patience).toMatchObject({ state: "disabled", failure: expect.stringContaining("127.0.0.1") });
  expect(receiver.all).toEqual([]);
  await dialler.close();
});
