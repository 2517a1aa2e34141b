// Images and audio for a model that reads them, and for one that does not.
import { expect, test } from "vitest";
import { refuses, says } from "../support/stub-model.ts";
import { ann, closeAfterEach, type Met, me, meet, send, type WireEvent, words } from "./llm-without-floor.ts";

closeAfterEach();

const image = { mimeType: "image/png", tokens: [{ value: "aGk=" }] };
const audio = { mimeType: "audio/wav", tokens: [{ value: "c291bmQ=" }] };
const linkedAudio = { mimeType: "audio/wav", tokens: [{ valueUrl: "https://sounds.example/a.wav" }] };
const video = { mimeType: "video/mp4", tokens: [{ value: "dmlkZW8=" }] };

/** Its utterances, with `(private)` before a whisper. */
async function answersTo(met: Met, text: string, features: object): Promise<string[]> {
  const event = words(text, ann, { speakerUri: me });
  Object.assign(event.parameters.dialogEvent.features, features);
  return (await send(met, [event])).map((said: WireEvent & { to?: { private?: boolean } }) => {
    const tokens = said.parameters?.dialogEvent.features.text.tokens as { value: string }[] | undefined;
    return `${said.to?.private === true ? "(private) " : ""}${tokens?.[0]?.value}`;
  });
}

const contentOf = (met: Met, number = 0): unknown => met.model.asked[number]?.body.messages.at(-1)?.content;

test("an image is sent with the text", async () => {
  const met = await meet([says("A cat.")]);
  expect(await answersTo(met, "what is it?", { image })).toEqual(["A cat."]);
  expect(contentOf(met)).toEqual([
    { type: "text", text: "Ann: what is it?" },
    { type: "image_url", image_url: { url: "data:image/png;base64,aGk=" } },
  ]);
});

test("an image without text is sent, and audio where the model accepts it", async () => {
  const met = await meet([says("Yes.")], { takes: ["text", "image", "audio"] });
  expect(await answersTo(met, " ", { image, audio })).toEqual(["Yes."]);
  expect(contentOf(met)).toEqual([
    { type: "text", text: "Ann: [image] [audio]" },
    { type: "image_url", image_url: { url: "data:image/png;base64,aGk=" } },
    { type: "input_audio", input_audio: { data: "c291bmQ=", format: "wav" } },
  ]);
});

test.each([
  [400, { error: { message: "Invalid content type. image_url is only supported by certain models." } }],
  [422, { detail: "messages[1].content must be a string" }],
  [415, { error: "unsupported content-type part" }],
  [500, { error: { message: "image input is not supported - hint: you may need to provide the mmproj" } }],
])(
  "a model that refuses images with %i is asked with the text alone, and the sender is notified",
  async (status, body) => {
    const met = await meet([refuses(status, body), says("Hello.")]);
    expect(await answersTo(met, "hello", { image })).toEqual([
      "Hello.",
      "(private) I cannot read pictures, so I used only your text.",
    ]);
    expect(contentOf(met, 1)).toBe("Ann: hello");
    expect(met.errors).toEqual([]);
  },
);

test.each([
  ["sound", { audio }],
  ["sound", { audio: linkedAudio }],
  ["video", { video }],
])("the sender of %s that the model does not accept is notified", async (what, features) => {
  const met = await meet([says("Hello.")], {
    takes: what === "sound" && "audio" in features ? ["text"] : ["text", "video"],
  });
  expect(await answersTo(met, "hello", features)).toEqual([
    "Hello.",
    `(private) I cannot read ${what}, so I used only your text.`,
  ]);
  expect(await answersTo(met, " ", features)).toEqual([`I cannot read ${what}, and there was no text.`]);
  expect(met.model.asked).toHaveLength(1);
});

test("a model gets audio as data, never by its address", async () => {
  const met = await meet([says("Hello.")], { takes: ["text", "audio"] });
  expect(await answersTo(met, "hello", { audio: linkedAudio })).toHaveLength(2);
  expect(contentOf(met)).toBe("Ann: hello");
});

test("the manifest names the accepted media", async () => {
  const layers = async (settings: Parameters<typeof meet>[1]) =>
    (await meet([], settings)).agent.manifest.capabilities[0]?.supportedLayers?.input;
  expect(await layers({})).toEqual(["text", "image"]);
  expect(await layers({ takes: ["text"] })).toEqual(["text"]);
});
