import { type Finding, ok, type Sight, unsafe, warning } from "./finding.ts";

/** Whoever likes has an account there, or makes one now. */
const publicIssuers = [
  /^https:\/\/accounts\.google\.com\//u,
  // Its own number is that of all private accounts.
  /^https:\/\/login\.microsoftonline\.com\/(?:common|consumers|organizations|9188040d-6c67-4c5b-b112-36a304b66dad)\//u,
  /^https:\/\/login\.live\.com\//u,
  /^https:\/\/(?:token\.actions\.githubusercontent|github)\.com\//u,
  /^https:\/\/gitlab\.com\//u,
  /^https:\/\/(?:appleid|account)\.apple\.com\//u,
  /^https:\/\/(?:www\.facebook|www\.linkedin|api\.login\.yahoo|discord)\.com\//u,
  /^https:\/\/id\.twitch\.tv\//u,
];

/** Who of all whom an issuer knows may begin conversations here. */
export function checkSignIn({ configured }: Sight): Finding[] {
  const signIn = configured.ok ? configured.configuration.signIn : undefined;
  if (signIn === undefined) return [];
  const id = "sign-in";
  const { issuer, allow } = signIn;
  if (!allow.includes("*")) return [ok(id, `${allow.length} items say who may sign in`)];
  const fix = "list who may in PLENARY_OIDC_ALLOW: ann@example.com, @example.com or sub:ID, with commas between";
  const what = `everybody whom ${issuer} knows may sign in and begin conversations`;
  const { href } = new URL(`${issuer.replace(/\/$/u, "")}/`);
  if (!publicIssuers.some((known) => known.test(href))) return [warning(id, what, fix)];
  return [unsafe(id, `${what}, and anybody can have an account there`, fix)];
}
