import { type Command, defaultOptions, type Entry, type FloorOptions } from "@plenary/floor";
import { envelope, type FloorEvent, textUtterance } from "@plenary/protocol";
import { compose } from "../compose.ts";
import { jsonTextOf } from "../conversation/decode.ts";
import type { DeliveryLimits } from "../limits.ts";
import type { Outbound, OutboundMessage, Outcome } from "../ports/outbound.ts";
import { operator } from "../ports/principal.ts";
import type { FloorStore } from "../ports/store.ts";
import { createMemoryStore } from "../store/memory.ts";
import { readStoredFloor } from "../stored-floor.ts";
import { createCollectingLogger } from "./collecting-logger.ts";
import { createFakeClock } from "./fake-clock.ts";

const now = "2026-01-01T00:00:00.000Z";
export const ann = "tag:ann.example,2026:1";
export const bot = { speakerUri: "tag:bot.example,2026:1", serviceUrl: "http://bot.example/" };
const noTexts = { organization: "", conversationalName: "", synopsis: "" };

/** A delivery that the test ends with `end`, or the floor by aborting it. */
type SentDelivery = { message: OutboundMessage; end: (outcome: Outcome) => void; isAborted: () => boolean };

type Options = {
  store?: FloorStore;
  limits?: Partial<DeliveryLimits>;
  floorOptions?: Partial<FloorOptions>;
  startMs?: number;
};

/** A floor with a fake clock whose deliveries go to the test. */
export async function startDeliveryFixture(options: Options = {}) {
  const { store = createMemoryStore(), limits = {}, floorOptions = {}, startMs } = options;
  const clock = createFakeClock(startMs);
  const { logger, errors } = createCollectingLogger();
  const sent: SentDelivery[] = [];
  const outbound: Outbound = {
    reaches: ({ serviceUrl }) => serviceUrl.startsWith("http:"),
    send: (message) =>
      new Promise((resolve) => {
        const { signal } = message;
        sent.push({ message, end: resolve, isAborted: () => signal.aborted });
        if (signal.aborted) resolve({ kind: "aborted" });
        else signal.addEventListener("abort", () => resolve({ kind: "aborted" }));
      }),
  };
  const dialler = { dial: () => Promise.reject(new Error("there is no network")) };
  const ports = { store, dialler, clock, outbounds: [outbound], logger };
  const stored = await readStoredFloor(ports, {});
  const { server } = compose(ports, { deliveryLimits: limits }, { ...stored, url: "http://127.0.0.1" });
  const { receiver, effectRunner } = server;
  const command = (given: Command) => receiver.command("c", given, { by: { by: "operator" } });
  const send = (events: FloorEvent[]) => {
    const openFloor = envelope({ conversation: { id: "c" }, sender: { speakerUri: ann }, events });
    return receiver.envelope({ document: jsonTextOf(JSON.stringify({ openFloor })), principal: operator });
  };
  /** The newest delivery, after all pending promises have run. */
  const last = async (): Promise<SentDelivery> => {
    await clock.advance(0);
    const found = sent.at(-1);
    if (found === undefined) throw new Error("nothing was sent");
    return found;
  };
  return {
    server,
    effectRunner,
    clock,
    store,
    errors,
    sent,
    command,
    send,
    last,
    async open() {
      const self = { speakerUri: "tag:floor.example,2026:1" };
      const owner = { speakerUri: ann, serviceUrl: "", ...noTexts };
      await command({ verb: "open", self, owner, options: { ...defaultOptions, ...floorOptions } });
    },
    seat: (agent = bot) => command({ verb: "seat", identification: { ...agent, ...noTexts }, seatKind: "agent" }),
    say: (words: string, more: Pick<FloorEvent, "to"> = {}) =>
      send([{ ...textUtterance(words, { speakerUri: ann, id: words, startTime: now }), ...more }]),
    stop: () => command({ verb: "pause" }),
    log: async (): Promise<readonly Entry[]> => store.log.entries("c", { after: 0, limit: 1_000 }),
    missed: async () =>
      (await store.log.entries("c", { after: 0, limit: 1_000 })).flatMap((entry) =>
        entry.kind === "missed" ? [{ because: entry.because, failure: entry.failure, detail: entry.detail }] : [],
      ),
    pending: async () => (await store.outbox.pending()).deliveries.map(({ effect }) => effect.delivery),
    dead: async () =>
      (await store.outbox.deadLetters({ limit: 9 })).map(({ failure, detail }) => ({ failure, detail })),
    async close(drainMs = 0) {
      const closed = effectRunner.close({ drainMs });
      await clock.advance(drainMs);
      await closed;
    },
  };
}

export type DeliveryFixture = Awaited<ReturnType<typeof startDeliveryFixture>>;

/** The agent's answer: an utterance with this text, or an empty envelope. */
export function answerOf({ message }: SentDelivery, words?: string, speakerUri = bot.speakerUri): Outcome {
  const events = words === undefined ? [] : [textUtterance(words, { speakerUri, id: words, startTime: now })];
  const answered = envelope({ conversation: { id: message.conversationId }, sender: { speakerUri }, events });
  return { kind: "envelope", envelope: answered, dialect: "1.1", carried: {} };
}
