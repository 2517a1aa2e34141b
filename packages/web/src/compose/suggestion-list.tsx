import { useEffect, useRef } from "react";
import { texts } from "../texts/texts.ts";
import { Avatar } from "../ui/avatar.tsx";
import type { Suggestion, Suggestions } from "./use-suggestions.ts";

/** The list above the field. The focus stays in the field, which references the active option. */
export function SuggestionList({ suggestions }: { suggestions: Suggestions }) {
  const { id, list, active, point, choose } = suggestions;
  const current = useRef<HTMLDivElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another one is active
  useEffect(() => {
    current.current?.scrollIntoView({ block: "nearest" });
  }, [active]);
  if (list.length === 0) return null;
  const label = list[0]?.kind === "command" ? texts.compose.commandsLabel : texts.common.whoIsHere;
  return (
    <div className="compose-list" id={id} role="listbox" aria-label={label}>
      {list.map((suggestion, index) => (
        // biome-ignore lint/a11y/useFocusableInteractive: the field keeps the focus and names the active one
        // biome-ignore lint/a11y/useKeyWithClickEvents: the keys are the field's
        <div
          key={keyOf(suggestion)}
          ref={index === active ? current : null}
          id={`${id}-${index}`}
          role="option"
          aria-selected={index === active}
          className="compose-option"
          onPointerMove={() => index !== active && point(index)}
          onPointerDown={(event) => event.preventDefault()}
          onClick={() => choose(index, "enter")}
        >
          <Words suggestion={suggestion} />
        </div>
      ))}
    </div>
  );
}

function Words({ suggestion }: { suggestion: Suggestion }) {
  if (suggestion.kind === "command") {
    const { name } = suggestion.command;
    const { does, argument } = texts.compose.commands[name];
    return (
      <>
        <span className="compose-option-name">
          /{name} {argument !== "" && <span className="compose-option-takes">{argument}</span>}
        </span>
        <span className="quiet">{does}</span>
      </>
    );
  }
  const { speakerUri, name, kind, identification } = suggestion.person;
  return (
    <>
      <Avatar isSmall speakerUri={speakerUri} identification={identification} kind={kind} />
      <bdi className="compose-option-name">{name}</bdi>
      <span className="quiet compose-option-more">{identification.synopsis ?? texts.common.kinds[kind]}</span>
    </>
  );
}

function keyOf(suggestion: Suggestion): string {
  return suggestion.kind === "command" ? suggestion.command.name : suggestion.person.speakerUri;
}
