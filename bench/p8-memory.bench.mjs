// P8: what an idle socket and an idle conversation cost in memory, and whether very many of them open and resume.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { ownerOf } from "./filled-store.mjs";
import { createHost } from "./host.mjs";
import { createFolder, pause, removeFolder, rssBytesOf, startWorker } from "./processes.mjs";
import { authorization, startProduct, token } from "./product.mjs";
import { median, verdict } from "./ratio.mjs";
import { createSpeech } from "./speech.mjs";

const targets = { socket: 1.5, conversationKb: 4, evictedKb: 0.1 };
const socketsPerConversation = 4;
const settleMs = 1_500;

const guests = await startWorker(import.meta.resolve("./idle-sockets.mjs"));

/** Bytes of resident memory that each socket adds. The first few load and compile what all need. */
async function bytesPerSocket({ pid, port, headers = {} }, paths) {
  await guests.ask("open", { port, headers, paths: paths.slice(0, 200) });
  await guests.ask("close");
  await pause(settleMs);
  const before = rssBytesOf(pid);
  await guests.ask("open", { port, headers, paths });
  await pause(settleMs);
  return (rssBytesOf(pid) - before) / paths.length;
}

async function ofBareWs(count) {
  const server = await startWorker(import.meta.resolve("./bare-sockets.mjs"));
  const bytes = await bytesPerSocket({ ...server, ...server.started }, Array(count).fill("/"));
  await guests.ask("close");
  await server.stop();
  return bytes;
}

const viewerPath = (conversation, after) =>
  `/openfloor/ws?${new URLSearchParams({ speaker: ownerOf(conversation), conversation, after })}`;

/** Few requests at once: connections take memory of the floor, too. */
async function inGroups(items, run) {
  for (let from = 0; from < items.length; from += 32) await Promise.all(items.slice(from, from + 32).map(run));
}

async function ofProduct(count, { isResumed }) {
  const floor = await startProduct();
  const ids = Array.from({ length: count / socketsPerConversation }, (_, index) => `conv:${index}`);
  const open = (id) => floor.converse(id, [ownerOf(id)]);
  const seq = await open(ids[0]);
  await inGroups(ids.slice(1), open);
  const paths = Array.from({ length: count }, (_, index) => viewerPath(ids[index % ids.length], seq));
  const headers = { authorization };
  const bytes = await bytesPerSocket({ ...floor, headers }, paths);
  await guests.ask("close");
  const resumed = isResumed ? await resume(floor, ids, { paths, headers }) : undefined;
  await guests.ask("close");
  await floor.stop();
  return { bytes, resumed };
}

/** Something is said while nobody is there; whoever comes back gets exactly that. */
async function resume({ port, call }, ids, { paths, headers }) {
  await inGroups(ids, (conversation) => {
    const speech = createSpeech({ lane: 0, conversation, speaker: ownerOf(conversation) }, Buffer.from);
    return call("POST /openfloor", { body: JSON.parse(speech.next()) });
  });
  await guests.ask("open", { port, headers, paths });
  return (await guests.ask("seen", { frames: 1 })).exactly;
}

async function sockets() {
  const kb = (bytes) => `${(bytes / 1024).toFixed(1)} kB`;
  const rounds = [];
  for (let round = 0; round < 3; round += 1) {
    const [bare, ours] = [await ofBareWs(2_000), (await ofProduct(2_000, { isResumed: false })).bytes];
    rounds.push({ bare, ours });
  }
  const [bareKb, oursKb] = ["bare", "ours"].map((side) => kb(median(rounds.map((round) => round[side]))));
  const ratio = median(rounds.map(({ bare, ours }) => ours / bare));
  console.log(`# 2000 idle sockets: ${oursKb} each against ${bareKb} of bare ws, x ${ratio.toFixed(2)}`);
  const filesMax = Number(/^Max open files\s+(\d+)/mu.exec(readFileSync("/proc/self/limits", "utf8"))?.[1] ?? Infinity);
  const many = 10_000;
  if (filesMax < many + 500) {
    console.log(`# 10000 idle sockets: not tried, this machine allows ${filesMax} open files`);
    return verdict("p8-idle-socket", ratio, targets.socket, ratio <= targets.socket);
  }
  const bare = await ofBareWs(many);
  const { bytes, resumed } = await ofProduct(many, { isResumed: true });
  const manyRatio = bytes / bare;
  const each = `${kb(bytes)} each against ${kb(bare)} of bare ws, x ${manyRatio.toFixed(2)}`;
  console.log(`# ${many} idle sockets: ${each}; after a break ${resumed} resumed and saw exactly what they had missed`);
  const worst = Math.max(ratio, manyRatio);
  verdict("p8-idle-socket", worst, targets.socket, worst <= targets.socket);
  verdict("p8-sockets-resumed", resumed / many, 1, resumed === many);
}

/** Fewer than a store holds in memory, then many more than that. */
async function conversations() {
  const [few, held, many] = [8_000, 12_000, 100_000];
  const folder = createFolder();
  const file = process.env.PLENARY_BENCH_STORE ?? join(folder, "floor.db");
  const floor = await startWorker(import.meta.resolve("./floor-process.mjs"), { file, token }, ["--expose-gc"]);
  const heapKb = async () => (await floor.ask("heap")).heapBytes / 1024;
  await floor.ask("converse", { from: 0, to: 500 });
  const start = await heapKb();
  await floor.ask("converse", { from: 500, to: few });
  const idleKb = ((await heapKb()) - start) / (few - 500);
  await floor.ask("converse", { from: few, to: held });
  const full = await heapKb();
  await floor.ask("converse", { from: held, to: many });
  const evictedKb = ((await heapKb()) - full) / (many - held);
  const resumed = await spokenIn(floor.started.url, many);
  console.log(`# ${few} idle conversations of three: ${idleKb.toFixed(2)} kB heap each (target and figure are in kB)`);
  console.log(
    `# ${many} conversations: ${evictedKb.toFixed(3)} kB heap for each evicted one; ${resumed} of 500 resumed`,
  );
  await floor.stop();
  removeFolder(folder);
  verdict("p8-idle-conversation", idleKb, targets.conversationKb, idleKb <= targets.conversationKb);
  verdict("p8-evicted-conversation", evictedKb, targets.evictedKb, evictedKb <= targets.evictedKb);
  verdict("p8-conversations-resumed", resumed / 500, 1, resumed === 500);
}

/** Says something in 500 of them, spread over all, and counts where it became the next entry. */
async function spokenIn(url, many) {
  const { call } = createHost(url, token);
  let resumed = 0;
  const ids = Array.from({ length: 500 }, (_, index) => `conv:idle-${(index * many) / 500}`);
  await inGroups(ids, async (conversation) => {
    const speech = createSpeech({ lane: 0, conversation, speaker: ownerOf(conversation) }, Buffer.from);
    const headers = { authorization, "content-type": "application/json" };
    const before = await call("GET /api/v1/conversations/:id", { params: { id: conversation } });
    const response = await fetch(`${url}/openfloor`, { method: "POST", headers, body: speech.next() });
    const [first] = (response.headers.get("plenary-seq") ?? "").split("-").map(Number);
    if (response.status === 200 && first === before.seq + 1) resumed += 1;
    else console.log(`# ${conversation} at ${before.seq}: ${response.status} ${await response.text()}`.slice(0, 300));
  });
  return resumed;
}

await sockets();
await conversations();
process.exit(0);
