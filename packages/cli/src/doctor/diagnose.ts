import { checkDialling } from "./checks/dialling.ts";
import { checkNetwork, checkSignIn } from "./checks/network.ts";
import { checkStore } from "./checks/store.ts";
import { type Finding, type Inspection, type Level, ok, unsafe, warning } from "./findings.ts";

const gravity: Record<Level, number> = { unsafe: 0, warning: 1, ok: 2 };

/** All findings, worst first. Pure: `inspect` collects the facts. */
export function diagnose(inspection: Inspection): Finding[] {
  const findings = [
    ...checkConfiguration(inspection),
    ...checkNetwork(inspection),
    ...checkSignIn(inspection),
    ...checkDialling(inspection),
    ...checkStore(inspection),
    checkNode(inspection),
    checkUser(inspection),
    checkTls(inspection),
    checkDebugger(inspection),
  ];
  return findings.sort((a, b) => gravity[a.level] - gravity[b.level]);
}

function checkConfiguration({ configured }: Inspection): Finding[] {
  if (configured.ok) return [ok("configuration", "the environment is valid")];
  return configured.errors.map(({ name, problem, fix }) => unsafe("configuration", `${name} ${problem}`, fix));
}

/** End of life of the LTS releases (nodejs.org/about/previous-releases). */
const lastDays: Record<number, string> = { 20: "2026-04-30", 22: "2027-04-30", 24: "2028-04-30" };

function checkNode({ node: { version, isLts }, now }: Inspection): Finding {
  const id = "node";
  const [major = 0, minor = 0] = version.replace(/^v/u, "").split(".").map(Number);
  const newer = "install the newest LTS release from https://nodejs.org";
  if (major < 20 || (major === 20 && minor < 19)) {
    return unsafe(id, `Node ${version} is older than 20.19, the oldest supported version`, newer);
  }
  const lastDay = lastDays[major];
  if (lastDay !== undefined && now.slice(0, 10) > lastDay) {
    return warning(id, `Node ${version} has had no security fixes since ${lastDay}`, newer);
  }
  if (!isLts) return warning(id, `Node ${version} is not an LTS release: its fixes end soon`, newer);
  return ok(id, `Node ${version} gets security fixes`);
}

function checkUser({ user }: Inspection): Finding {
  const fix = "run it under a separate account without other rights";
  return user === 0
    ? warning("root", "this account is root: a fault in the floor could affect the whole machine", fix)
    : ok("root", "this account is not root");
}

function checkTls({ node: { rejectUnauthorized } }: Inspection): Finding {
  const id = "tls";
  if (rejectUnauthorized !== "0") return ok(id, "TLS certificates are checked");
  const what = "NODE_TLS_REJECT_UNAUTHORIZED=0: any server can impersonate any agent and any issuer";
  return unsafe(id, what, "unset it; name your own certificate authority in NODE_EXTRA_CA_CERTS");
}

function checkDebugger({ node: { options } }: Inspection): Finding {
  const id = "debugger";
  // Node accepts an underscore for a dash.
  const found = /(?:^|[\s"'])--inspect(?:[-_](?:brk|wait))?(?=$|[\s"'=])/u.exec(options);
  if (found === null) return ok(id, "no debugger is open");
  const what = `${found[0].trim()} opens a debugger: any client that reaches it can run code and read every key`;
  return unsafe(id, what, "remove it from NODE_OPTIONS and from the command");
}
