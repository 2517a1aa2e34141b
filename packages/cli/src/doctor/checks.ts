import { checkDialling } from "./dialling.ts";
import { type Finding, type Inspection, type Level, ok, unsafe, warning } from "./findings.ts";
import { checkNetwork, checkSignIn } from "./network.ts";
import { checkStore } from "./store.ts";

const gravity: Record<Level, number> = { unsafe: 0, warning: 1, ok: 2 };

/** What is unsafe here, worst first. Pure: the looking is done elsewhere. */
export function diagnose(sight: Inspection): Finding[] {
  const findings = [
    ...checkConfiguration(sight),
    ...checkNetwork(sight),
    ...checkSignIn(sight),
    ...checkDialling(sight),
    ...checkStore(sight),
    checkNode(sight),
    checkUser(sight),
    checkTls(sight),
    checkDebugger(sight),
  ];
  return findings.sort((a, b) => gravity[a.level] - gravity[b.level]);
}

function checkConfiguration({ configured }: Inspection): Finding[] {
  if (configured.ok) return [ok("configuration", "the environment can be read")];
  return configured.errors.map(({ name, problem, fix }) => unsafe("configuration", `${name} ${problem}`, fix));
}

/** The last days of the releases that were to be kept up for long (nodejs.org/about/previous-releases). */
const lastDays: Record<number, string> = { 20: "2026-04-30", 22: "2027-04-30", 24: "2028-04-30" };

function checkNode({ node: { version, isLts }, now }: Inspection): Finding {
  const id = "node";
  const [major = 0, minor = 0] = version.replace(/^v/u, "").split(".").map(Number);
  const newer = "install the newest long-term release from https://nodejs.org";
  if (major < 20 || (major === 20 && minor < 19)) {
    return unsafe(id, `Node ${version} is older than 20.19, the oldest that Plenary runs on`, newer);
  }
  const lastDay = lastDays[major];
  if (lastDay !== undefined && now.slice(0, 10) > lastDay) {
    return warning(id, `Node ${version} has had no security fixes since ${lastDay}`, newer);
  }
  if (!isLts) return warning(id, `Node ${version} is no long-term release: its fixes end soon`, newer);
  return ok(id, `Node ${version} gets security fixes`);
}

function checkUser({ user }: Inspection): Finding {
  const fix = "run it as an account of its own that may do nothing else";
  return user === 0
    ? warning("root", "this account is root: a fault in the floor would be a fault in the whole machine", fix)
    : ok("root", "this account is not root");
}

function checkTls({ node: { rejectUnauthorized } }: Inspection): Finding {
  const id = "tls";
  if (rejectUnauthorized !== "0") return ok(id, "certificates of others are checked");
  const what = "NODE_TLS_REJECT_UNAUTHORIZED=0: anybody can pass for any agent and any issuer";
  return unsafe(id, what, "leave it out; name a certificate authority of your own in NODE_EXTRA_CA_CERTS");
}

function checkDebugger({ node: { options } }: Inspection): Finding {
  const id = "debugger";
  // Node reads an underscore as a dash.
  const found = /(?:^|[\s"'])--inspect(?:[-_](?:brk|wait))?(?=$|[\s"'=])/u.exec(options);
  if (found === null) return ok(id, "no debugger is open");
  const what = `${found[0].trim()} opens a debugger: whoever reaches it runs what it likes and reads every key`;
  return unsafe(id, what, "take it out of NODE_OPTIONS and of the command");
}
