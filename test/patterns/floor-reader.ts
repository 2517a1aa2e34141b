// Reads a floor over its public interface, as each speaker that was ever there and as the operator.
import { createHostClient, FloorProblem, type OperationAnswer } from "@plenary/client/host";
import { type FloorEvent, isPrivate, textOf, textUtterance } from "@plenary/protocol";

type Summary = OperationAnswer<"GET /api/v1/conversations">["conversations"][number];

/** An utterance as it arrived: its text, its sender and its speaker. */
export type Spoken = { sender: string; speaker: string; isPrivate: boolean; text: string };

const formats = ["jsonl", "markdown", "mermaid", "html"] as const;

export function createReader(url: string, token: string) {
  const host = createHostClient({ url, token });
  const send = async (id: string, as: string, events: FloorEvent[]): Promise<Spoken[]> => {
    const openFloor = { schema: { version: "1.1.0" }, conversation: { id }, sender: { speakerUri: as }, events };
    const { consequences = [] } = await host.call("POST /openfloor", {
      body: { openFloor },
      headers: { prefer: "wait=60" },
    });
    return consequences.flatMap(({ openFloor: answer }) =>
      (answer?.events ?? []).flatMap((event) => spokenIn(event, answer?.sender.speakerUri ?? "")),
    );
  };
  const conversations = async (parent?: string): Promise<readonly Summary[]> => {
    const query = { limit: 1_000, ...(parent !== undefined && { parent }) };
    return (await host.call("GET /api/v1/conversations", { query })).conversations;
  };
  return {
    host,
    send,
    say(id: string, as: string, words: string, to?: string) {
      const about = { speakerUri: as, id: `de:${words}`, startTime: new Date().toISOString() };
      const addressee = to === undefined ? {} : { to: { speakerUri: to }, private: true };
      return send(id, as, [textUtterance(words, { ...about, ...addressee })]);
    },
    subFloorsOf: (parent: string) => conversations(parent),
    /** Readers that find the text in logs and exports of all conversations; `operator` reads without a speaker. */
    async whoFinds(words: string): Promise<string[]> {
      const found = new Set<string>();
      for (const { id } of await conversations()) {
        const log = (speaker?: string) => {
          const query = { limit: 1_000, ...(speaker !== undefined && { speaker }) };
          return host.text("GET /api/v1/conversations/:id/log", { params: { id }, query });
        };
        const inFormat = (format: (typeof formats)[number], speaker?: string) => {
          const query = { format, ...(speaker !== undefined && { speaker }) };
          return host.text("GET /api/v1/conversations/:id/export", { params: { id }, query });
        };
        for (const speaker of [undefined, ...speakersIn(await log())]) {
          for (const read of [log, ...formats.map((format) => (one?: string) => inFormat(format, one))]) {
            if ((await read(speaker).catch(noAccess)).includes(words)) found.add(speaker ?? "operator");
          }
        }
      }
      return [...found];
    },
  };
}

/** Every speaker in a conversation's log. */
function speakersIn(log: string): Set<string> {
  return new Set([...log.matchAll(/"(?:speakerUri|sender)":"([^"]+)"/gu)].map(([, name = ""]) => name));
}

/** Some were never conversants. */
function noAccess(problem: unknown): string {
  if (problem instanceof FloorProblem && problem.status === 404) return problem.message;
  throw problem;
}

function spokenIn(event: FloorEvent, sender: string): Spoken[] {
  if (event.eventType !== "utterance") return [];
  const { dialogEvent } = event.parameters;
  return [{ sender, speaker: dialogEvent.speakerUri, isPrivate: isPrivate(event), text: textOf(dialogEvent) }];
}
