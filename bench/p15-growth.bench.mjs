// P15: what an utterance costs the server's CPU with ever more conversants, conversations and entries in the log.
import { join } from "node:path";
import { ownerOf } from "./filled-store.mjs";
import { createFolder, removeFolder, startWorker } from "./processes.mjs";
import { acknowledged, authorization, startProduct } from "./product.mjs";
import { median, verdict } from "./ratio.mjs";
import { measureRounds, ratioOf, warmUpOperations } from "./rounds.mjs";

const targets = { conversants: 1.2, conversations: 1.5, log: 1.1 };
const connections = 32;
const [rounds, thrownAway] = [12, 1];
// Longer than the time between two large collections of garbage, so that each slice has its share of them.
const sliceUtterances = 4_000;
const utterancesInAll = warmUpOperations + rounds * sliceUtterances;

/**
 * Each size has a store and a server of its own. The owner speaks, the others are people: they read the log and are sent
 * nothing, so no agent takes part and nothing is delivered. `times`: utterances in a row in one conversation.
 */
const series = {
  // Each entry names all who may see it, so the rows of many conversants are long, and their slices are shorter.
  conversants: {
    sizes: [2, 10, 100, 1_000],
    at: (people) => ({ conversations: 1, people, entries: 0, utterances: people < 1_000 ? sliceUtterances : 800 }),
  },
  conversations: {
    sizes: [1, 10, 100, 1_000, 10_000],
    at: (conversations) => ({ conversations, people: 3, entries: 0 }),
  },
  // What is measured makes the log longer. So the next conversation takes over when a log has grown by half, or by 50.
  log: {
    sizes: [10, 100, 1_000, 10_000, 100_000, 1_000_000],
    at(entries) {
      const times = Math.max(25, entries / 4);
      return { conversations: Math.ceil(utterancesInAll / times), people: 3, entries, times };
    },
  },
};

const load = await startWorker(import.meta.resolve("./http-load.mjs"));
const fillers = await Promise.all([1, 2].map(() => startWorker(import.meta.resolve("./growth-filler.mjs"))));

function pointsOf(name, folder) {
  const { sizes, at } = series[name];
  return sizes.map((size) => {
    const { conversations, times = 1, utterances = sliceUtterances, ...filling } = at(size);
    const ids = Array.from({ length: conversations }, (_, index) => `conv:${index}`);
    return { size, ids, times, utterances, ...filling, file: join(folder, `${name}-${size}.db`) };
  });
}

/** The largest first, so that all fillers end at about the same time. */
async function fill(points) {
  const waiting = [...points];
  const work = async (filler) => {
    for (let point = waiting.pop(); point !== undefined; point = waiting.pop()) await filler.ask("fill", point);
  };
  await Promise.all(fillers.map(work));
}

/** All conversations of a point are in memory before anybody speaks: loading them is no part of an utterance. */
async function startPoint(name, { size, file, ids, times, utterances }) {
  const floor = await startProduct({ store: file });
  for (let from = 0; from < ids.length; from += connections) {
    const some = ids.slice(from, from + connections);
    await Promise.all(some.map((id) => floor.call("GET /api/v1/conversations/:id", { params: { id } })));
  }
  const lanes = ids.map((id, lane) => ({ lane, speaker: ownerOf(id), conversation: id }));
  const ours = { port: floor.port, path: "/openfloor", headers: { authorization }, marker: acknowledged };
  const target = `${name} ${size}`;
  await load.ask("open", { name: target, ...ours, lanes, connections, times });
  return { ...floor, size, run: () => load.ask("run", { name: target, count: utterances }) };
}

/** Size -> one measurement for each round that counts. */
async function measure(name) {
  const folder = createFolder();
  const points = pointsOf(name, folder);
  await fill(points);
  const floors = [];
  for (const point of points) floors.push(await startPoint(name, point));
  const sides = Object.fromEntries(floors.map((floor) => [floor.size, floor]));
  const measured = await measureRounds(sides, { rounds });
  await Promise.all(floors.map((floor) => floor.stop()));
  removeFolder(folder);
  const counted = Object.entries(measured).map(([size, slices]) => [size, slices.slice(thrownAway)]);
  for (const [size, slices] of counted) {
    const rate = median(slices.map((slice) => slice.rate));
    console.log(`# ${name} ${size}: server CPU ${cpuUsOf(slices).toFixed(1)} us each, ${Math.round(rate)}/s`);
  }
  return Object.fromEntries(counted);
}

const cpuUsOf = (slices) => median(slices.map(({ cpuUs }) => cpuUs));

function judge(name, ratio) {
  verdict(`p15-${name}`, ratio, targets[name], ratio <= targets[name]);
}

/** What a conversant adds between 2 and 1,000, by what one adds between 2 and 100: 1 is a straight line. */
function conversantsRatio(measured) {
  const perConversant = (count) => (cpuUsOf(measured[count]) - cpuUsOf(measured[2])) / (count - 2);
  return perConversant(1_000) / perConversant(100);
}

judge("conversants", conversantsRatio(await measure("conversants")));
const conversations = await measure("conversations");
judge("conversations", ratioOf(conversations[10_000], conversations[1], "cpuUs"));
const log = await measure("log");
judge("log", ratioOf(log[1_000_000], log[10], "cpuUs"));
process.exit(0);
