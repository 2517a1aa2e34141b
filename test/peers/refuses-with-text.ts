// Agents that refuse a request and say why in their own way: a framework that validates (422 with a JSON detail), a program
// that fails (500 with text), a proxy before an agent that is down (502 with a page), an agent that moved (301, 308).
import { answer, type Behaviour, eventsIn, textsIn } from "../support/http-agent.ts";

/** As frameworks with typed request bodies do. */
export const validates: Behaviour = () => {
  const detail = [
    {
      type: "string_too_short",
      loc: ["body", "openFloor", "conversants", 0, "organization"],
      msg: "String should have at least 1 character",
      input: "",
    },
  ];
  return { status: 422, body: JSON.stringify({ detail }) };
};

export const failsWithText: Behaviour = () => ({
  status: 500,
  type: "text/plain",
  body: "KeyError: \u0007'ovon'\n\tsee @timedOut in the \u202elog",
});

export const isBehindAProxy: Behaviour = () => ({
  status: 502,
  type: "text/html",
  body: "<html><head><title>502 Bad Gateway</title><style>h1{color:red}</style></head><body><h1>nginx</h1></body></html>",
});

/** An agent that has moved to another path, host or scheme. */
export function moved(status: number, location: string): Behaviour {
  return () => ({ status, body: "", headers: { location } });
}

/** Joins, and answers each utterance with 400 and the request text, as debug pages do. */
export const quotesWhatWasSaid: Behaviour = (heard, self) => {
  const isInvited = eventsIn(heard).some(({ eventType }) => eventType === "invite");
  if (isInvited || textsIn(heard).length === 0) return answer(heard, self);
  return { status: 400, body: JSON.stringify({ error: `cannot handle: ${textsIn(heard).join(" ")}` }) };
};

/** Joins, and refuses each utterance with a text of its own. */
export const refusesWords: Behaviour = (heard, self) => {
  if (textsIn(heard).length === 0) return answer(heard, self);
  return { status: 401, body: JSON.stringify({ error: { message: "The API key has expired" } }) };
};

/** Answers every request with this. */
export function always(status: number, body: string, type = "application/json"): Behaviour {
  return () => ({ status, body, type });
}
