/** What went wrong, where it went wrong. */
export function Trouble({ words, id }: { words: string | undefined; id?: string }) {
  if (words === undefined) return null;
  return (
    <p ref={bringIntoSight} id={id} className="trouble desk-trouble" role="alert">
      {words}
    </p>
  );
}

function bringIntoSight(words: HTMLElement | null): void {
  words?.scrollIntoView({ block: "nearest" });
}
