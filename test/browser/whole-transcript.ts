// Everything that the page shows of a conversation, from its first line to its last, read by scrolling.
import type { Page } from "playwright-core";

export type Shown = { index: number; seq: number | undefined; words: string };

/** The text of each list item, in order; an item that never came into view is missing. */
export async function wholeTranscript(page: Page): Promise<Shown[]> {
  return (await page.evaluate(read)) as Shown[];
}

/** Lets the page lay out and load, and returns when nothing changes. */
const read = `(async () => {
  const scroller = document.querySelector("[aria-label='What was said']");
  const frame = () => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
  const settled = async () => {
    for (let calm = 0, before = ""; calm < 4; ) {
      await frame();
      const now = scroller.scrollHeight + " " + scroller.scrollTop;
      calm = now === before ? calm + 1 : 0;
      before = now;
    }
  };
  for (let before = -1; before !== scroller.scrollHeight; ) {
    before = scroller.scrollHeight;
    scroller.scrollTop = 0;
    await settled();
  }
  const shown = new Map();
  for (;;) {
    await settled();
    for (const place of scroller.querySelectorAll("[data-index]")) {
      const article = place.querySelector("article");
      if (article === null) continue;
      const seq = article.dataset.utterance;
      const words = (article.querySelector(".feature-list") ?? article.querySelector(".body")).textContent;
      shown.set(Number(place.dataset.index), { seq: seq && Number(seq), words });
    }
    if (scroller.scrollTop + scroller.clientHeight >= scroller.scrollHeight - 2) break;
    scroller.scrollTop += scroller.clientHeight * 0.8;
  }
  return [...shown].sort(([one], [other]) => one - other).map(([index, rest]) => ({ index, ...rest }));
})()`;
