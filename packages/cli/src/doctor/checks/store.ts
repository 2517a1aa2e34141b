import { hasEnded, type InspectedKey, isLoopbackUrl, type SqliteInspection } from "@plenary/server";
import { shellQuote } from "../../output/format.ts";
import {
  type FileMode,
  type Finding,
  type Inspection,
  ok,
  type StoreInspection,
  unsafe,
  warning,
} from "../findings.ts";

/** Checks of the store: conversations, keys and the operator's token. */
export function checkStore(inspection: Inspection): Finding[] {
  const { store, user } = inspection;
  if (store.kind === "memory") return [ok("store", "conversations and keys are in memory: there is no file to check")];
  if (store.kind === "missing") {
    const folder = store.folder === undefined ? [] : checkFolder(store.folder, user);
    return [
      ok("store", `there is no store at ${store.file} yet: plenary serve creates it`),
      ...folder,
      checkDisk(store),
    ];
  }
  return [
    ...checkFolder(store.folder, user),
    ...checkFiles("store-file", "the conversations", store.files, store, user),
    ...checkFiles("token-file", "the operator's token", store.token === undefined ? [] : [store.token], store, user),
    checkVersion(store.survey),
    checkDurability(store.survey),
    checkDisk(store),
    ...checkKeys(store.survey, inspection.now),
    ...checkSigning(store.survey, inspection),
    checkPolicy(store.survey),
  ];
}

function checkFolder({ path, mode, uid }: FileMode, user: number | undefined): Finding[] {
  const id = "store-folder";
  // Without numeric user ids (Windows) file modes mean nothing.
  if (user === undefined) return [];
  if ((mode & 0o002) !== 0) {
    const what = `every account can write to ${path} (${octal(mode)}) and could replace the token`;
    return [unsafe(id, what, `chmod 700 ${shellQuote(path)}, or put the store elsewhere with --store`)];
  }
  if (![user, 0].includes(uid) && user !== 0) {
    const what = `${path} belongs to another account (${uid}), which can replace the files in it`;
    return [unsafe(id, what, "put the store in your own folder, with --store")];
  }
  if ((mode & 0o020) !== 0) {
    const what = `the group can write to ${path} (${octal(mode)})`;
    return [warning(id, what, `chmod g-w ${shellQuote(path)}`)];
  }
  return [ok(id, `only the owner can write to ${path}`)];
}

function checkFiles(
  id: string,
  holds: string,
  files: readonly FileMode[],
  { folder }: { folder: FileMode },
  user: number | undefined,
): Finding[] {
  if (user === undefined) return [];
  // Root checks the files of the account that owns the folder.
  const owner = user === 0 ? folder.uid : user;
  const found: Finding[] = [];
  for (const { path, mode, uid } of files) {
    if ((mode & 0o077) !== 0) {
      const what = `other accounts can read or change ${holds} in ${path} (${octal(mode)})`;
      found.push(unsafe(id, what, `chmod 600 ${shellQuote(path)}`));
    }
    if (uid !== owner) {
      found.push(unsafe(id, `${path} belongs to another account (${uid})`, `chown ${owner} ${shellQuote(path)}`));
    }
  }
  return found.length > 0 ? found : [ok(id, `only the owner has access to ${holds}`)];
}

function octal(mode: number): string {
  return (mode & 0o7777).toString(8).padStart(4, "0");
}

function checkVersion({ version, newestVersion }: SqliteInspection): Finding {
  const id = "store-version";
  if (version === newestVersion) return ok(id, `the store is of version ${version}, the newest`);
  const next = `the next plenary serve migrates it to version ${newestVersion}`;
  return ok(id, `the store is of version ${version}: ${next}, and an older Plenary then refuses it`);
}

const full = 2;

function checkDurability({ journalMode, synchronous }: SqliteInspection): Finding {
  const id = "durability";
  const fix = "open it with an unmodified plenary serve, which sets both";
  if (synchronous < 1 || ["off", "memory"].includes(journalMode)) {
    const what = `acknowledged writes may be lost or corrupted (synchronous ${synchronous}, journal ${journalMode})`;
    return unsafe(id, what, fix);
  }
  if (synchronous < full) return warning(id, "the last writes may be lost in a power failure", fix);
  return ok(id, `writes are on disk before they are acknowledged (synchronous ${synchronous}, journal ${journalMode})`);
}

const freeBytesMin = 2 ** 30;

function checkDisk({ freeBytes }: Extract<StoreInspection, { freeBytes: number }>): Finding {
  const id = "disk";
  const free = `${Math.floor(freeBytes / 2 ** 20)} MiB`;
  if (freeBytes >= freeBytesMin) return ok(id, `the disk has ${free} left`);
  const what = `the disk of the store has ${free} left: a floor that cannot write refuses all input`;
  return warning(id, what, "free some space");
}

const yearMs = 365 * 86_400_000;
const speakersMax = 10;
const namedMax = 3;

function checkKeys({ keys }: SqliteInspection, now: string): Finding[] {
  const live = keys.filter((key) => !hasEnded(key, now));
  const yearAgo = new Date(Date.parse(now) - yearMs).toISOString();
  const renew = "plenary keys add ... --expires 90d, replace the key, then  plenary keys revoke ID";
  const check = (id: string, found: readonly InspectedKey[], what: string, fix: string) => {
    const ids = found.map((key) => key.id);
    return ids.length === 0 ? ok(id, `no keys ${what}`) : warning(id, `${named(ids, "key")} ${what}`, fix);
  };
  const endless = live.filter(({ expiresAt }) => expiresAt === undefined);
  const old = live.filter(({ createdAt }) => createdAt < yearAgo);
  const broad = live.filter(({ speakers }) => speakers > speakersMax);
  const narrow = "create one key per speaker: plenary keys add --speaker URI, then  plenary keys revoke ID";
  return [
    ok("keys", `${live.length} keys are valid, ${keys.length - live.length} have ended`),
    check("keys-expiry", endless, "never expire", renew),
    check("keys-age", old, "are older than a year", renew),
    check("keys-breadth", broad, `speak for more than ${speakersMax} speakers`, narrow),
  ];
}

function named(all: readonly string[], noun: string): string {
  const more = all.length > namedMax ? ", ..." : "";
  return `${all.length} ${noun}${all.length === 1 ? "" : "s"} (${all.slice(0, namedMax).join(", ")}${more})`;
}

/** Hosted agents and relayed agents: deliveries to them do not leave the floor. */
function isOurs(url: string, publicUrl: string | undefined): boolean {
  const isBelow = (path: string) => publicUrl !== undefined && url.startsWith(`${publicUrl}${path}`);
  // A floor without a public address uses a loopback address.
  return isBelow("/agents/") || isBelow(relays) || (isLoopbackUrl(url) && url.includes(relays));
}

const relays = "/openfloor/at/";

function checkSigning({ unsigned }: SqliteInspection, { configured }: Inspection): Finding[] {
  const id = "signing";
  if (configured.ok && configured.configuration.mode === "local") return [];
  const publicUrl = configured.ok ? configured.configuration.publicUrl : undefined;
  const found = unsigned.filter((url) => !isOurs(url, publicUrl));
  if (found.length === 0) return [ok(id, "deliveries to agents are signed")];
  const what = `deliveries to ${named(found, "agent")} are not signed, so the agents cannot verify that the floor sent them`;
  return [warning(id, what, "plenary keys add --service-url URL, and give the secret to the agent")];
}

function checkPolicy({ unguarded }: SqliteInspection): Finding {
  const id = "policy";
  if (unguarded === 0) return ok(id, "every open conversation has the policy guarded");
  const what = `${unguarded} open conversations have the policy spec: any conversant may remove or mute people`;
  return warning(id, what, "create conversations without policy, or with policy guarded; it cannot be changed later");
}
