import { expect, test } from "vitest";
import { nemoFixture, robot, summaryOf, type Workflow } from "../testing/nemo-fixture.ts";
import type { NemoSettings } from "./settings.ts";

const image = { mimeType: "image/png", tokens: [{ value: "aGk=" }] };
const linked = { mimeType: "image/*", tokens: [{ valueUrl: "https://pictures.example/cat.png" }] };
const audio = { mimeType: "audio/mpeg", tokens: [{ value: "data:audio/mpeg;base64,c291bmQ=" }] };
const video = { mimeType: "video/mp4", tokens: [{ value: "dmlkZW8=", alt: "film.mp4" }] };

async function arrived(settings: Partial<NemoSettings> = {}) {
  const stage = nemoFixture(settings);
  await stage.invite();
  return { ...stage, flow: await stage.workflow() };
}

/** The parts of the last message to the workflow, which answers it. */
async function parts(flow: Workflow): Promise<unknown> {
  const { content } = await flow.take();
  flow.delta("I see.");
  flow.complete();
  return (content as { messages: { content: unknown }[] }).messages.at(-1)?.content;
}

test("pictures and sound go with the text, as data or as a link", async () => {
  const { say, flow } = await arrived();
  const answer = say("what is this?", { features: { image, "image-2": linked, audio } });
  expect(await parts(flow)).toEqual([
    { type: "text", text: "Ann: what is this?" },
    { type: "image_url", image_url: { url: "data:image/png;base64,aGk=" } },
    { type: "image_url", image_url: { url: "https://pictures.example/cat.png" } },
    { type: "input_audio", input_audio: { data: "c291bmQ=", format: "mp3" } },
  ]);
  expect(summaryOf(await answer)).toEqual(["I see."]);
});

test("a picture without text starts a turn", async () => {
  const { say, flow } = await arrived();
  const answer = say(" ", { features: { image } });
  expect(await parts(flow)).toEqual([
    { type: "text", text: "Ann: [image]" },
    { type: "image_url", image_url: { url: "data:image/png;base64,aGk=" } },
  ]);
  expect(summaryOf(await answer)).toEqual(["I see."]);
});

test.each([
  ["what it does not take", {}, { video }, "video", "your text"],
  [
    "more than text to a schema of text",
    { schemaType: "generate" },
    { image, audio },
    "pictures or sound",
    "your text",
  ],
  ["one of two kinds", {}, { image, video }, "video", "the rest"],
  ["what the operator left out", { takes: ["text"] }, { image }, "pictures", "your text"],
] as const)("who sends %s learns it, and is answered all the same", async (_, settings, features, what, used) => {
  const { say, flow } = await arrived(settings);
  const answer = say("hello", { features });
  expect(JSON.stringify(await parts(flow))).not.toContain("dmlkZW8=");
  expect(summaryOf(await answer)).toEqual(["I see.", `(Ann) I cannot read ${what}, so I used only ${used}.`]);
});

test.each([" ", "[video]", "film.mp4"])("an utterance with only unreadable media (%j) runs nothing", async (text) => {
  const { say } = await arrived();
  expect(summaryOf(await say(text, { features: { video } }))).toEqual(["I cannot read video, and there was no text."]);
  expect(await say(text, { features: { video }, from: robot })).toEqual([]);
});

test.each([
  ["no base64", { mimeType: "image/png", tokens: [{ value: "<svg onload=x>" }] }],
  ["another scheme", { mimeType: "image/png", tokens: [{ valueUrl: "file:///etc/passwd" }] }],
  ["a credential", { mimeType: "image/png", tokens: [{ valueUrl: "https://me:secret@pictures.example/" }] }],
  ["too much", { mimeType: "image/png", tokens: [{ valueUrl: `https://pictures.example/${"x".repeat(3_000)}` }] }],
  ["no medium", { mimeType: "application/pdf", tokens: [{ value: "aGk=" }] }],
])("a picture that is %s does not reach the workflow", async (_, picture) => {
  const { say, flow } = await arrived();
  const answer = say("hello", { features: { picture } });
  expect(await parts(flow)).toEqual([{ type: "text", text: "Ann: hello" }]);
  await answer;
});

test("the manifest lists the media that the workflow reads", () => {
  const inputOf = (settings: Partial<NemoSettings>) =>
    nemoFixture(settings).agent.manifest.capabilities[0]?.supportedLayers?.input;
  expect(inputOf({})).toEqual(["text", "image", "audio"]);
  expect(inputOf({ schemaType: "generate_stream" })).toEqual(["text"]);
  expect(inputOf({ takes: ["text", "video"] })).toEqual(["text", "video"]);
});
