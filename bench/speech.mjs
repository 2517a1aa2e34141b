// What the load says: utterances of 1 KB, each with an id of its own that tells who said it and in which order.
import { utterance1kb } from "./envelopes.mjs";

const countDigits = 10;
/** Stands where the number of an utterance goes. */
export const anyCount = "#".repeat(countDigits);
const run = process.pid.toString(36);

/** The text of a lane's utterance; `anyCount` stands where its number goes. */
function template({ lane, conversation, speaker, to }) {
  const { openFloor } = JSON.parse(utterance1kb);
  openFloor.conversation.id = conversation;
  openFloor.sender = { speakerUri: speaker };
  const [event] = openFloor.events;
  if (to !== undefined) event.to = to;
  const { dialogEvent } = event.parameters;
  dialogEvent.id = `de:${run}-${lane}-${anyCount}`;
  dialogEvent.speakerUri = speaker;
  dialogEvent.features.text.tokens[0].value += ` (${anyCount})`;
  return JSON.stringify({ openFloor });
}

/**
 * Bytes that are written again and again: `next()` counts up in place and returns them. `wrap` puts the text into what
 * the transport needs. A lane may bring a `body` of its own, in which `anyCount` stands for the number.
 */
export function createSpeech(lane, wrap) {
  const bytes = wrap(lane.body ?? template(lane));
  const places = placesIn(bytes);
  let count = 0;
  return {
    next() {
      count += 1;
      const digits = String(count).padStart(countDigits, "0");
      for (const place of places) bytes.write(digits, place, "latin1");
      return bytes;
    },
  };
}

/** Speaks as each of these in turn, so many times each. Many connections can share it. */
export function createRotation(speeches, times) {
  let said = 0;
  return {
    next() {
      const speech = speeches[Math.floor(said / times) % speeches.length];
      said += 1;
      // Another connection may want the same bytes while these are written.
      return Buffer.from(speech.next());
    },
  };
}

function placesIn(bytes) {
  const places = [];
  for (let at = bytes.indexOf(anyCount); at >= 0; at = bytes.indexOf(anyCount, at + 1)) places.push(at);
  return places;
}

/** Who said it, and as their how manieth. */
export function orderOf(dialogEventId) {
  const end = dialogEventId.lastIndexOf("-");
  return { lane: dialogEventId.slice(0, end), count: Number(dialogEventId.slice(end + 1)) };
}

/** The first dialogEvent.id in a frame, found without parsing it. */
export function idIn(frame) {
  const start = frame.indexOf('"id":"de:') + 6;
  return frame.toString("latin1", start, frame.indexOf('"', start));
}

/** So many lanes, each its own conversation, or all in one. */
export function lanesOf(count, { speaker, conversation, to }) {
  return Array.from({ length: count }, (_, lane) => ({ lane, speaker, conversation: conversation(lane), to }));
}
