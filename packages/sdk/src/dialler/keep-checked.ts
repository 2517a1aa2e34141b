import { BoundedMap } from "../bounded-map.ts";

export const keptUrlsMax = 1_024;
/** Longer URLs are checked each time: conversants choose them, and they must not fill the memory. */
export const keptUrlCharsMax = 2_048;

/**
 * The check of a URL always has the same result, and the same few are dialled again and again. Keeps results, and no
 * refusals.
 */
export function keepChecked<Checked>(check: (url: string) => Checked): (url: string) => Checked {
  const kept = new BoundedMap<Checked>(keptUrlsMax);
  return (url) => {
    const known = kept.get(url);
    if (known !== undefined) return known;
    const checked = check(url);
    if (url.length <= keptUrlCharsMax) kept.set(url, checked);
    return checked;
  };
}
