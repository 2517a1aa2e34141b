/**
 * The hosted agents that are invited by default, by the names they are hosted under: two that answer on their subject
 * and a guide. The guide comes last, so that its first task is the last message.
 */
const welcomers = ["clock", "calculator", "guide"];

/** The default agents among the hosted ones. */
export function welcomersAmong(hostedUrls: readonly string[]): string[] {
  return welcomers.flatMap((name) => hostedUrls.filter((serviceUrl) => serviceUrl.endsWith(`/${name}`)));
}
