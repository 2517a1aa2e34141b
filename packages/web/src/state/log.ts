import type { ConversationView } from "@plenary/client";
import { isSameUri } from "@plenary/protocol";
import { createTranscriptLines, type TranscriptEntry as Entry, type TranscriptLines } from "@plenary/transcript";
import { type Client, RequestError } from "../api/client.ts";
import { createPromptReader, type Prompt } from "../prompts/read-prompts.ts";

/** Entries loaded when a conversation opens. */
const endMax = 200;
/** Entries loaded when the reader scrolls back. */
const pageMax = 600;

/** The loaded part of a conversation's log: its end, and earlier pages on demand. */
export class ConversationLog {
  readonly #path: string;
  readonly #query: string;
  readonly #me: string;
  readonly #client: Client;
  #transcript: TranscriptLines = createTranscriptLines();
  readonly #prompts = createPromptReader();
  #first = 0;
  #seq = 0;
  /** False after leaving or removal: the log stays readable, but the view is no longer updated. */
  isHere = true;
  view: ConversationView;

  static async open(client: Client, id: string, me: string): Promise<ConversationLog> {
    const log = new ConversationLog(client, id, me);
    try {
      await log.look();
      await log.readEnd();
    } catch (error) {
      if (!(error instanceof RequestError) || error.status !== 404) throw error;
      await log.#readAsFormer();
      // A person who was never there gets the original error.
      if (log.#transcript.lines().length === 0) throw error;
    }
    return log;
  }

  /** A former conversant gets no view, but may read the entries from its time, from the start. */
  async #readAsFormer(): Promise<void> {
    this.isHere = false;
    for (let page = await this.#entries(0, pageMax); page.length > 0; page = await this.#entries(this.#seq, pageMax)) {
      for (const entry of page) this.add(entry);
    }
  }

  private constructor(client: Client, id: string, me: string) {
    this.#client = client;
    this.#path = `/api/v1/conversations/${encodeURIComponent(id)}`;
    this.#query = `speaker=${encodeURIComponent(me)}`;
    this.#me = me;
    this.view = {
      id,
      seq: 0,
      isClosed: false,
      isPaused: false,
      conversants: [],
      floorGranted: [],
      floorRequested: [],
      assignedFloorRoles: {},
      options: { policy: "guarded", floorEnforcement: "table", onConvenerFailure: "open", newcomersSee: "fromJoin" },
    };
  }

  get transcript(): TranscriptLines {
    return this.#transcript;
  }

  /** Computed on access: catching up with thousands of entries needs it once. */
  get prompts(): readonly Prompt[] {
    return this.#prompts.read(this.#transcript.entries(), this.view.conversants);
  }

  /** Sequence number of the last loaded entry. */
  get seq(): number {
    return this.#seq;
  }

  get hasOlder(): boolean {
    return this.#first > 0;
  }

  /** False for a duplicate: a reconnect may repeat entries. */
  add(entry: Entry): boolean {
    if (entry.seq <= this.#seq) return false;
    this.#seq = entry.seq;
    this.#transcript.add(entry);
    if (isAttendanceOf(this.#me, entry)) this.isHere = entry.kind === "seated";
    if (!this.isHere) this.view = withoutSelf(this.#me, this.view);
    return true;
  }

  /** Reloads the view. An older response is ignored. */
  async look(): Promise<void> {
    const next = await this.#client.get<ConversationView>(`${this.#path}?${this.#query}`);
    if (next.seq < this.view.seq || !this.isHere) return;
    this.view = next;
    this.#transcript.look(next);
  }

  async readOlder(): Promise<void> {
    if (this.#first === 0) return;
    const from = Math.max(this.#first - pageMax, 0);
    const older = await this.#entries(from, this.#first - from);
    const [oldest] = this.#transcript.entries();
    const fresh = older.filter(({ seq }) => oldest === undefined || seq < oldest.seq);
    this.#first = from;
    this.#tell([...fresh, ...this.#transcript.entries()]);
  }

  /** Also reads it again, after entries were revealed or erased. */
  async readEnd(): Promise<void> {
    const first = Math.max(this.view.seq - endMax, 0);
    const entries = await this.#entries(first, endMax);
    // Entries that arrived by the stream meanwhile are newer than this page.
    const last = entries.at(-1)?.seq ?? first;
    const since = this.#transcript.entries().filter(({ seq }) => seq > last);
    this.#first = first;
    this.#seq = since.at(-1)?.seq ?? last;
    this.#tell([...entries, ...since]);
  }

  async #entries(after: number, limit: number): Promise<Entry[]> {
    const range = `view=brief&after=${after}&limit=${limit}`;
    const { entries } = await this.#client.get<{ entries: Entry[] }>(`${this.#path}/log?${range}&${this.#query}`);
    return entries;
  }

  #tell(entries: readonly Entry[]): void {
    const transcript = createTranscriptLines();
    transcript.look(this.view);
    for (const entry of entries) transcript.add(entry);
    this.#transcript = transcript;
  }
}

/** Whether the entry says that this conversant joined, left or was removed. */
function isAttendanceOf(me: string, entry: Entry): boolean {
  if (entry.kind === "seated") return isSameUri(entry.seat.identification.speakerUri, me);
  if (entry.kind !== "event") return false;
  const { eventType } = entry.event;
  if (eventType === "bye") return isSameUri(entry.sender, me);
  return eventType === "uninvite" && entry.target !== undefined && isSameUri(entry.target, me);
}

function withoutSelf(me: string, view: ConversationView): ConversationView {
  const conversants = view.conversants.filter(({ identification }) => !isSameUri(identification.speakerUri, me));
  const floorGranted = view.floorGranted.filter((speakerUri) => !isSameUri(speakerUri, me));
  // A former conversant does not see the agents' state.
  return { ...view, conversants, floorGranted, isPaused: false, awaited: [] };
}
