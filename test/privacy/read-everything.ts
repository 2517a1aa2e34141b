// Reads everything that a floor serves, as every speaker.
import { inspect } from "node:util";
import type { Json } from "../support/envelopes.ts";
import { type Canary, nobody } from "./canary.ts";
import type { CanaryFloor } from "./canary-floor.ts";
import { ann, bob, dora, outsider, type Participants, people } from "./participants.ts";

const page = 1_000;

export type Sinks = {
  floor: CanaryFloor;
  participants: Participants;
  canary: Canary;
  conversations: readonly string[];
  guests: readonly string[];
};

/** Reads all routes as every speaker. */
export async function readEverything(sinks: Sinks): Promise<void> {
  const { floor, participants, canary, conversations } = sinks;
  const everybody = [...people, ...sinks.guests, ...participants.agents.map(({ speakerUri }) => speakerUri)];
  for (const id of conversations) {
    await readConversation(sinks, "operator", id);
    for (const speaker of everybody) {
      await readConversation(sinks, speaker, id);
      await readConversation(sinks, "operator", id, speaker);
    }
  }
  for (const who of ["operator", "anonymous", ...everybody]) {
    for (const path of [
      "/",
      "/livez",
      "/metrics",
      "/openapi.json",
      "/api/v1/agents",
      "/api/v1/conversations",
      "/nope",
    ]) {
      await floor.call(who, "GET", path, { where: path === "/metrics" ? "metrics" : "pages" });
    }
    await readDead(sinks, who, "");
  }
  // Each dead letter is checked against the floor of its time, so reading all of them as every speaker takes too long.
  for (const speaker of [ann, bob, dora, outsider]) await readDead(sinks, "operator", speaker);
  for (const { speakerUri, heard } of participants.agents) {
    for (const { text, headers } of heard) canary.look(speakerUri, "inboxes", `${text} ${inspect(headers)}`);
  }
  for (const line of floor.logged) canary.look(nobody, "what the process says", inspect(line, { depth: 9 }));
}

async function readConversation({ floor }: Sinks, who: string, id: string, speaker?: string): Promise<void> {
  const root = `/api/v1/conversations/${id}`;
  const as = speaker === undefined ? "" : `&speaker=${encodeURIComponent(speaker)}`;
  const eyes = speaker === undefined ? {} : { whose: speaker };
  let [seq, count] = [0, page];
  for (let after = 0; count === page; ) {
    const { json } = await floor.call(who, "GET", `${root}/log?limit=${page}&after=${after}${as}`, {
      ...eyes,
      where: speaker === undefined ? "logs" : "logs for the operator",
    });
    const entries = (json.entries ?? []) as Json[];
    count = entries.length;
    after = Number(json.next ?? 0);
    seq = Math.max(seq, after);
  }
  const format = speaker === undefined ? "html" : "markdown";
  await floor.call(who, "GET", `${root}/export?format=${format}${as}`, { ...eyes, where: "exports" });
  const looks = speaker === undefined ? 3 : 1;
  await floor.call(who, "GET", `${root}?x=1${as}`, { ...eyes, where: "states" });
  for (let at = 1; at <= seq; at += Math.ceil(seq / looks)) {
    await floor.call(who, "GET", `${root}?at=${at}${as}`, { ...eyes, where: "states" });
  }
}

async function readDead({ floor }: Sinks, who: string, speaker: string): Promise<void> {
  const as = speaker === "" ? "" : `&speaker=${encodeURIComponent(speaker)}`;
  const eyes = speaker === "" ? {} : { whose: speaker };
  for (let after = ""; ; ) {
    const path = `/api/v1/dead-letters?limit=${page}${as}${after === "" ? "" : `&after=${after}`}`;
    const { json } = await floor.call(who, "GET", path, { ...eyes, where: "dead letters" });
    const [first] = (json.deadLetters ?? []) as { id: string }[];
    if (first !== undefined) {
      await floor.call(who, "GET", `/api/v1/dead-letters/${first.id}?x=1${as}`, { ...eyes, where: "dead letters" });
    }
    if (typeof json.next !== "string") return;
    after = json.next;
  }
}
