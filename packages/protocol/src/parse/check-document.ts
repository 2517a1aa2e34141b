import { OvonDialogEvent } from "../dialects/ovon-0.9/dialog-event.ts";
import { OvonManifest } from "../dialects/ovon-0.9/manifest.ts";
import { isRecord } from "../is-record.ts";
import { DialogEvent } from "../model/dialog-event.ts";
import { Manifest } from "../model/manifest.ts";
import type { Issue } from "../repair/issue.ts";
import { noMore } from "../repair/issue-list.ts";
import { repairValue } from "../repair/repair.ts";
import { type ParseDefaults, type ParseState, type Shape, shapeOf } from "../repair/shape.ts";
import { readJson } from "./json.ts";
import { walkEnvelope } from "./walk-envelope.ts";

export type DocumentKind = "envelope" | "manifest" | "dialogEvent";

export type DocumentReport = {
  kind: DocumentKind;
  /** As the document declares it, or as its shape shows; undefined when unknown. */
  version: string | undefined;
  /** No error; warnings do not count (D21). */
  valid: boolean;
  issues: Issue[];
};

/** Checks an envelope, a manifest or a dialog event of any version, distinguished by shape. Never throws. */
export function checkDocument(text: string, mint: ParseDefaults): DocumentReport {
  const json = readJson(text);
  if (!json.ok) return reportOf("envelope", undefined, json.issues);
  const { value } = json;
  const kind = documentKindOf(value);
  if (kind === "envelope") {
    const { version, issues } = walkEnvelope(value, { ...mint, issuesMax: Number.POSITIVE_INFINITY });
    return reportOf(kind, version, issues);
  }
  const { shape, version } = shapeOfDocument(kind, value);
  const state: ParseState = {
    ...mint,
    document: value,
    issues: [],
    leftOut: [],
    dropBadEvents: false,
    issuesMax: Number.POSITIVE_INFINITY,
    more: noMore(),
  };
  repairValue(shape, value, undefined, state);
  return reportOf(kind, version, state.issues);
}

function reportOf(kind: DocumentKind, version: string | undefined, issues: Issue[]): DocumentReport {
  return { kind, version, valid: issues.every(({ severity }) => severity !== "error"), issues };
}

/** An envelope may be part of a larger document (spec 1.1). */
function hasRootKey(value: Record<string, unknown>): boolean {
  return value.openFloor !== undefined || value.ovon !== undefined;
}

function documentKindOf(value: unknown): DocumentKind {
  if (!isRecord(value) || hasRootKey(value)) return "envelope";
  if (value.identification !== undefined) return "manifest";
  return value.features !== undefined || value.span !== undefined ? "dialogEvent" : "envelope";
}

function shapeOfDocument(kind: "manifest" | "dialogEvent", value: unknown): { shape: Shape; version: string } {
  // Only objects have a kind other than envelope.
  const record = value as Record<string, unknown>;
  return kind === "manifest" ? shapeOfManifest(record) : shapeOfDialogEvent(record);
}

/** Until 0.9.1 the address was the serviceEndpoint; 0.9.1 renamed the department and separated the layers. */
function shapeOfManifest({ identification, capabilities }: Record<string, unknown>) {
  if (!isRecord(identification) || identification.serviceEndpoint === undefined) {
    return { shape: shapeOf(Manifest), version: "1.0.1" };
  }
  const listed = Array.isArray(capabilities) ? capabilities : [];
  const isNewer =
    identification.department !== undefined ||
    listed.some((capability) => isRecord(capability) && isRecord(capability.supportedLayers));
  return { shape: shapeOf(OvonManifest), version: isNewer ? "0.9.1" : "0.9.0" };
}

/** Until 1.0.1 the speaker had an id, which 1.0.0 spelt in two other ways. */
function shapeOfDialogEvent(value: Record<string, unknown>) {
  const shape = shapeOf(OvonDialogEvent);
  if (value.speakerUri !== undefined) return { shape: shapeOf(DialogEvent), version: "1.0.2" };
  if (value.speakerId !== undefined) return { shape, version: "1.0.1" };
  const isOldest = value.speakerID !== undefined || value["speaker-id"] !== undefined;
  return isOldest ? { shape, version: "1.0.0" } : { shape: shapeOf(DialogEvent), version: "1.0.2" };
}
