/** An error at the place where it happened. */
export function ErrorMessage({ text, id }: { text: string | undefined; id?: string }) {
  if (text === undefined) return null;
  return (
    <p ref={scrollIntoView} id={id} className="trouble ui-trouble" role="alert">
      {text}
    </p>
  );
}

function scrollIntoView(element: HTMLElement | null): void {
  element?.scrollIntoView({ block: "nearest" });
}
