// P10: one live draft delta relayed through the NeMo endpoint against the raw frame of our own socket, from the carrier on.
import { createHost } from "./host.mjs";
import { pause, startWorker } from "./processes.mjs";
import { median, verdict } from "./ratio.mjs";

const target = 1.4;
const token = "bench-token";
const headers = { authorization: `Bearer ${token}` };
const [rounds, warmUps, times] = [15, 5, 4];
/** Sockets of one side: so many conversations, each with so many people who look on. */
const sockets = 200;
const atOnce = 10;

const [floor, viewers] = await Promise.all([
  startWorker(import.meta.resolve("./draft-floor.mjs"), { token }),
  startWorker(import.meta.resolve("./draft-viewers.mjs")),
]);
const { url, port } = floor.started;

const { call, converse } = createHost(url, token);

/** Others in each conversation: nobody looks on everywhere. */
const personOf = (conversation, index) => `tag:${conversation}.example.com,2025:${index}`;
/** It will answer what the people say. */
const agent = { speakerUri: "tag:agent.example.com,2025:1", serviceUrl: "bench:agent" };

/** Each side says the same; one in messages of its own, the other in envelopes. */
const sides = {
  nemo: {
    marker: "so the tale goes on",
    line: (conversation, index) => ({
      path: `/websocket?${new URLSearchParams({ conversation_id: conversation, speaker: personOf(conversation, index) })}`,
      hello: JSON.stringify({
        type: "user_message",
        schema_type: "chat_stream",
        id: `message-${conversation}-${index}`,
        conversation_id: conversation,
        content: { messages: [{ role: "user", content: [{ type: "text", text: "tell me a tale" }] }] },
        timestamp: new Date().toISOString(),
      }),
    }),
    said: () => undefined,
  },
  raw: {
    marker: "so the tale goes on",
    line: (conversation, index, after) => ({
      path: `/openfloor/ws?${new URLSearchParams({ speaker: personOf(conversation, index), conversation, after })}`,
    }),
    said: (conversation, index) =>
      call("POST /openfloor", { body: envelopeOf(conversation, personOf(conversation, index)) }),
  },
};

function envelopeOf(id, speakerUri) {
  const features = { text: { mimeType: "text/plain", tokens: [{ value: "tell me a tale" }] } };
  const dialogEvent = { id: `said-${id}-${speakerUri}`, speakerUri, span: { startTime: new Date() }, features };
  const events = [{ eventType: "utterance", parameters: { dialogEvent } }];
  return { openFloor: { schema: { version: "1.1.0" }, conversation: { id }, sender: { speakerUri }, events } };
}

/** In small groups: setting the scene is not what is measured, and nobody waits for a turn longer than two minutes (D4). */
async function forEach(items, work) {
  for (let at = 0; at < items.length; at += atOnce) await Promise.all(items.slice(at, at + atOnce).map(work));
}

async function openSide(name, people) {
  const { marker, line, said } = sides[name];
  const conversations = Array.from({ length: sockets / people }, (_, index) => `${name}-${people}-${index}`);
  const persons = Array.from({ length: people }, (_, index) => index);
  const lines = [];
  await forEach(conversations, async (conversation) => {
    const speakers = persons.map((index) => personOf(conversation, index));
    const seq = await converse(conversation, speakers, [agent]);
    lines.push(...persons.map((index) => line(conversation, index, seq)));
  });
  await viewers.ask("open", { name, port, headers, marker, lines });
  await forEach(conversations, async (conversation) => {
    for (const index of persons) await said(conversation, index);
  });
  while ((await floor.ask("composing", { conversations })).count < conversations.length) await pause(20);
  return { name, conversations, deltas: 0 };
}

async function slice(side) {
  const { name, conversations } = side;
  side.deltas += times;
  const startedAt = performance.now();
  const { cpuUs, busyMs } = await floor.ask("compose", { conversations, times });
  const { tooMany } = await viewers.ask("seen", { name, deltas: side.deltas });
  if (tooMany > 0) throw new Error(`${name}: ${tooMany} were shown more than was composed`);
  const count = times * conversations.length;
  return { cpuUs: cpuUs / count, busyUs: (busyMs * 1_000) / count, tookMs: performance.now() - startedAt };
}

async function measure(people) {
  const [nemo, raw] = [await openSide("nemo", people), await openSide("raw", people)];
  const measured = { nemo: [], raw: [] };
  for (let round = -warmUps; round < rounds; round += 1) {
    // Who goes second finds a warm machine: take turns.
    for (const side of round % 2 === 0 ? [nemo, raw] : [raw, nemo]) {
      const one = await slice(side);
      if (round >= 0) measured[side.name].push(one);
    }
  }
  for (const { name } of [nemo, raw]) await viewers.ask("close", { name });
  const title = people === 1 ? "1 viewer" : `${people} viewers`;
  for (const [name, slices] of Object.entries(measured)) {
    const [cpuUs, busyUs] = ["cpuUs", "busyUs"].map((key) => median(slices.map((one) => one[key])));
    const rate = Math.round(1e6 / busyUs);
    console.log(`# ${title}, ${name}: server CPU ${cpuUs.toFixed(1)} us a delta, ${rate}/s until all are on their way`);
  }
  const ratioBy = (key) => median(measured.nemo.map((one, round) => one[key] / measured.raw[round][key]));
  console.log(
    `# ${title}, NeMo to raw: by CPU ${ratioBy("cpuUs").toFixed(2)}, by time ${ratioBy("busyUs").toFixed(2)}`,
  );
  return ratioBy("cpuUs");
}

for (const people of [1, 20]) {
  const ratio = await measure(people);
  verdict(`p10-draft-${people}`, ratio, target, ratio <= target);
}
process.exit(0);
