import type { RuleId } from "@plenary/protocol";

/** An issue that a parser reports. */
export type Flaw = {
  rule: RuleId;
  /** JSON pointer into the document. */
  path: string;
  severity: "error" | "warning";
  /** False where nothing usable is left and the document is refused. */
  repaired: boolean;
};

/** A value, or raw text where the JSON itself is invalid. */
export type Source = { document: unknown } | { text: string };

/** A document with one fault and exactly the issues it causes. */
export type NegativeCase = { name: string } & Flaw & Source & { also?: readonly Flaw[] };

/** A document without a fault. */
export type PositiveCase = { name: string } & Source;

/** A faulty envelope and its repaired form; pointers into the content of the root key. */
export type RepairCase = {
  name: string;
  rule: RuleId;
  document: unknown;
  becomes: Record<string, unknown>;
  leavesOut?: readonly string[];
};

export const refused = { severity: "error", repaired: false } as const;
export const repairedError = { severity: "error", repaired: true } as const;
export const warned = { severity: "warning", repaired: true } as const;

/** Generated values are the same on every run, and no two ids of one document are the same. */
export const mint = {
  now: "2025-01-31T12:00:00Z",
  get newId() {
    let count = 0;
    return () => {
      count += 1;
      return count === 1 ? "minted-id" : `minted-id-${count}`;
    };
  },
};

export function textOf(source: Source): string {
  return "text" in source ? source.text : JSON.stringify(source.document);
}

/** The base document with the value at a pointer replaced or added. The pointer is also where the issue is expected. */
export function set<Path extends string>(base: unknown, path: Path, value: unknown) {
  const document = copyOf(base);
  const { owner, key } = ownerOf(document, path);
  owner[key] = value;
  return { path, document };
}

/** The base document without the value at a pointer. */
export function drop<Path extends string>(base: unknown, path: Path) {
  const document = copyOf(base);
  const { owner, key } = ownerOf(document, path);
  if (!Object.hasOwn(owner, key)) throw new Error(`there is nothing at ${path}`);
  delete owner[key];
  return { path, document };
}

export function stepsOf(path: string): string[] {
  return path
    .split("/")
    .slice(1)
    .map((step) => step.replaceAll("~1", "/").replaceAll("~0", "~"));
}

/** The value at a pointer, or undefined. */
export function at(value: unknown, path: string): unknown {
  return stepsOf(path).reduce<unknown>(
    (owner, key) => (isOwner(owner) && Object.hasOwn(owner, key) ? owner[key] : undefined),
    value,
  );
}

// Through text, because structuredClone keeps shared parts of the base shared, and then one change appears twice.
function copyOf(base: unknown): unknown {
  return JSON.parse(JSON.stringify(base));
}

function ownerOf(document: unknown, path: string): { owner: Record<string, unknown>; key: string } {
  const steps = stepsOf(path);
  const key = steps.pop();
  const owner = at(document, steps.map((step) => `/${step.replaceAll("~", "~0").replaceAll("/", "~1")}`).join(""));
  if (key === undefined || !isOwner(owner)) throw new Error(`${path} leads nowhere`);
  return { owner, key };
}

function isOwner(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}
