import { type FloorEvent, foldUri, revokeFloor, textOf, uninvite } from "@plenary/protocol";
import { beneficiaryOf, conversantFor, conversantNamed, isAloud, isGranted, isOwner } from "./floor-view.ts";
import { openly } from "./open.ts";
import type { Chair, Matter, Past, Ruling, Sight } from "./policy.ts";
import { type Account, newAccount, note, type Offence, offenceIn } from "./usage.ts";

export type BudgetOptions = {
  /** Of an agent, until the owner gives it the floor anew. */
  turnsMax?: number;
  perMinuteMax?: number;
  /** How often the same words may be said among the last few. */
  sameWordsMax?: number;
  /** So long nobody gets the floor back who has lost it. */
  pauseMs?: number;
  /** An agent that goes on after so many is sent away. */
  strikesMax?: number;
};

type Limits = Required<BudgetOptions>;

/** By folded speakerUri, the one heard longest ago first. */
type Accounts = Readonly<Record<string, Account>>;

const defaults: Limits = { turnsMax: 100, perMinuteMax: 12, sameWordsMax: 3, pauseMs: 60_000, strikesMax: 3 };
const accountsMax = 128;

/** Everybody may speak, within reason. */
export function budgetChair(options: BudgetOptions = {}): Chair<Accounts> {
  const limits = { ...defaults, ...options };
  return {
    name: "budget",
    conversationalName: "Budget",
    synopsis:
      "Convenes with a budget: whoever speaks too much, too fast or repeats itself loses the floor for a while.",
    newState: () => ({}),
    remember: (past, sight) => past.reduce((accounts, one) => recalled(accounts, one, sight), {} as Accounts),
    rule: (accounts, matter, sight) => rule(accounts, matter, sight, limits),
  };
}

/** What was said before is counted; what was held against somebody is not known any more. */
function recalled(accounts: Accounts, { event, sender, atMs }: Past, sight: Sight): Accounts {
  if (!isAloud(event) || isOwner(sender, sight)) return accounts;
  return keep(accounts, sender, note(accountOf(accounts, sender), textOf(event.parameters.dialogEvent), atMs));
}

/** A speaker may be called as every object's own properties are: no key of ours is. */
const keyOf = (speakerUri: string) => `of ${foldUri(speakerUri)}`;

function accountOf(accounts: Accounts, speakerUri: string): Account {
  return accounts[keyOf(speakerUri)] ?? newAccount;
}

function keep(accounts: Accounts, speakerUri: string, account: Account): Accounts {
  const { [keyOf(speakerUri)]: _, ...others } = accounts;
  const kept = Object.entries(others).slice(1 - accountsMax);
  return Object.fromEntries([...kept, [keyOf(speakerUri), account]]);
}

function rule(accounts: Accounts, matter: Matter, sight: Sight, limits: Limits): Ruling<Accounts> {
  if (matter.kind === "told") return overhear(accounts, matter, sight, limits);
  if (matter.kind !== "asked") return { state: accounts, events: [] };
  const { event, sender } = matter;
  if (isOwner(sender, sight)) return { state: forgive(accounts, event, sight), events: openly(matter, sight) };
  if (isAloud(event)) return speak(accounts, matter, sight, limits);
  const isWish = event.eventType === "requestFloor" || event.eventType === "grantFloor";
  const about = isWish ? beneficiaryOf(event, sender, sight) : sender;
  const offence = isWish ? standing(accountOf(accounts, about), about, sight, limits) : undefined;
  if (offence !== undefined) return { state: accounts, events: [refusal(about, offence)] };
  return { state: accounts, events: openly(matter, sight) };
}

/** B6: what the owner gives is given. */
function forgive(accounts: Accounts, event: FloorEvent, sight: Sight): Accounts {
  const target = event.eventType === "grantFloor" ? conversantFor(sight, event.to) : undefined;
  return target === undefined ? accounts : keep(accounts, target.speakerUri, newAccount);
}

/** Words that were passed on: with the floor, or because their speaker was addressed, which is held against nobody. */
function overhear(accounts: Accounts, matter: Matter & { kind: "told" }, sight: Sight, limits: Limits) {
  const { event, sender } = matter;
  if (!isAloud(event) || !isCounted(sender, sight)) return { state: accounts, events: [] };
  const noted = note(accountOf(accounts, sender), textOf(event.parameters.dialogEvent), sight.nowMs);
  const offence = isGranted(sender, sight) ? offenceOf(noted, sender, sight, limits) : undefined;
  if (offence === undefined) return { state: keep(accounts, sender, noted), events: [] };
  return punish(accounts, noted, { speakerUri: sender, offence }, sight, limits);
}

function isCounted(speakerUri: string, sight: Sight): boolean {
  return !isOwner(speakerUri, sight) && conversantNamed(sight, speakerUri) !== undefined;
}

/** A person's turns are not counted: whoever talks all day is still welcome. */
function offenceOf(account: Account, speakerUri: string, sight: Sight, limits: Limits): Offence | undefined {
  const isPerson = conversantNamed(sight, speakerUri)?.isPerson === true;
  return offenceIn(account, isPerson ? { ...limits, turnsMax: Number.POSITIVE_INFINITY } : limits, sight.nowMs);
}

/** Why somebody may not have the floor now. */
function standing(account: Account, speakerUri: string, sight: Sight, limits: Limits): Offence | undefined {
  const leftMs = account.pausedUntilMs - sight.nowMs;
  if (leftMs > 0) return { kind: "pause", text: `ask again in ${Math.ceil(leftMs / 1000)} s` };
  const isSpent = account.turns >= limits.turnsMax && conversantNamed(sight, speakerUri)?.isPerson !== true;
  return isSpent ? { kind: "turns", text: `${limits.turnsMax} turns are spent: the owner may give more` } : undefined;
}

const refusal = (speakerUri: string, { text }: Offence): FloorEvent =>
  revokeFloor({ to: { speakerUri }, reason: `@brokenPolicy ${text}` });

/** Words without the floor: heard when the budget allows it, held against an agent that goes on regardless. */
function speak(accounts: Accounts, { event, sender }: Matter & { kind: "asked" }, sight: Sight, limits: Limits) {
  if (!isAloud(event)) return { state: accounts, events: [event] };
  const noted = note(accountOf(accounts, sender), textOf(event.parameters.dialogEvent), sight.nowMs);
  const offence = standing(noted, sender, sight, limits) ?? offenceOf(noted, sender, sight, limits);
  if (offence === undefined) return { state: keep(accounts, sender, noted), events: [event] };
  return punish(accounts, noted, { speakerUri: sender, offence }, sight, limits);
}

type Charge = { speakerUri: string; offence: Offence };

function punish(accounts: Accounts, account: Account, charge: Charge, sight: Sight, limits: Limits): Ruling<Accounts> {
  const { speakerUri, offence } = charge;
  const strikes = account.strikes + 1;
  const isAgent = conversantNamed(sight, speakerUri)?.isPerson === false;
  if (isAgent && strikes > limits.strikesMax) {
    const broken = offence.kind === "pause" ? "it was to be silent for a while" : offence.text;
    const reason = `@brokenPolicy ${broken}, and it went on`;
    return { state: keep(accounts, speakerUri, newAccount), events: [uninvite({ to: { speakerUri }, reason })] };
  }
  const pausedUntilMs = Math.max(account.pausedUntilMs, sight.nowMs + limits.pauseMs);
  const state = keep(accounts, speakerUri, { ...account, strikes, pausedUntilMs });
  return { state, events: [refusal(speakerUri, offence)] };
}
