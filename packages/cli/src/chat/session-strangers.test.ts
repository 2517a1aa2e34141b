import { expect, test, vi } from "vitest";
import { clock, identification, me, openSession, said, seated } from "../testing/chat-session.ts";
import { chatColors } from "./screen/colors.ts";
import { liveRows } from "./screen/status-rows.ts";

/** What an object of a stranger may be where words should be. */
const wordless: readonly unknown[] = [
  { toString: 1 },
  { toString: null, valueOf: null },
  [{ toString: 1 }],
  null,
  7,
  true,
  {},
];
const huge = "x".repeat(300_000);

function asked(seq: number, interaction: unknown) {
  const { entry } = said(seq, clock, "Tea?");
  const feature = { mimeType: "application/vnd.plenary.interaction+json", tokens: [{ value: interaction }] };
  Object.assign(entry.event.parameters.dialogEvent.features, { interaction: feature });
  return { entry, seq };
}

/** With something else in one place of it. */
function spoilt(frame: { entry: object; seq: number }, path: string, value: unknown) {
  const copy = structuredClone(frame);
  const names = path.split(".");
  const last = names.pop() ?? "";
  let place: Record<string, unknown> = copy.entry as never;
  for (const name of names) place = place[name] as never;
  place[last] = value;
  return copy;
}

const question = { id: "q", text: "Tea?", timeout: 3, input_type: "radio", required: true, options: ["a"] };
const event = (eventType: string, parameters?: object) => (seq: number) => ({
  entry: { seq, at: "", kind: "event", sender: clock, reason: "", event: { eventType, parameters } },
  seq,
});
const fact = (kind: string, facts: object) => (seq: number) => ({ entry: { seq, at: "", kind, ...facts }, seq });
const publish = event("publishManifests", {
  servicingManifests: [
    { identification: { ...identification(clock, "Clock") }, capabilities: [{ keyphrases: ["x"] }] },
  ],
});
const manifest = "event.parameters.servicingManifests.0";

test.each<[(seq: number) => { entry: object; seq: number }, readonly string[]]>([
  [
    (seq) => asked(seq, question),
    ["timeout", "id", "text", "options", "options.0", "input_type", "required"].map(
      (name) => `event.parameters.dialogEvent.features.interaction.tokens.0.value.${name}`,
    ),
  ],
  [
    (seq) => said(seq, clock, "hello"),
    [
      ...["sender", "target", "at", "turn", "event", "event.eventType", "event.to", "event.parameters"],
      ...["", ".id", ".speakerUri", ".span", ".features", ".features.text", ".features.text.mimeType"].map(
        (name) => `event.parameters.dialogEvent${name}`,
      ),
      ...[".tokens", ".tokens.0", ".tokens.0.value"].map((name) => `event.parameters.dialogEvent.features.text${name}`),
    ],
  ],
  [
    publish,
    ["event.reason", manifest, `${manifest}.identification`, `${manifest}.identification.conversationalName`].concat(
      [".identification.synopsis", ".identification.serviceUrl", ".capabilities", ".capabilities.0"].map(
        (name) => manifest + name,
      ),
    ),
  ],
  [(seq) => seated(seq, "Clock"), ["seat", "seat.identification", "seat.identification.conversationalName", "because"]],
  [(seq) => seated(seq, "Clock"), ["seat.identification.speakerUri", "seat.kind"]],
  [fact("refused", { sender: clock, event: { eventType: "utterance" }, problem: "" }), ["problem", "event", "sender"]],
  [fact("titled", { title: "T", by: clock }), ["title", "by", "kind"]],
  [fact("chosen", { serviceUrl: "https://x.example/" }), ["serviceUrl"]],
  [fact("paused", { by: clock }), ["by", "because"]],
  [
    fact("renamed", { from: clock, to: "tag:x", identification: identification("tag:x", "X") }),
    ["from", "identification"],
  ],
  [fact("role", { role: "convener", speakerUri: clock }), ["role", "speakerUri"]],
  [fact("hidden", { whisper: { at: "", from: clock, to: me } }), ["whisper", "whisper.from", "whisper.to"]],
])("whatever strangers put where words should be, nothing throws and the rest goes on (%#)", async (make, paths) => {
  const { session, printed, tell, write } = await openSession({ earlier: [seated(1, "Clock")] });
  let seq = 1;
  for (const path of paths) {
    for (const value of [...wordless, huge]) {
      const frame = spoilt(make(seq + 1), path, value);
      write(JSON.stringify(frame));
      // Without a kind it is no entry.
      if ("kind" in frame.entry && typeof frame.entry.kind === "string") seq += 1;
    }
  }
  const drafts = [{ delta: { toString: 1 } }, { speakerUri: { toString: 1 }, delta: "x" }];
  for (const draft of drafts) write(JSON.stringify({ draft: { speakerUri: clock, dialogEventId: "d", ...draft } }));
  for (const frame of ['{"draft":null}', "no JSON", '{"entry":null}', '{"entry":{"toString":1}}']) write(frame);
  await tell(said(++seq, me, "the rest goes on"));
  await vi.waitFor(() => expect(printed.at(-1)).toBe("You: the rest goes on"), { timeout: 5_000 });
  liveRows(session, { colors: chatColors({ env: {} }), columns: 80 }, 10);
});
