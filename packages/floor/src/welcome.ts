/**
 * Those who come when a newcomer names nobody, by the names they are hosted under: two who answer when it is their subject
 * and one who teaches. It comes last, so that its first task is the last word.
 */
const welcomers = ["clock", "calculator", "guide"];

/** Of the agents that live on a floor, those who come. */
export function welcomersAmong(hostedUrls: readonly string[]): string[] {
  return welcomers.flatMap((name) => hostedUrls.filter((serviceUrl) => serviceUrl.endsWith(`/${name}`)));
}
