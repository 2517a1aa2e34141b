import { DialError, type DialledSocket } from "@plenary/sdk";
import { FloorError } from "../errors.ts";
import type { FloorAccess } from "./access.ts";

type Request = Parameters<FloorAccess["text"]>[1];
type SocketEvents = { onText: (text: string) => void; onClose: (code: number) => void; signal: AbortSignal };

/** Talks to the floor as one speaker, also after the floor restarted at another address. */
export interface FloorClient {
  readonly speakerUri: string;
  /** The display name; undefined leaves it to the floor. */
  readonly name: string | undefined;
  /** Whether this speaker may start conversations. */
  readonly canHost: boolean;
  /** The floor's own speakerUri. */
  readonly floorUri: string;
  /** The floor's current address. */
  url(): string;
  text(path: string, request?: Request): Promise<string>;
  json<Answer>(path: string, request?: Request): Promise<Answer>;
  socket(query: URLSearchParams, events: SocketEvents): Promise<DialledSocket>;
  close(): Promise<void>;
}

/** Which speaker to be, for a key or operator token that may speak for several. */
export type SpeakerChoice = { speaker?: string; name?: string };

type WhoAmI = {
  speakers: "anyone" | readonly string[];
  scopes: readonly string[];
  label?: string;
  floor: { speakerUri: string };
};

/** Finds the floor; called again when it does not respond. */
export type FindFloor = () => Promise<FloorAccess>;

/** An operator token speaks as the page's person by default (D33); a key speaks as its own speaker. */
export async function openFloorClient(find: FindFloor, who: SpeakerChoice): Promise<FloorClient> {
  const access = await find();
  try {
    return await clientFor(access, find, who);
  } catch (cause) {
    await access.close();
    throw cause;
  }
}

async function clientFor(access: FloorAccess, find: FindFloor, who: SpeakerChoice): Promise<FloorClient> {
  const me = await access.json<WhoAmI>("/api/v1/me");
  const floorUri = me.floor.speakerUri;
  if (me.speakers === "anyone") return operatorClient(find, access, { ...who, floorUri });
  const speakerUri = chooseSpeaker(me.speakers, who.speaker);
  const name = who.name ?? me.label;
  return createClient(find, access, { speakerUri, name, canHost: me.scopes.includes("host"), floorUri });
}

function chooseSpeaker(speakers: readonly string[], wanted: string | undefined): string {
  const found = wanted === undefined ? speakers : speakers.filter((speaker) => speaker === wanted);
  const [one, other] = found;
  if (one !== undefined && other === undefined) return one;
  const known = speakers.join(", ");
  if (one === undefined) throw new FloorError(`this key does not speak for ${wanted}: it speaks for ${known}`);
  throw new FloorError(`this key speaks for several speakers: choose one with --speaker URI (${known})`);
}

async function operatorClient(
  find: FindFloor,
  access: FloorAccess,
  { speaker, name = "Host", floorUri }: SpeakerChoice & { floorUri: string },
): Promise<FloorClient> {
  const session = async (at: FloorAccess) => {
    const body = { name, ...(speaker !== undefined && { speakerUri: speaker }) };
    return at.json<{ token: string; speakerUri: string }>("/api/v1/sessions", { method: "POST", body });
  };
  const { token, speakerUri } = await session(access);
  const renew = async (at: FloorAccess) => (await session(at)).token;
  return createClient(find, access, { speakerUri, name, canHost: true, floorUri, token, renew });
}

type ClientIdentity = Pick<FloorClient, "speakerUri" | "name" | "canHost" | "floorUri"> & {
  token?: string;
  renew?: (access: FloorAccess) => Promise<string>;
};

function createClient(find: FindFloor, found: FloorAccess, standing: ClientIdentity): FloorClient {
  const { speakerUri, name, canHost, floorUri, renew } = standing;
  let access = found;
  let token = standing.token ?? found.token;
  const over = new AbortController();
  /** A restarted floor may listen at another address. */
  const look = async () => {
    const next = await find().catch(() => undefined);
    if (next === undefined) return false;
    const isElsewhere = next.url !== access.url || (renew === undefined && next.token !== token);
    await (isElsewhere ? access : next).close();
    if (isElsewhere) access = next;
    return isElsewhere;
  };
  const attempt = async <Answer>(request: () => Promise<Answer>): Promise<Answer> => {
    try {
      return await request();
    } catch (problem) {
      if (over.signal.aborted) throw problem;
      const status = statusOf(problem);
      // The session expired: the operator's token opens a new one.
      if (status === 401 && renew !== undefined) token = await renew(access);
      else if (status !== undefined || !(await look())) throw problem;
      return request();
    }
  };
  const text: FloorClient["text"] = (path, request = {}) =>
    attempt(() =>
      access.text(path, {
        signal: over.signal,
        ...request,
        headers: { ...request.headers, authorization: `Bearer ${token}` },
      }),
    );
  return {
    speakerUri,
    name,
    canHost,
    floorUri,
    text,
    url: () => access.url,
    json: async (path, request) => JSON.parse((await text(path, request)) || "null"),
    socket: (query, events) =>
      attempt(() => {
        const url = `${access.url.replace(/^http/u, "ws")}/openfloor/ws?${query}`;
        return access.dialler.dialSocket({ url, headers: { authorization: `Bearer ${token}` }, ...events });
      }),
    async close() {
      // Cancels pending requests.
      over.abort();
      // End the session now; if the floor is unreachable, it expires by itself.
      const ending = { method: "DELETE", headers: { authorization: `Bearer ${token}` } } as const;
      if (renew !== undefined) await access.text("/api/v1/sessions", ending).catch(() => undefined);
      await access.close();
    },
  };
}

/** Undefined without a response. */
function statusOf(problem: unknown): number | undefined {
  return problem instanceof FloorError || problem instanceof DialError ? problem.status : undefined;
}

/** A retry does not help. */
export function isAccessDenied(problem: unknown): boolean {
  return [400, 401, 403, 404].includes(statusOf(problem) ?? 0);
}
