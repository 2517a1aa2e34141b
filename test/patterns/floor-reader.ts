// Reads a floor over its public interface, as each speaker that was ever there and as the operator.

type WireEvent = { eventType: string; to?: { private?: boolean }; parameters?: { dialogEvent?: Dialog } };
type Dialog = { speakerUri: string; features: { text: { tokens: { value: string }[] } } };
type Summary = { id: string; isClosed: boolean };

/** An utterance as it arrived: its text, its sender and its speaker. */
export type Spoken = { sender: string; speaker: string; isPrivate: boolean; text: string };

const formats = ["jsonl", "markdown", "mermaid", "html"];

export function createReader(url: string, token: string) {
  const text = async (path: string, body?: object, headers: Record<string, string> = {}) => {
    const response = await fetch(`${url}${path}`, {
      method: body === undefined ? "GET" : "POST",
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json", ...headers },
      ...(body && { body: JSON.stringify(body) }),
    });
    const answer = await response.text();
    if (!response.ok && response.status !== 404) throw new Error(`${path}: ${response.status} ${answer}`);
    return answer;
  };
  const call = async (path: string, body?: object, headers?: Record<string, string>) =>
    JSON.parse(await text(path, body, headers));
  const send = async (id: string, as: string, events: object[]): Promise<Spoken[]> => {
    const sender = { speakerUri: as };
    const openFloor = { schema: { version: "1.1.0" }, conversation: { id }, sender, events };
    const { consequences = [] } = await call("/openfloor", { openFloor }, { prefer: "wait=60" });
    return (consequences as { openFloor: { sender: { speakerUri: string }; events: WireEvent[] } }[]).flatMap((one) =>
      one.openFloor.events.flatMap((event) => spokenIn(event, one.openFloor.sender.speakerUri)),
    );
  };
  const conversations = async (query = ""): Promise<Summary[]> =>
    (await call(`/api/v1/conversations?limit=1000${query}`)).conversations;
  /** Every speaker in a conversation's log. */
  const everybodyIn = async (id: string): Promise<string[]> => {
    const log = await text(`/api/v1/conversations/${id}/log?limit=1000`);
    return [...new Set([...log.matchAll(/"(?:speakerUri|sender)":"([^"]+)"/gu)].map(([, name = ""]) => name))];
  };
  return {
    call,
    send,
    say(id: string, as: string, words: string, to?: string) {
      const features = { text: { mimeType: "text/plain", tokens: [{ value: words }] } };
      const span = { startTime: new Date().toISOString() };
      const dialogEvent = { id: `de:${words}`, speakerUri: as, span, features };
      const addressee = to === undefined ? {} : { to: { speakerUri: to, private: true } };
      return send(id, as, [{ eventType: "utterance", ...addressee, parameters: { dialogEvent } }]);
    },
    subFloorsOf: (parent: string) => conversations(`&parent=${encodeURIComponent(parent)}`),
    /** Readers that find the text in logs and exports of all conversations; `operator` reads without a speaker. */
    async whoFinds(words: string): Promise<string[]> {
      const found = new Set<string>();
      for (const { id } of await conversations()) {
        const path = `/api/v1/conversations/${encodeURIComponent(id)}`;
        for (const reader of ["operator", ...(await everybodyIn(id))]) {
          const as = reader === "operator" ? "" : `&speaker=${encodeURIComponent(reader)}`;
          const paths = [
            `${path}/log?limit=1000${as}`,
            ...formats.map((format) => `${path}/export?format=${format}${as}`),
          ];
          for (const one of paths) if ((await text(one)).includes(words)) found.add(reader);
        }
      }
      return [...found];
    },
  };
}

function spokenIn({ eventType, to, parameters }: WireEvent, sender: string): Spoken[] {
  const dialogEvent = parameters?.dialogEvent;
  if (eventType !== "utterance" || dialogEvent === undefined) return [];
  const text = dialogEvent.features.text.tokens.map(({ value }) => value).join("");
  return [{ sender, speaker: dialogEvent.speakerUri, isPrivate: to?.private === true, text }];
}
