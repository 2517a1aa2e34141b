import type { Conversant } from "../model/envelope.ts";
import type { Manifest } from "../model/manifest.ts";

/** Spec 1.6.1: a conversant carries the identification of its manifest; the schema allows no further keys there. */
export function conversantOf(manifest: Manifest): Conversant {
  const { speakerUri, serviceUrl, organization, conversationalName, synopsis, department, role, openFloorRoles } =
    manifest.identification;
  return {
    identification: {
      speakerUri,
      serviceUrl,
      organization,
      conversationalName,
      synopsis,
      ...(department !== undefined && { department }),
      ...(role !== undefined && { role }),
      ...(openFloorRoles !== undefined && { openFloorRoles }),
    },
  };
}

/** True for a text that is not blank. */
function isGiven(text: string): boolean {
  return text.trim() !== "";
}

/**
 * D40: libraries refuse a conversant with empty mandatory texts. Missing ones are made from its URIs; the
 * caller gives a default synopsis.
 */
export function introduced<Known extends Conversant["identification"]>(known: Known, synopsis: string): Known {
  const { organization, conversationalName, synopsis: own } = known;
  if (isGiven(organization) && isGiven(conversationalName) && isGiven(own)) return known;
  return {
    ...known,
    organization: isGiven(organization) ? organization : organizationIn(known),
    conversationalName: isGiven(conversationalName) ? conversationalName : nameIn(known.speakerUri),
    synopsis: isGiven(own) ? own : synopsis,
  };
}

function organizationIn({ speakerUri, serviceUrl }: { speakerUri: string; serviceUrl: string }): string {
  const authority = /^tag:(?:[^,@]*@)?([^,@]+),/iu.exec(speakerUri)?.[1];
  return authority ?? hostIn(speakerUri) ?? hostIn(serviceUrl) ?? "unknown";
}

/** The last part of a URI; of a web address without a path, its host. */
function nameIn(speakerUri: string): string {
  const host = hostIn(speakerUri);
  const rest = host === undefined ? speakerUri : speakerUri.slice(speakerUri.indexOf(host) + host.length);
  const tail = rest.split(/[/:,#?]/u).findLast(isGiven);
  return tail === undefined ? (host ?? "unknown") : decoded(tail);
}

function hostIn(uri: string): string | undefined {
  return /^[a-z][a-z0-9+.-]*:\/\/(?:[^/?#@]*@)?([^\s/?#@]+)/iu.exec(uri)?.[1];
}

function decoded(text: string): string {
  try {
    const plain = decodeURIComponent(text);
    return isGiven(plain) ? plain : text;
  } catch {
    return text;
  }
}
