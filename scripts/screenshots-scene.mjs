// The conversation in the pictures: people and agents plan a fair; one asks for the floor, one whispers, one still writes.
import { once } from "node:events";
import { createServer } from "node:http";
import { createAgent, listen } from "@plenary/sdk";

const venues = `Three places are free on 12 June:

| place            | people | rent  |
| ---------------- | -----: | ----: |
| Riverside meadow |    400 | 350 € |
| Old market hall  |    250 | 500 € |
| School yard      |    180 |   0 € |

The **meadow** has no roof, but the most room.`;

const costs = `For 300 guests at the meadow I count:

- rent and permit: 350 €
- tents and benches: 620 €
- music: 400 €

That makes **1,370 €**, within the budget of 1,600 €.`;

const invitation = [
  "**You are invited!** ",
  "On 12 June ",
  "the meadow is ours: ",
  "music, long tables ",
  "and lanterns ",
];

/** Tags that give each a colour of its own. */
const manifestOf = (name, synopsis, tag) => ({
  identification: {
    speakerUri: `tag:${tag},2026:${name.toLowerCase()}`,
    ...{ organization: "The fair", conversationalName: name, synopsis },
  },
  capabilities: [{ keyphrases: [name.toLowerCase()], descriptions: [synopsis] }],
});

/** Writes its first words and then thinks, until nobody waits any longer. */
async function* write(signal) {
  yield* invitation;
  await new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
}

const onlyMine = (answer) => (turn) => (turn.isAddressed ? answer(turn) : undefined);
const question = {
  ...{ text: "Which place shall I hold for you?", inputType: "binary_choice" },
  options: ["Riverside meadow", "Old market hall"].map((label) => ({ id: label, label, value: label })),
};

const agents = [
  [
    "Atlas",
    "Finds places and ways to get there.",
    "fair.example",
    ({ text, ask }) => (text.includes("hold") ? [ask(question)] : venues),
  ],
  [
    "Ledger",
    "Counts what things cost.",
    "fair.example",
    ({ isPrivate }) => (isPrivate ? "Noted. 200 € stay untouched." : costs),
  ],
  ["Quill", "Writes what people like to read.", "plan.example", ({ signal }) => write(signal)],
];

/** A convener that keeps whoever asks waiting. It knows no SDK. */
async function startChair() {
  const identification = manifestOf("Chair", "Gives the floor to one after the other.", "plan.example").identification;
  const place = { url: "" };
  const manifest = () => ({
    identification: { ...identification, serviceUrl: place.url, openFloorRoles: { convener: true } },
    capabilities: [],
  });
  const server = createServer(async (request, response) => {
    let body = "";
    for await (const chunk of request) body += chunk;
    const { conversation, events } = JSON.parse(body).openFloor;
    const answers = events.flatMap(({ eventType }) => {
      if (eventType === "invite") return [{ eventType: "acceptInvite" }];
      if (eventType !== "getManifests") return [];
      const parameters = { servicingManifests: [manifest()], discoveryManifests: [] };
      return [{ eventType: "publishManifests", parameters }];
    });
    const sender = { speakerUri: identification.speakerUri };
    const openFloor = { schema: { version: "1.1.0" }, conversation: { id: conversation.id }, sender, events: answers };
    response.setHeader("content-type", "application/json").end(JSON.stringify({ openFloor }));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  place.url = `http://127.0.0.1:${server.address().port}/`;
  const close = () => {
    server.closeAllConnections();
    server.close();
  };
  return { ...place, speakerUri: identification.speakerUri, close };
}

function callerOf({ url, token }) {
  return async (path, body, headers = {}) => {
    const response = await fetch(`${url}${path}`, {
      method: body === undefined ? "GET" : "POST",
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json", ...headers },
      ...(body && { body: JSON.stringify(body) }),
    });
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
    return response.json();
  };
}

async function startAgents() {
  const started = [];
  for (const [name, synopsis, tag, answer] of agents) {
    const manifest = manifestOf(name, synopsis, tag);
    const agent = createAgent({ manifest, greeting: false, onUtterance: onlyMine(answer) });
    started.push({ name, ...manifest.identification, ...(await listen(agent, { port: 0 })) });
  }
  return started;
}

/** `goOn` begins what is still under way in the picture; `comeIn` brings somebody in by a link. */
export async function playScene(floor, comeIn) {
  const call = callerOf(floor);
  const me = await call("/api/v1/me");
  const host = `${me.floor.speakerUri}/host`;
  const [chair, started] = [await startChair(), await startAgents()];
  const owner = { identification: { speakerUri: host, conversationalName: "Host" } };
  const { id } = await call("/api/v1/conversations", { owner, title: "The summer fair" });
  let said = 0;
  const send = (speakerUri, ...events) => {
    const openFloor = { schema: { version: "1.1.0" }, conversation: { id }, sender: { speakerUri }, events };
    return call("/openfloor", { openFloor }, { prefer: "wait=5" });
  };
  const say = (speakerUri, text, to) => {
    const features = { text: { mimeType: "text/plain", tokens: [{ value: text }] } };
    said += 1;
    const dialogEvent = { id: `de:${said}`, speakerUri, span: { startTime: new Date().toISOString() }, features };
    return send(speakerUri, { eventType: "utterance", ...(to && { to }), parameters: { dialogEvent } });
  };
  const join = async (name) => {
    const { link } = await call(`/api/v1/conversations/${id}/links`, {});
    await comeIn(link, name);
    const { conversants } = await call(`/api/v1/conversations/${id}`);
    const named = ({ identification }) => identification.conversationalName === name;
    return conversants.find(named).identification.speakerUri;
  };
  for (const { url } of [...started, chair]) await send(host, { eventType: "invite", to: { serviceUrl: url } });
  const [ann, ben] = [await join("Ann"), await join("Ben")];
  const [atlas, ledger, quill] = started.map(({ speakerUri }) => ({ speakerUri }));
  await say(ann, "Let us plan the summer fair for **12 June**: a place, a budget and an invitation.");
  await say(host, "@Atlas where could we hold it?", atlas);
  await send(ben, { eventType: "yieldFloor" });
  await say(host, "@Ledger what would the meadow cost?", ledger);
  await call(`/api/v1/conversations/${id}/convener`, { speakerUri: chair.speakerUri });
  await send(ben, { eventType: "requestFloor" });
  await say(host, "@Atlas please hold one of them for us.", atlas);
  await say(host, "Keep 200 € in reserve, please.", { ...ledger, private: true });
  return {
    conversation: id,
    goOn: () => void say(ann, "@Quill could you write the invitation?", quill).catch(() => undefined),
    async end() {
      chair.close();
      for (const agent of started) await agent.close();
    },
  };
}
