// Two agents written without the SDK. They answer people, not each other; a delivery that comes again is answered
// again, in other words: that an answer counts once is the floor's business.
import { createServer } from "node:http";

const [seed = "1"] = process.argv.slice(2);
let state = Number(seed) >>> 0;
const delayMs = () => {
  state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
  return state % 10 === 0 ? (state >>> 8) % 300 : 0;
};
/** utterance -> the agents that got it; and who waits until both have. */
const heardBy = new Map();
const waiting = new Map();
/** webhook-id -> how often it came, and the utterance it held. */
const deliveries = new Map();
let repeated = 0;

const textOf = (event) => event.parameters?.dialogEvent?.features?.text?.tokens?.map(({ value }) => value).join("");

function answerTo({ openFloor }, webhookId, speakerUri) {
  const spoken = openFloor.events.find(({ eventType }) => eventType === "utterance");
  const known = deliveries.get(webhookId) ?? { count: 0, utterance: spoken?.parameters.dialogEvent.id, by: speakerUri };
  known.count += 1;
  if (known.count > 1) repeated += 1;
  deliveries.set(webhookId, known);
  noteHeard(known.utterance, speakerUri);
  const isForUs = spoken !== undefined && textOf(spoken)?.startsWith("say ");
  const invited = openFloor.events.some(({ eventType }) => eventType === "invite");
  const events = [];
  if (invited) events.push({ eventType: "acceptInvite" });
  if (isForUs) {
    const id = `${webhookId}#${known.count}`;
    const features = { text: { mimeType: "text/plain", tokens: [{ value: `re ${webhookId}` }] } };
    const span = { startTime: new Date().toISOString() };
    events.push({ eventType: "utterance", parameters: { dialogEvent: { id, speakerUri, span, features } } });
  }
  const { conversation } = openFloor;
  const sender = { speakerUri };
  return { openFloor: { schema: { version: "1.1.0" }, conversation: { id: conversation.id }, sender, events } };
}

function noteHeard(utterance, speakerUri) {
  const agents = heardBy.get(utterance) ?? new Set();
  heardBy.set(utterance, agents.add(speakerUri));
  if (agents.size < 2) return;
  for (const response of waiting.get(utterance) ?? []) response.end();
  waiting.delete(utterance);
}

const server = createServer((request, response) => {
  const asked = /^\/heard\/(.+)$/u.exec(request.url)?.[1];
  if (asked !== undefined) {
    if (heardBy.get(asked)?.size === 2) response.end();
    else waiting.set(asked, [...(waiting.get(asked) ?? []), response]);
    return;
  }
  if (request.method === "GET") {
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify({ repeated, deliveries: [...deliveries] }));
    return;
  }
  let body = "";
  request.setEncoding("utf8").on("data", (text) => {
    body += text;
  });
  request.on("end", () => {
    const speakerUri = `tag:agents.example,2026:${request.url?.slice(1)}`;
    const answer = answerTo(JSON.parse(body), String(request.headers["webhook-id"]), speakerUri);
    setTimeout(() => {
      response.setHeader("content-type", "application/json");
      response.end(JSON.stringify(answer));
    }, delayMs());
  });
});
server.keepAliveTimeout = 60_000;
server.listen(0, "127.0.0.1", () => console.log(JSON.stringify({ url: `http://127.0.0.1:${server.address().port}` })));
