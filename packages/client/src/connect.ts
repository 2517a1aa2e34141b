import { isSameUri } from "@plenary/protocol";
import { assertAgentAddress, assertConversationId, assertFloorUrl, assertOwnUri } from "./check-arguments.ts";
import type { ConversationSummary, Discovery, KnownAgents, Need, Operation, OperationAnswer } from "./contract.ts";
import { type ClientContext, Conversation } from "./conversation.ts";
import { type CallOptions, callOperation } from "./host-client.ts";
import { Http, type HttpOptions } from "./http.ts";
import type { ClientStorage } from "./outbox.ts";
import { FloorProblem } from "./problem.ts";
import { defaultLimits, type Limits, persist } from "./retry.ts";
import { enterAsGuest, type SpeakerChoice, speakerFor, whoAmI } from "./speaker.ts";
import type { FloorSocketConstructor } from "./stream.ts";
import { readView } from "./view.ts";

type Aborting = { signal?: AbortSignal | undefined };

export type ConnectOptions = {
  /** The address of the floor; the link that it printed (`#token=`) and a guest link (`#invite=`) work too. */
  url: string;
  /** Any credential: the operator's token, a key, a JWT, a session or guest token. Without one: the browser's cookie. */
  token?: string;
  /** A guest link, or its part after `#invite=`. */
  invite?: string;
  /** Keeps unsent utterances through a reload: `sessionStorage`, for example. */
  storage?: ClientStorage;
  fetch?: typeof fetch;
  /** False: server-sent events only. Default: the global one, if there is one. */
  WebSocket?: FloorSocketConstructor | false;
  limits?: Partial<Limits>;
} & SpeakerChoice &
  Pick<HttpOptions, "locate" | "onUnauthorized">;

/** Who this client is at the floor. */
export type Me = {
  speakerUri: string;
  name: string | undefined;
  kind: string;
  /** May open conversations and search agents. */
  canHost: boolean;
  /** Only these conversations, for a guest. */
  conversations: readonly string[] | undefined;
};

export type OpenOptions = Aborting & {
  id?: string;
  title?: string;
  /** Addresses of agents, or one; "/agents/NAME" is one of the floor's own. */
  invite?: string | readonly string[];
  /** The address of the agent that convenes. */
  convener?: string;
  /** The same name opens the same conversation once. */
  idempotencyKey?: string;
  /** Further options of the conversation, such as `policy`. */
  options?: Readonly<Record<string, unknown>>;
};

/** Connects to a floor as one speaker. Rejects with a FloorProblem. */
export async function connect(options: ConnectOptions): Promise<Floor> {
  const { url: place, speaker: wanted, signal } = options ?? {};
  assertFloorUrl(place);
  assertOwnUri(wanted);
  const link = linkOf(place);
  const limits = { ...defaultLimits, ...options.limits };
  const { locate, onUnauthorized, token = link.token } = options;
  const ask = options.fetch ?? globalThis.fetch;
  const http = new Http({ url: link.url, token, fetch: ask, limits, locate, onUnauthorized });
  try {
    const invite = options.invite === undefined ? link.invite : (linkOf(options.invite).invite ?? options.invite);
    if (invite !== undefined) await enterAsGuest(http, invite, options);
    const who = await whoAmI(http, signal);
    const speaker = await speakerFor(http, who, options);
    const me = {
      speakerUri: speaker.speakerUri,
      name: options.name ?? speaker.name ?? who.label,
      kind: who.kind,
      canHost: who.scopes.includes("host"),
      conversations: who.conversations,
    };
    const base = who.floor.serviceUrl.replace(/\/openfloor\/?$/u, "");
    const { speakerUri } = me;
    const shared = { http, limits, speakerUri, floorUri: who.floor.speakerUri, addressOf: addressesAt(base) };
    return new Floor({ ...shared, Socket: socketOf(options), storage: options.storage }, me, speaker.endSession);
  } catch (error) {
    http.close();
    throw error;
  }
}

export type ResumeOptions = Omit<ConnectOptions, "invite" | "speaker" | "name" | "session" | "signal"> & {
  /** `floor.me` of an earlier visit. */
  me: Me;
  /** `floor.floorUri` of an earlier visit: marks what the floor itself says. */
  floorUri?: string;
};

/** A floor for a speaker of an earlier visit. Makes no request: the first one shows whether the token is still valid. */
export function resume(options: ResumeOptions): Floor {
  const { url, token, me, floorUri = "", storage, locate, onUnauthorized } = options;
  assertFloorUrl(url);
  const limits = { ...defaultLimits, ...options.limits };
  const http = new Http({ url, token, fetch: options.fetch ?? globalThis.fetch, limits, locate, onUnauthorized });
  const addressOf = addressesAt(url.replace(/\/+$/u, ""));
  const { speakerUri } = me;
  return new Floor(
    { http, limits, speakerUri, floorUri, addressOf, Socket: socketOf(options), storage },
    me,
    undefined,
  );
}

/** A floor, as one speaker uses it. */
export class Floor {
  readonly me: Me;
  /** The floor's own speakerUri. */
  readonly floorUri: string;
  readonly #context: ClientContext;
  readonly #http: Http;
  readonly #endSession: (() => Promise<void>) | undefined;
  readonly #conversations = new Map<string, Conversation>();

  constructor(context: ClientContext, me: Me, endSession: (() => Promise<void>) | undefined) {
    this.me = me;
    this.floorUri = context.floorUri;
    this.#context = context;
    this.#http = context.http;
    this.#endSession = endSession;
  }

  get url(): string {
    return this.#http.url;
  }

  /** The current credential: a session's or guest's token can be stored for the next visit. */
  get token(): string | undefined {
    return this.#http.token;
  }

  /** The floor's time in ms since 1970, estimated: deadlines of questions are in it. */
  nowMs(): number {
    return this.#http.nowMs();
  }

  /** Opens a conversation of this speaker; through a cut it is opened once. */
  async open(opening: OpenOptions = {}): Promise<Conversation> {
    const {
      id,
      title,
      invite = [],
      convener,
      idempotencyKey = crypto.randomUUID(),
      options,
      signal,
      ...unknown
    } = opening;
    const { speakerUri, name } = this.me;
    const { limits, addressOf } = this.#context;
    const agents = [invite].flat().map((one) => addressOf(one));
    const body = {
      // The floor refuses a misspelt name, and names the right one.
      ...unknown,
      ...options,
      owner: { identification: { speakerUri, ...(name !== undefined && { conversationalName: name }) } },
      ...(id !== undefined && { id }),
      ...(title !== undefined && { title }),
      ...(convener !== undefined && { convener: addressOf(convener) }),
    };
    const request = { body, headers: { "idempotency-key": idempotencyKey }, signal };
    const post = () => this.#http.json<{ id: string; seq: number }>("POST", "/api/v1/conversations", request);
    const opened = await persist(post, { limits, signal });
    const conversation = this.conversation(opened.id, 0);
    if (agents.length > 0) await conversation.inviteAll(agents, { signal });
    return conversation;
  }

  /** A conversation that this speaker is in; the same object for the same id. Rejects with a FloorProblem 404 for others. */
  async join(id: string, { signal }: Aborting = {}): Promise<Conversation> {
    assertConversationId(id);
    const { seq, conversants } = await readView(this.#context, id, signal);
    const isHere = conversants.some(({ identification }) => isSameUri(identification.speakerUri, this.me.speakerUri));
    if (isHere) return this.conversation(id, seq);
    const fix = "ask its owner for a link";
    throw new FloorProblem({
      status: 404,
      detail: `the speaker ${this.me.speakerUri} is not in this conversation`,
      fix,
    });
  }

  /**
   * A conversation without a request, such as one that this speaker has left: its log stays readable. There is one object for
   * each id, because each has one outbox.
   */
  conversation(id: string, joinedSeq = 0): Conversation {
    assertConversationId(id);
    const known = this.#conversations.get(id) ?? new Conversation(this.#context, id, joinedSeq);
    this.#conversations.set(id, known);
    return known;
  }

  /** All conversations of this speaker, in the order of their ids. */
  async *conversations({ signal }: Aborting = {}): AsyncGenerator<ConversationSummary, void> {
    for (let after: string | null = ""; after !== null; ) {
      const query = { speaker: this.me.speakerUri, limit: 1_000, ...(after !== "" && { after }) };
      const page: { conversations: readonly ConversationSummary[]; next: string | null } = await this.#http.json(
        "GET",
        "/api/v1/conversations",
        { query, signal },
      );
      yield* page.conversations;
      after = page.next ?? null;
    }
  }

  /** The agents that the floor knows, and the addresses of those that a first conversation begins with. */
  agents({ signal }: Aborting = {}): Promise<KnownAgents> {
    return this.#http.json("GET", "/api/v1/agents", { signal, timeoutMs: this.#context.limits.longRequestMs });
  }

  /** Asks discovery agents; the best first. */
  discover(need: string | Need, { signal }: Aborting = {}): Promise<Discovery> {
    const body = typeof need === "string" ? { text: need } : need;
    return this.#http.json("POST", "/api/v1/discover", { body, signal, timeoutMs: this.#context.limits.longRequestMs });
  }

  /** Any other operation of the host interface. */
  call<Name extends Operation>(operation: Name, options: CallOptions<Name> = {}): Promise<OperationAnswer<Name>> {
    return callOperation(this.#http, operation, { timeoutMs: this.#context.limits.longRequestMs, ...options });
  }

  /** Ends every stream and request, and the session that `connect` made. */
  async close(): Promise<void> {
    // An unreachable floor ends it by itself.
    await this.#endSession?.().catch(() => undefined);
    this.#http.close();
  }
}

/** The address of an agent; "/agents/NAME" is one of this floor's own. */
const addressesAt = (base: string) => (address: string) => {
  assertAgentAddress(address);
  return address.startsWith("/") ? `${base}${address}` : address;
};

function linkOf(text: string): { url: string; token?: string; invite?: string } {
  if (!URL.canParse(text)) return { url: text };
  const { origin, pathname, hash } = new URL(text);
  const fields = new URLSearchParams(hash.slice(1));
  const [token, invite] = [fields.get("token"), fields.get("invite")];
  return { url: `${origin}${pathname}`.replace(/\/+$/u, ""), ...(token && { token }), ...(invite && { invite }) };
}

function socketOf({ WebSocket: given }: ConnectOptions): FloorSocketConstructor | undefined {
  if (given !== undefined) return given || undefined;
  return (globalThis as { WebSocket?: FloorSocketConstructor }).WebSocket;
}
