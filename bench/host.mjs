// Sets conversations up and reads them, over the host interface.
import { createHostClient } from "@plenary/client/host";

export function createHost(url, token) {
  const { call } = createHostClient({ url, token });
  return {
    call,
    /** A conversation with these people (the first owns it) and agents, given by identification. Returns where its log stands. */
    async converse(id, people, agents = []) {
      const [owner, ...guests] = people.map((speakerUri) => ({ speakerUri }));
      await call("POST /api/v1/conversations", { body: { id, owner: { identification: owner } } });
      const seat = (identification, kind) =>
        call("POST /api/v1/conversations/:id/seat", { params: { id }, body: { identification, kind } });
      for (const guest of guests) await seat(guest, "person");
      for (const agent of agents) await seat(agent, "agent");
      return (await call("GET /api/v1/conversations/:id", { params: { id } })).seq;
    },
  };
}

/** Reads a whole log and counts what is out of order: gaps, and words of one connection that overtook each other. */
export async function orderViolationsIn({ call }, id, orderOf) {
  let [violations, after] = [0, 0];
  const lastOf = new Map();
  for (;;) {
    const page = { params: { id }, query: { limit: 1_000, after } };
    const { entries } = await call("GET /api/v1/conversations/:id/log", page);
    if (entries.length === 0) return { violations, entries: after };
    for (const { seq, kind, event } of entries) {
      if (seq !== after + 1) violations += 1;
      after = seq;
      if (kind !== "event" || event.eventType !== "utterance") continue;
      const { lane, count } = orderOf(event.parameters.dialogEvent.id);
      if (count <= (lastOf.get(lane) ?? -1)) violations += 1;
      lastOf.set(lane, count);
    }
  }
}
