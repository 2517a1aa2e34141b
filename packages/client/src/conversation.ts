import {
  answerWords,
  type EventType,
  envelope,
  type FloorEvent,
  invite,
  isSameUri,
  replyFeature,
} from "@plenary/protocol";
import type { Question } from "@plenary/transcript";
import { assertPosition, assertSpeakerUri } from "./check-arguments.ts";
import type { Commands, ConversationView, Entry, StreamFrame } from "./contract.ts";
import { Follower, type FollowerOptions } from "./follow.ts";
import type { Http } from "./http.ts";
import { createPeople, openQuestions, type People, type SpokenLine, spokenLine } from "./lines.ts";
import { endMax, LiveConversation } from "./live.ts";
import { type ClientStorage, Outbox, type Said, utteranceOf, type Words } from "./outbox.ts";
import { NoReply, refusalIn } from "./problem.ts";
import { type Limits, persist } from "./retry.ts";
import { type FloorSocketConstructor, isEntry } from "./stream.ts";
import { pathOf, readView, unusable } from "./view.ts";

/** What all conversations of one client share. */
export type ClientContext = {
  http: Http;
  limits: Limits;
  /** This client speaks as it. */
  speakerUri: string;
  floorUri: string;
  Socket: FloorSocketConstructor | undefined;
  storage: ClientStorage | undefined;
  /** The address of an agent; "/agents/clock" is one of this floor's own. */
  addressOf: (address: string) => string;
};

type Aborting = { signal?: AbortSignal | undefined };
type Invitee = string | { serviceUrl: string; speakerUri?: string };
type FollowOptions = { after?: number } & Pick<FollowerOptions, "signal" | "onConnection">;
type Reasoned = Aborting & { reason?: string };
type SayOptions = Omit<Words, "text" | "isWhisper"> & Aborting;
type FloorPassing = Extract<
  EventType,
  "requestFloor" | "grantFloor" | "revokeFloor" | "yieldFloor" | "uninvite" | "bye"
>;

const targeted: ReadonlySet<FloorPassing> = new Set(["grantFloor", "revokeFloor", "uninvite"]);

/** One conversation, as one speaker takes part in it. */
export class Conversation {
  readonly id: string;
  readonly me: string;
  readonly outbox: Outbox;
  /** Sequence number of the last entry when this client opened or joined it. */
  readonly joinedSeq: number;
  /** A former conversant gets no view, so the live model asks for none from now on. */
  isLeaving = false;
  readonly #context: ClientContext;
  /** Aborted when the client is closed. */
  readonly #closed: AbortSignal;
  readonly #path: string;
  #lastSaid: number | undefined;

  constructor(context: ClientContext, id: string, joinedSeq: number) {
    const { http, limits, storage, speakerUri } = context;
    this.#context = context;
    this.#closed = http.newSignal();
    this.id = id;
    this.me = speakerUri;
    this.joinedSeq = joinedSeq;
    this.#path = pathOf(id);
    this.outbox = new Outbox({
      limits,
      storage,
      key: `plenary unsent ${speakerUri} ${id}`,
      signal: this.#closed,
      send: (words) => this.#post([utteranceOf(speakerUri, words)], words.id),
    });
  }

  /** Resolves when the floor has stored it; repeats it until then, under one id. */
  async say(text: string, { signal, ...words }: SayOptions = {}): Promise<Said> {
    return this.#say({ ...words, text }, signal);
  }

  /** For the addressee alone. */
  async whisper(to: string, text: string, { signal, ...words }: Omit<SayOptions, "to"> = {}): Promise<Said> {
    return this.#say({ ...words, text, to, isWhisper: true }, signal);
  }

  /** Answers as text, and as a feature for the agent that asked (D31). */
  async answer(question: Question, values: readonly string[], { signal }: Aborting = {}): Promise<Said> {
    const { id, sender: to, isWhisper, options } = question;
    const features = { interactionReply: replyFeature(id, values) };
    return this.#say({ text: answerWords(options, values), to, isWhisper, features }, signal);
  }

  async #say(words: Words, signal: AbortSignal | undefined): Promise<Said> {
    const said = await this.outbox.say(words, { signal });
    this.#lastSaid = said.seq ?? this.#lastSaid;
    return said;
  }

  /** `agent` is an address, "/agents/NAME" for one of the floor's own. */
  invite(agent: Invitee, options: Aborting = {}): Promise<void> {
    return this.inviteAll([agent], options);
  }

  /** In one envelope. */
  async inviteAll(agents: readonly Invitee[], options: Aborting = {}): Promise<void> {
    const invites = agents.map((agent) => {
      const to = typeof agent === "object" ? agent : { serviceUrl: agent };
      return invite({ to: { ...to, serviceUrl: this.#context.addressOf(to.serviceUrl) } });
    });
    return this.#send(invites, options);
  }

  uninvite(speakerUri: string, options: Reasoned = {}): Promise<void> {
    return this.#pass("uninvite", speakerUri, options);
  }

  requestFloor(options: Reasoned = {}): Promise<void> {
    return this.#pass("requestFloor", undefined, options);
  }

  grantFloor(speakerUri: string, options: Reasoned = {}): Promise<void> {
    return this.#pass("grantFloor", speakerUri, options);
  }

  revokeFloor(speakerUri: string, options: Reasoned = {}): Promise<void> {
    return this.#pass("revokeFloor", speakerUri, options);
  }

  yieldFloor(options: Reasoned = {}): Promise<void> {
    return this.#pass("yieldFloor", undefined, options);
  }

  /** Says bye: this speaker is no longer in the conversation. */
  async leave(options: Reasoned = {}): Promise<void> {
    this.isLeaving = true;
    try {
      await this.#pass("bye", undefined, options);
    } catch (error) {
      this.isLeaving = false;
      throw error;
    }
  }

  async #pass(eventType: FloorPassing, to: string | undefined, options: Reasoned) {
    const { reason } = options;
    if (targeted.has(eventType)) assertSpeakerUri("speakerUri", to);
    const event = { eventType, ...(to !== undefined && { to: { speakerUri: to } }), ...(reason && { reason }) };
    await this.#send([event as FloorEvent], options);
  }

  /** Sends events in one envelope; repeats it while the floor is away, for a minute. */
  send(...events: FloorEvent[]): Promise<void> {
    return this.#send(events, {});
  }

  async #send(events: readonly FloorEvent[], { signal }: Aborting): Promise<void> {
    const key = crypto.randomUUID();
    await persist(() => this.#post(events, key, signal), { limits: this.#context.limits, signal });
  }

  /** Resolves to the last entry that it caused. The key makes a repetition harmless. */
  async #post(events: readonly FloorEvent[], key: string, signal?: AbortSignal): Promise<number | undefined> {
    const { http, speakerUri } = this.#context;
    const openFloor = envelope({ conversation: { id: this.id }, sender: { speakerUri }, events: [...events] });
    const headers = { "idempotency-key": key };
    const answered = await http.answer("POST", "/openfloor", { body: { openFloor }, headers, signal });
    const refusal = refusalIn(answered.json);
    if (refusal !== undefined) throw refusal;
    const [, last] = /^\d+-(\d+)$/u.exec(answered.headers.get("plenary-seq") ?? "") ?? [];
    return last === undefined ? undefined : Number(last);
  }

  /** A command, such as `pause`, `title` or `convener`. Resolves to the conversation after it. */
  async command<Verb extends keyof Commands>(
    verb: Verb,
    fields: Commands[Verb],
    { signal }: Aborting = {},
  ): Promise<ConversationView> {
    const { http, limits, speakerUri: speaker, addressOf } = this.#context;
    const headers = { "idempotency-key": crypto.randomUUID() };
    const { serviceUrl } = fields as { serviceUrl?: string };
    const body = serviceUrl === undefined ? fields : { ...(fields as object), serviceUrl: addressOf(serviceUrl) };
    const request = { body, headers, signal, query: { speaker } };
    return persist(() => http.json("POST", `${this.#path}/${verb}`, request), { limits, signal });
  }

  /** Ends the conversation for everyone. It stays readable. */
  close(options: Reasoned = {}): Promise<ConversationView> {
    return this.command("close", options.reason === undefined ? {} : { reason: options.reason }, options);
  }

  /** The state now: conversants with their presence, who has the floor, who is awaited. */
  view({ signal }: Aborting = {}): Promise<ConversationView> {
    return readView(this.#context, this.id, signal);
  }

  /** A page of the log, without gaps. `view: "whole"` has the events of received envelopes too. */
  async log(options: { after?: number; limit?: number; view?: "brief" | "whole" } & Aborting = {}): Promise<Entry[]> {
    const { http, speakerUri: speaker } = this.#context;
    const { after = 0, limit = 100, view = "brief", signal } = options;
    const query = { after, limit, speaker, ...(view === "brief" && { view }) };
    const { entries } = await http.json<{ entries: unknown }>("GET", `${this.#path}/log`, { query, signal });
    if (!Array.isArray(entries) || !entries.every(isEntry)) throw unusable(http, "log");
    return entries;
  }

  /** The transcript as a file: jsonl, markdown, mermaid or html. */
  export(format: string, { signal }: Aborting = {}): Promise<string> {
    const { http, speakerUri: speaker, limits } = this.#context;
    const timeoutMs = limits.longRequestMs;
    return http.text(`${this.#path}/export`, { query: { format, speaker }, signal, timeoutMs });
  }

  /**
   * Every entry after `after`, once and in order, and drafts, through every cut. Ends when this speaker has left or was
   * removed. Throws a FloorProblem when the access is denied, and the reason of an aborted signal.
   */
  async *follow(options: FollowOptions = {}): AsyncGenerator<StreamFrame, void> {
    assertPosition("after", options.after);
    yield* this.follower(options).frames();
  }

  /** `follow` with `reconnect`. */
  follower({ after = 0, ...options }: FollowOptions) {
    return new Follower({ ...this.#context, closed: this.#closed, conversation: this.id, after, ...options });
  }

  /** Lines of the transcript, from where this client joined by default. Ends like `follow`. */
  async *lines({
    from,
    signal,
  }: { from?: "start" | "now" | number } & Aborting = {}): AsyncGenerator<SpokenLine, void> {
    assertPosition("from", from, ["start", "now"]);
    const people = createPeople(this.me);
    const after = await this.#start(from, people, signal);
    for await (const frame of this.follow({ after, signal })) {
      const line = await this.#lineIn(frame, people, signal);
      if (line !== undefined) yield line;
    }
  }

  async #start(from: "start" | "now" | number | undefined, people: People, signal: AbortSignal | undefined) {
    const { limits } = this.#context;
    const view = await persist(() => this.view({ signal }), { limits, signal, forMs: Number.POSITIVE_INFINITY });
    people.look(view);
    if (from === "start") return 0;
    return from === "now" ? view.seq : (from ?? this.joinedSeq);
  }

  async #lineIn(frame: StreamFrame, people: People, signal: AbortSignal | undefined) {
    if (!("entry" in frame)) return undefined;
    const line = spokenLine(frame.entry, people, this.#context.floorUri);
    if (line?.kind !== "utterance" || people.isNamed(line.sender)) return line;
    // Its name came before the first entry that was read, or comes later.
    const view = await this.view({ signal }).catch(() => undefined);
    if (view !== undefined) people.look(view);
    return spokenLine(frame.entry, people, this.#context.floorUri);
  }

  /**
   * The next utterance of somebody else after `to`, by default after the last one of this client; `from` is a speakerUri.
   * Rejects with NoReply when the agent that was asked failed or stayed silent (D42).
   */
  async waitForReply({ to, from, signal }: { to?: Said; from?: string } & Aborting = {}): Promise<SpokenLine> {
    if (from !== undefined) assertSpeakerUri("from", from);
    const isMeant = (speakerUri: string) => from === undefined || isSameUri(speakerUri, from);
    const people = createPeople(this.me);
    const after = await this.#start(to?.seq ?? this.#lastSaid ?? "now", people, signal);
    for await (const frame of this.follow({ after, signal })) {
      const line = await this.#lineIn(frame, people, signal);
      if (line?.kind === "utterance" && !isSameUri(line.sender, this.me) && isMeant(line.sender)) return line;
      if (!("entry" in frame) || (frame.entry.kind !== "missed" && frame.entry.kind !== "silent")) continue;
      if (!isMeant(frame.entry.speakerUri)) continue;
      const { awaited = [] } = await this.view({ signal });
      if (awaited.length > 0) continue;
      throw new NoReply(line?.text ?? "nobody replied");
    }
    throw new NoReply("this speaker is no longer in the conversation");
  }

  /** The questions of agents that wait for an answer of this speaker, oldest first (D31). */
  async questions({ signal }: Aborting = {}): Promise<readonly Question[]> {
    const view = await this.view({ signal });
    const entries = await this.log({ after: Math.max(view.seq - endMax, 0), limit: endMax, signal });
    const people = createPeople(this.me);
    people.look(view);
    return openQuestions(this.me, entries, people, this.#context.floorUri).open();
  }

  /** A model for user interfaces: the end of the log, then everything new. Close it. */
  live(): LiveConversation {
    return new LiveConversation(this, { ...this.#context, closed: this.#closed });
  }
}
