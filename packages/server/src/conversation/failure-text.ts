import type { Outcome } from "../ports/outbound.ts";

type Failed = Outcome & { kind: "failure" };

/** Why a delivery failed, for people: words that follow the name of its recipient. Undefined where nothing exact is known. */
export function reasonOf({ code = "", detail, excerpt, unsent }: Failed, serviceUrl: string): string | undefined {
  if (unsent && code === "") return "did not hear this: it was stopped before it could be sent";
  if (detail === notTried) return `${withoutIt(detail)}: try again in a few minutes`;
  const words = wordsOf(code, detail, serviceUrl);
  return words === undefined || excerpt === undefined ? words : `${words}: ${excerpt}`;
}

function wordsOf(code: string, detail: string, serviceUrl: string): string | undefined {
  switch (code) {
    case "status":
    case "redirect":
    case "timeout":
    case "echo":
      return withoutIt(detail);
    case "refused-address":
      return `is not allowed from here: ${whyRefused(detail)}; the operator allows it with PLENARY_ALLOW_HOSTS=${hostOf(serviceUrl)}`;
    case "refused-url":
      return "is not allowed from here: its address is no plain http or https URL";
    case "unreachable":
      return `could not be reached: ${whyUnreachable(detail)}`;
    case "not-connected":
      return "is not connected";
    case "broken":
      return "closed the connection before it had answered";
    case "too-large":
      return "gave an answer that is too large";
    case "encoded":
      return "gave a compressed answer, which it was not asked for";
    default:
      return undefined;
  }
}

function withoutIt(detail: string): string {
  return detail.replace(/^it /u, "");
}

/** Not where the name leads: who may invite need not know the addresses of this network. */
function whyRefused(detail: string): string {
  if (/only https/u.test(detail)) return "only https goes to public addresses";
  return /\bport \d+/u.test(detail) ? "its port is not the usual one of https" : "its address is not public";
}

/** As the list of allowed hosts takes it. */
function hostOf(serviceUrl: string): string {
  return URL.canParse(serviceUrl) ? new URL(serviceUrl).host : "HOST:PORT";
}

/** As Node and OpenSSL say it. */
function whyUnreachable(detail: string): string {
  if (/certificate|\bCERT_|self.signed|\bTLS\b|\bSSL\b|EPROTO/iu.test(detail))
    return "its certificate is not trusted here";
  if (/ENOTFOUND|EAI_AGAIN|no address/u.test(detail)) return "no host has this name";
  if (/ECONNREFUSED/u.test(detail)) return "nothing listens at this address (connection refused)";
  return /timed?.?out/iu.test(detail) ? "no connection came about in time" : "no connection came about";
}

/** The detail of a failure without a code: the breaker of the target was open all the time. */
export const notTried = "it has failed too often to be tried now";
