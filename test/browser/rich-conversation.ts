// A conversation with everything that a page can show: utterances, whispers, questions, answers, media, a conversant that left.

import { utterance } from "../support/envelopes.ts";
import { type Cue, startScriptedAgent } from "../support/scripted-agent.ts";
import { createGate } from "../support/wait-for.ts";
import type { PageFloor } from "./page-floor.ts";

type Json = Record<string, unknown>;

const options = [
  { id: "t", label: "Tea", value: "tea", description: "green or black" },
  { id: "c", label: "Coffee", value: "coffee" },
];

/** One open question of each kind, and one that was answered. */
const questions: Json[] = [
  { id: "words", input_type: "text", text: "What shall I call you?", placeholder: "Your name", required: false },
  { id: "one", input_type: "radio", text: "Tea or coffee?", options },
  { id: "many", input_type: "checkbox", text: "What do you drink at all?", options },
  { id: "list", input_type: "dropdown", text: "And tomorrow?", options },
  { id: "yes", input_type: "binary_choice", text: "Shall we begin?", options: [], timeout: 600 },
  { id: "note", input_type: "notification", text: "The kettle is on." },
  { id: "late", input_type: "text", text: "Quick, what is six times seven?", timeout: 0.001, error: "Too late: 42." },
];

const markdown = `# A heading

A **bold** word, a _leaning_ one, \`code\` and a [link](https://example.org/).

- one
- two

| name | value |
| ---- | ----: |
| six  |     6 |

\`\`\`ts
const answer = 42;
\`\`\`

> quoted`;

const features = {
  html: {
    mimeType: "text/html",
    tokens: [{ value: "<h1>A page</h1><p>with <a href='https://example.org/'>a link</a></p>" }],
  },
  ssml: {
    mimeType: "application/ssml+xml",
    tokens: [{ value: "<speak>It <emphasis>speaks</emphasis>.<break time='1s'/></speak>" }],
  },
  audio: { mimeType: "audio/wav", tokens: [{ value: "UklGRiQAAABXQVZFZm10IBAAAAABAAEARKwAAIhYAQACABAAZGF0YQAAAAA=" }] },
  image: {
    mimeType: "image/gif",
    tokens: [{ value: "R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7", alt: "A dot" }],
  },
  emotion: { mimeType: "application/json", tokens: [{ value: { joy: 0.9 } }] },
};

const asking = (speakerUri: string, value: Json, to: string) =>
  utterance(speakerUri, String(value.text), {
    to: { speakerUri: to },
    features: { interaction: { mimeType: "application/vnd.plenary.interaction+json", tokens: [{ value }] } },
  });

/** Shows the conversation to the host while an agent is still answering; `end` lets the agent finish. */
export async function openRichConversation(floor: PageFloor) {
  const rest = createGate();
  const clerk = await startScriptedAgent({
    name: "Clerk",
    async onUtterance(cue: Cue) {
      const { speakerUri } = clerk;
      if (cue.text === "show") return cue.answer(utterance(speakerUri, markdown, { features, lang: "en" }));
      if (cue.text === "ask") return cue.answer(...questions.map((one) => asking(speakerUri, one, cue.from)));
      if (cue.text === "psst")
        return cue.answer(utterance(speakerUri, "psst yourself", { to: { speakerUri: cue.from, private: true } }));
      if (cue.text !== "tell") return cue.answer();
      const answer = cue.stream();
      answer.write("Once **upon** a time");
      await Promise.race([rest.opened, cue.cut]);
      answer.finish("Once **upon** a time there was an end.");
    },
  });
  const gone = await startScriptedAgent({ name: "Gone" });
  const conversation = await floor.begin({ title: "A rich conversation", agents: [clerk, gone] });
  const say = (text: string, to?: Json) =>
    floor.must("POST", "/openfloor", envelope(utterance(floor.host, text, to && { to })), { prefer: "wait=10" });
  const envelope = (...events: Json[]) => ({
    openFloor: {
      schema: { version: "1.1.0" },
      conversation: { id: conversation },
      sender: { speakerUri: floor.host },
      events,
    },
  });
  const { link } = await floor.linkTo(conversation);
  const invite = new URLSearchParams(new URL(link).hash.slice(1)).get("invite");
  const gus = await floor.must("POST", "/api/v1/guests", { invite, name: "Gus" });
  const to = { speakerUri: gone.speakerUri };
  await floor.must("POST", "/openfloor", envelope({ eventType: "revokeFloor", to, reason: "it was its turn" }));
  await say("show");
  await say("psst", { speakerUri: clerk.speakerUri, private: true });
  await floor.must("POST", "/openfloor", envelope({ eventType: "uninvite", to, reason: "too quiet" }));
  const sender = { speakerUri: gus.speakerUri };
  const whisper = utterance(gus.speakerUri, "between us", { to: { speakerUri: clerk.speakerUri, private: true } });
  await floor.must("POST", "/openfloor", { openFloor: { ...envelope(whisper).openFloor, sender } });
  await say("ask");
  const host = await floor.openAsHost(conversation);
  await host.log.getByRole("button", { name: "No" }).click();
  await host.sees("You answered No");
  await host.say("tell");
  const draft = host.log.getByRole("article", { name: "Clerk is answering" });
  await draft.getByText("time").waitFor();
  const end = async () => {
    rest.open();
    await draft.waitFor({ state: "detached" });
  };
  return { host, conversation, end };
}
