import type { KnownAgent } from "@plenary/server";

const perhapsOther = "look whether the address is right, and whether the agent runs";

const remedies: Record<string, string> = {
  "refused-url": "write a whole http or https address, without user name and password",
  timeout: "see why the agent takes so long: getManifests needs no thinking, and is answered at once",
  broken: "look whether it speaks HTTP there: https where http is written, or another port?",
  redirect: "add the address that it sends callers to: redirects are not followed",
  "too-large": "let it answer with at most 1 MiB",
  encoded: "let it answer without Content-Encoding: it was asked for none",
  "no-envelope": "let it answer every POST with an Open Floor envelope: plenary validate FILE checks one",
  echo: "let it answer with an envelope of its own: it sent the request back",
  "not-connected": "start the agent, so that it connects to the floor again",
};

/** What helps an agent that does not answer, for whoever runs it or the floor. */
export function remedyOf({ trouble, serviceUrl }: Pick<KnownAgent, "trouble" | "serviceUrl">): string {
  const { code, detail } = trouble ?? { code: "", detail: "" };
  switch (code) {
    case "refused-address":
      return `if you trust it, start the floor with PLENARY_ALLOW_HOSTS=${placeOf(serviceUrl)}`;
    case "unreachable":
      return unreachable(detail);
    case "status":
      return refused(Number(/\d{3}/u.exec(detail)?.[0] ?? 0));
    default:
      return remedies[code] ?? perhapsOther;
  }
}

/** As the list of allowed hosts takes it: the port where it is not the usual one. */
function placeOf(serviceUrl: string): string {
  return URL.canParse(serviceUrl) ? new URL(serviceUrl).host : "HOST:PORT";
}

/** As Node and OpenSSL say it. */
function unreachable(detail: string): string {
  if (/certificate|\bCERT_|self.signed|\bTLS\b|\bSSL\b|EPROTO/iu.test(detail)) {
    return "give it a certificate that this machine trusts, or name its authority in NODE_EXTRA_CA_CERTS of the floor";
  }
  if (/ENOTFOUND|EAI_AGAIN|no address/u.test(detail)) return "look whether the name of the host is right";
  if (/ECONNREFUSED/u.test(detail))
    return "start the agent, or look whether host and port are right: nothing listens there";
  return perhapsOther;
}

function refused(status: number): string {
  if (status === 401 || status === 403) return "let the agent take envelopes from this floor";
  if (status === 404 || status === 405) return "look whether the path is right: an agent takes POST at its serviceUrl";
  if (status === 429 || status === 503) return "try again later: it says that it is busy";
  return status >= 500 ? "see the agent's log: it failed" : "see the agent's log: it refuses an envelope";
}
