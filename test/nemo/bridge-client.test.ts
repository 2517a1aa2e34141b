// From a NeMo client through our floor and the bridge to a server of the toolkit: messages arrive unchanged.
import { expect, test } from "vitest";
import { ann } from "../support/envelopes.ts";
import { token } from "../support/start-test-floor.ts";
import { startBridgeFloor } from "./bridge-floor.ts";
import type { StockMessage } from "./stock-shapes.ts";

async function opened() {
  const at = await startBridgeFloor((run) => run.say("I see."));
  const query = new URLSearchParams({ agents: at.url, speaker: ann });
  const chat = async (content: unknown, conversation: string) => {
    const response = await fetch(`${at.testFloor.url}/chat?${query}`, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        authorization: `Bearer ${token}`,
        "conversation-id": conversation,
      },
      body: JSON.stringify({ messages: [{ role: "user", content }] }),
    });
    expect(response.status).toBe(200);
    return JSON.stringify(await response.json());
  };
  const heard = () =>
    at.stock.asked().map(({ content }) => (content as { messages: StockMessage[] }).messages.at(-1)?.content);
  return { ...at, chat, heard };
}

const image = { type: "image_url", image_url: { url: "data:image/png;base64,aGk=" } };
const audio = { type: "input_audio", input_audio: { data: "c291bmQ=", format: "wav" } };

test("messages of a person alone with a workflow arrive word for word, in one conversation of one user", async () => {
  const at = await opened();
  for (const text of ["@Flow what is new?", "and what else?"]) await at.chat(text, "alone");
  expect(at.heard()).toEqual([[{ type: "text", text: "what is new?" }], [{ type: "text", text: "and what else?" }]]);
  expect(new Set(at.stock.asked().map(({ conversation_id: id }) => id)).size).toBe(1);
  expect(new Set(at.stock.callers.map(({ headers }) => headers.cookie)).size).toBe(1);
});

test("images and audio arrive unchanged, with and without text", async () => {
  const at = await opened();
  expect(await at.chat([{ type: "text", text: "@Flow what is it?" }, image, audio], "seen")).toContain("I see.");
  await at.chat([image], "seen");
  expect(at.heard()).toEqual([
    [{ type: "text", text: "what is it?" }, image, audio],
    [{ type: "text", text: "[image]" }, image],
  ]);
  expect(at.stock.ignored()).toEqual([]);
});

test("the sender of a video is notified that the workflow does not read it", async () => {
  const at = await opened();
  const video = { type: "video_url", video_url: { url: "https://films.example/a.mp4" } };
  const answer = await at.chat([{ type: "text", text: "@Flow look" }, video], "film");
  expect(answer).toContain("I see.");
  expect(answer).toContain("I cannot read video, so I used only your text.");
  expect(at.heard()).toEqual([[{ type: "text", text: "look" }]]);
});
