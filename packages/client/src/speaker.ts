import type { WhoAmI } from "./contract.ts";
import type { Http } from "./http.ts";
import { FloorProblem, Unreachable } from "./problem.ts";

/** As what speaker a client connects. */
export type SpeakerChoice = {
  /** The speakerUri to speak as, for the operator's token and for a key with several speakers. */
  speaker?: string;
  /** The display name of a host or guest. */
  name?: string;
  /** Under the operator's token: speak by a session of one person. Default: without `speaker`. */
  session?: boolean;
  signal?: AbortSignal | undefined;
};

/** Exchanges a link for a seat and a token. */
export async function enterAsGuest(http: Http, invite: string, { name, signal }: SpeakerChoice): Promise<void> {
  const body = { invite, ...(name !== undefined && { name }) };
  const { token } = await http.json<{ token: string }>("POST", "/api/v1/guests", { body, signal });
  http.setToken(token);
}

export async function whoAmI(http: Http, signal: AbortSignal | undefined): Promise<WhoAmI> {
  const who = await http.json<WhoAmI>("GET", "/api/v1/me", { signal }).catch((error: unknown) => {
    if (!(error instanceof FloorProblem) || error.status !== 404) throw error;
    const fix = "use the address that the floor printed";
    throw new FloorProblem({ status: 404, title: "No floor", detail: `there is no floor at ${http.url}`, fix });
  });
  const isWhole = Array.isArray(who.scopes) && typeof who.floor?.speakerUri === "string";
  if (isWhole && (who.speakers === "anyone" || Array.isArray(who.speakers))) return who;
  throw new Unreachable(http.url, "the answer of /api/v1/me is not one of a floor");
}

type Speaker = { speakerUri: string; name?: string; endSession?: () => Promise<void> };

export async function speakerFor(http: Http, { speakers }: WhoAmI, options: SpeakerChoice): Promise<Speaker> {
  const { speaker, session = speaker === undefined } = options;
  if (speakers !== "anyone") return { speakerUri: chosen(speakers, speaker) };
  if (!session && speaker !== undefined) return { speakerUri: speaker };
  return operatorSession(http, options);
}

function chosen(speakers: readonly string[], wanted: string | undefined): string {
  const [one, other] = wanted === undefined ? speakers : speakers.filter((speaker) => speaker === wanted);
  if (one !== undefined && other === undefined) return one;
  const known = speakers.join(", ");
  const detail =
    wanted === undefined
      ? "this credential speaks for several speakers"
      : `this credential does not speak for ${wanted}`;
  throw new FloorProblem({
    status: 403,
    title: "Speaker not chosen",
    detail,
    fix: `set \`speaker\` to one of ${known}`,
  });
}

/** The operator's token speaks for everyone, so it is exchanged for a session of one person (D33). */
async function operatorSession(http: Http, { speaker, name = "Host", signal }: SpeakerChoice): Promise<Speaker> {
  const operator = http.token;
  const request = {
    body: { name, ...(speaker !== undefined && { speakerUri: speaker }) },
    ...(operator !== undefined && { token: operator }),
  };
  const create = (options: Pick<SpeakerChoice, "signal"> = {}) =>
    http.json<{ token: string; speakerUri: string }>("POST", "/api/v1/sessions", { ...request, ...options });
  const { token, speakerUri } = await create({ signal });
  http.setToken(token, async () => (await create()).token);
  return { speakerUri, name, endSession: () => http.json("DELETE", "/api/v1/sessions", { timeoutMs: 2_000 }) };
}
