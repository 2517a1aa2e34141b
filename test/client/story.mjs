// Two speakers talk at once and follow each other while the test breaks things. Uses the published package only, so that
// it runs in every runtime.
import { connect } from "@plenary/client";

const bob = "tag:people.example,2026:bob";

/**
 * `fault` breaks something and resolves when it has begun. Resolves to what each speaker read: the sequence numbers in
 * their order, and the words; and to the sequence numbers that the floor acknowledged.
 */
export async function tell({ url, token, words, faults, fault, limits, WebSocket }) {
  const shared = { url, token, limits, ...(WebSocket !== undefined && { WebSocket }) };
  const host = await connect(shared);
  const guest = await connect({ ...shared, speaker: bob });
  const talk = await host.open({ title: "Story" });
  await talk.command("seat", { identification: { speakerUri: bob, conversationalName: "Bob" } });
  const talks = [talk, await guest.join(talk.id)];
  const reading = Promise.all(talks.map((one) => read(one, 2 * words)));
  const every = Math.floor((2 * words) / (faults + 1));
  let count = 0;
  const said = await Promise.all(
    talks.map(async (one, index) => {
      const seqs = [];
      for (let number = 0; number < words; number += 1) {
        const { seq } = await one.say(`${index} ${number}`);
        seqs.push(seq);
        count += 1;
        // Not awaited: the words go on while it happens.
        if (count % every === 0 && count < 2 * words) void fault();
      }
      return seqs;
    }),
  );
  const heard = await reading;
  await Promise.all([host.close(), guest.close()]);
  return { id: talk.id, heard, said };
}

/** Reads from the start until `count` utterances came. */
async function read(talk, count) {
  const seqs = [];
  const words = [];
  for await (const frame of talk.follow()) {
    if (!("entry" in frame)) continue;
    const { seq, entry } = frame;
    seqs.push(seq);
    const isUtterance = entry.kind === "event" && entry.event.eventType === "utterance";
    if (isUtterance) words.push(entry.event.parameters.dialogEvent.features.text.tokens[0].value);
    if (words.length >= count) break;
  }
  return { seqs, words };
}
