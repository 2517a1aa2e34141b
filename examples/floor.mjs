// An in-memory floor with one person, Ann, for the examples.
import { createDialler } from "@plenary/sdk";
import { createFloorServer, createLogger, createMemoryStore } from "@plenary/server";

export const ann = "tag:people.example,2026:ann";

export async function openFloor() {
  const dialler = createDialler({ mode: "local" });
  const options = { drainMs: 0, listen: { port: 0 } };
  const server = await createFloorServer(
    { store: createMemoryStore(), dialler, logger: createLogger({ level: "warn" }) },
    options,
  );
  const { url, token } = server;
  const call = async (path, body, headers = {}) => {
    const response = await dialler.dial({
      url: `${url}${path}`,
      method: body === undefined ? "GET" : "POST",
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json", ...headers },
      ...(body && { body: JSON.stringify(body) }),
    });
    let text = "";
    for await (const chunk of response.body) text += Buffer.from(chunk).toString("utf8");
    return JSON.parse(text);
  };
  const send = async (conversation, event) => {
    const openFloor = {
      schema: { version: "1.1.0" },
      conversation: { id: conversation },
      sender: { speakerUri: ann },
      events: [event],
    };
    const { consequences } = await call("/openfloor", { openFloor }, { prefer: "wait=20" });
    return consequences.flatMap((one) => one.openFloor.events.map((said) => lineOf(one.openFloor.sender, said)));
  };
  return {
    url,
    token,
    call,
    /** Starts a conversation of Ann with the agents at these addresses. */
    async begin(id, ...agents) {
      await call("/api/v1/conversations", { id, owner: { identification: { speakerUri: ann } } });
      for (const serviceUrl of agents) await send(id, { eventType: "invite", to: { serviceUrl } });
    },
    /** Says a text as Ann. Returns one line per event that it causes. */
    async say(conversation, text, to) {
      const features = { text: { mimeType: "text/plain", tokens: [{ value: text }] } };
      const span = { startTime: new Date().toISOString() };
      const dialogEvent = { id: `de:${crypto.randomUUID()}`, speakerUri: ann, span, features };
      console.log(`ann${to === undefined ? "" : " (whispering)"}: ${text}`);
      const addressee = to === undefined ? {} : { to: { speakerUri: to, private: true } };
      const lines = await send(conversation, { eventType: "utterance", ...addressee, parameters: { dialogEvent } });
      for (const line of lines) console.log(line);
      return lines;
    },
    async close() {
      await server.close();
      await dialler.close();
    },
  };
}

function lineOf({ speakerUri }, { eventType, to, parameters }) {
  const whose = parameters?.dialogEvent?.speakerUri ?? speakerUri;
  const name = `${nameOf(speakerUri)}${whose === speakerUri ? "" : ` for ${nameOf(whose)}`}`;
  if (eventType !== "utterance") return `${name} ${eventType}`;
  const words = parameters.dialogEvent.features.text.tokens.map(({ value }) => value).join("");
  return `${name}${to?.private ? " (whispering)" : ""}: ${words}`;
}

const nameOf = (speakerUri) => speakerUri.split(":").at(-1);

export function manifestOf(name, synopsis) {
  const speakerUri = `tag:agents.example,2026:${name}`;
  return {
    identification: { speakerUri, organization: "Example", conversationalName: name, synopsis },
    capabilities: [{ keyphrases: [name], descriptions: [synopsis] }],
  };
}
