import { type Command, defaultOptions, type Entry, type FloorOptions } from "@plenary/floor";
import { envelope, type FloorEvent, textUtterance } from "@plenary/protocol";
import { compose, start } from "../compose.ts";
import type { DeliveryLimits } from "../limits.ts";
import type { Outbound, OutboundMessage, Outcome } from "../ports/outbound.ts";
import { operator } from "../ports/principal.ts";
import type { FloorStore } from "../ports/store.ts";
import { createMemoryStore } from "../store/memory.ts";
import { createFakeClock } from "./fake-clock.ts";

const now = "2026-01-01T00:00:00.000Z";
export const ann = "tag:ann.example,2026:1";
export const bot = { speakerUri: "tag:bot.example,2026:1", serviceUrl: "http://bot.example/" };
const about = { organization: "", conversationalName: "", synopsis: "" };

/** A delivery that a test ends as it likes. It ends as aborted when the floor cuts it. */
type Sent = { message: OutboundMessage; end: (outcome: Outcome) => void; isCut: () => boolean };

type Options = {
  store?: FloorStore;
  limits?: Partial<DeliveryLimits>;
  floorOptions?: Partial<FloorOptions>;
  startMs?: number;
};

/** A floor with a clock of its own, whose deliveries go nowhere but to the test. */
export async function startDelivering(options: Options = {}) {
  const { store = createMemoryStore(), limits = {}, floorOptions = {}, startMs } = options;
  const clock = createFakeClock(startMs);
  const errors: unknown[] = [];
  const sent: Sent[] = [];
  const outbound: Outbound = {
    reaches: ({ serviceUrl }) => serviceUrl.startsWith("http:"),
    send: (message) =>
      new Promise((resolve) => {
        const { signal } = message;
        sent.push({ message, end: resolve, isCut: () => signal.aborted });
        if (signal.aborted) resolve({ kind: "aborted" });
        else signal.addEventListener("abort", () => resolve({ kind: "aborted" }));
      }),
  };
  const place = { url: "http://127.0.0.1", speakerUri: "", deliverySecret: "" };
  const dialler = { dial: () => Promise.reject(new Error("there is no network")) };
  const serverOptions = { deliveryLimits: limits, onError: (error: unknown) => errors.push(error) };
  const ports = { store, dialler, clock, outbounds: [outbound] };
  const { server } = compose(ports, serverOptions, place);
  await start(server, {}, place);
  const { receiver, effectRunner } = server;
  const command = (one: Command) => receiver.command("c", one, { by: { by: "operator" } });
  const send = (events: FloorEvent[]) => {
    const openFloor = envelope({ conversation: { id: "c" }, sender: { speakerUri: ann }, events });
    return receiver.envelope(JSON.stringify({ openFloor }), { principal: operator });
  };
  /** What is out now, once everything that waits on promises alone has run. */
  const last = async (): Promise<Sent> => {
    await clock.advance(0);
    const found = sent.at(-1);
    if (found === undefined) throw new Error("nothing was sent");
    return found;
  };
  return {
    ...{ server, effectRunner, clock, store, errors, sent, command, send, last },
    async open() {
      const self = { speakerUri: "tag:floor.example,2026:1" };
      const owner = { speakerUri: ann, serviceUrl: "", ...about };
      await command({ verb: "open", self, owner, options: { ...defaultOptions, ...floorOptions } });
    },
    seat: (one = bot) => command({ verb: "seat", identification: { ...one, ...about }, seatKind: "agent" }),
    say: (words: string, more: Pick<FloorEvent, "to"> = {}) =>
      send([{ ...textUtterance(words, { speakerUri: ann, id: words, startTime: now }), ...more }]),
    stop: () => command({ verb: "pause" }),
    log: async (): Promise<readonly Entry[]> => store.entries("c", { after: 0, limit: 1_000 }),
    missed: async () =>
      (await store.entries("c", { after: 0, limit: 1_000 })).flatMap((entry) =>
        entry.kind === "missed" ? [{ because: entry.because, failure: entry.failure, detail: entry.detail }] : [],
      ),
    pending: async () => (await store.pending()).deliveries.map(({ effect }) => effect.delivery),
    dead: async () => (await store.deadLetters({ limit: 9 })).map(({ failure, detail }) => ({ failure, detail })),
    async close(drainMs = 0) {
      const closed = effectRunner.close({ drainMs });
      await clock.advance(drainMs);
      await closed;
    },
  };
}

export type Delivering = Awaited<ReturnType<typeof startDelivering>>;

/** What the agent answers: these words, or nothing. */
export function answerOf({ message }: Sent, words?: string, speakerUri = bot.speakerUri): Outcome {
  const events = words === undefined ? [] : [textUtterance(words, { speakerUri, id: words, startTime: now })];
  const answered = envelope({ conversation: { id: message.conversationId }, sender: { speakerUri }, events });
  return { kind: "envelope", envelope: answered, dialect: "1.1", carried: {} };
}
