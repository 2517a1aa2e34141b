// One agent, or two, in a process of its own. It says where it is, and afterwards, to each line, everything it was sent.
import { createServer } from "node:http";
import { createInterface } from "node:readline";
import { createAgent, createChannel, createMediator, listen } from "@plenary/sdk";

const { role, name, ...options } = JSON.parse(process.argv[2] ?? "{}");
const speakerUri = `tag:${name}.example,2026:1`;
const manifest = {
  identification: { speakerUri, organization: "Example", conversationalName: name, synopsis: name },
  capabilities: [{ keyphrases: [name], descriptions: [name] }],
};
const heard = [];

/** Reads along. */
function overheard(agent) {
  const fetch = async (request, at) => {
    const body = await request.text();
    heard.push(body);
    const { method, headers, signal } = request;
    return agent.fetch(new Request(request.url, { method, headers, signal, ...(method === "POST" && { body }) }), at);
  };
  return { ...agent, fetch };
}

/** What is said privately is asked privately, of the first one who came. */
async function mediate({ text, isPrivate, subFloor }) {
  const invite = isPrivate ? options.whisperTo : options.invite;
  const behind = await subFloor({ title: `${name}, behind the scenes`, invite });
  const [first] = behind.invited.length > 0 ? behind.invited : await behind.conversants();
  const answers = await behind.ask(`${name} asks: ${text}`, isPrivate ? { to: first.speakerUri, isPrivate } : {});
  return `${name} found out: ${answers.map((one) => one.text).join(" / ")}`;
}

const makers = {
  channel: () => createChannel({ manifest, target: { serviceUrl: options.target } }),
  mediator: () => createMediator({ manifest, greeting: false, floor: options.floor, onUtterance: mediate }),
  bystander: () => createAgent({ manifest, greeting: false, onUtterance: () => undefined }),
  desk: () =>
    createAgent({
      manifest,
      greeting: false,
      onUtterance: ({ delegate }) =>
        delegate({ to: { serviceUrl: options.to }, say: "I'll pass you over.", afterwards: "bye" }),
    }),
};

/** Without the SDK. A loud one answers everything in public. */
function plain(request, response) {
  let body = "";
  request.setEncoding("utf8").on("data", (text) => {
    body += text;
  });
  request.on("end", () => {
    heard.push(body);
    const { openFloor } = JSON.parse(body);
    const sender = { speakerUri };
    const events = openFloor.events.flatMap((event) => answersTo(event, openFloor.sender));
    const conversation = { id: openFloor.conversation.id };
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify({ openFloor: { schema: { version: "1.1.0" }, conversation, sender, events } }));
  });
}

let said = 0;

function answersTo({ eventType, to, parameters }, sender) {
  const heard = eventType === "invite" ? parameters?.dialogHistory?.at(-1) : parameters?.dialogEvent;
  if (heard === undefined || (to?.speakerUri !== undefined && to.speakerUri !== speakerUri)) return [];
  const text = heard.features.text.tokens.map(({ value }) => value).join("");
  said += 1;
  const features = { text: { mimeType: "text/plain", tokens: [{ value: `${name} heard: ${text}` }] } };
  const dialogEvent = { id: `${name}-${said}`, speakerUri, span: { startTime: new Date().toISOString() }, features };
  const isWhisper = to?.private === true && options.loud !== true;
  const addressee = isWhisper ? { to: { speakerUri: sender.speakerUri, private: true } } : {};
  return [{ eventType: "utterance", ...addressee, parameters: { dialogEvent } }];
}

async function start() {
  if (role !== "plain") return (await listen(overheard(makers[role]()), { port: 0 })).url;
  const server = createServer(plain);
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return `http://127.0.0.1:${server.address().port}`;
}

console.log(JSON.stringify({ url: await start() }));
createInterface({ input: process.stdin }).on("line", () => console.log(JSON.stringify(heard)));
