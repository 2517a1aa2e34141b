import type { Option } from "@plenary/protocol";
import { useId } from "react";
import { texts } from "../texts/texts.ts";
import { Button } from "../ui/button.tsx";
import type { Prompt } from "./read-prompts.ts";

type Props = {
  prompt: Prompt;
  values: readonly string[];
  change(values: readonly string[]): void;
  send(values: readonly string[]): void;
  /** Id of the error message. */
  troubleId: string | undefined;
};

/** A native control for each input type. */
export function InputFields(props: Props) {
  switch (props.prompt.inputType) {
    case "text":
      return <TextField {...props} />;
    case "binary_choice":
      return <Buttons {...props} />;
    case "dropdown":
      return <Dropdown {...props} />;
    case "radio":
    case "checkbox":
      return <Choices {...props} />;
    case "notification":
      return null;
  }
}

function TextField({ prompt, values: [value = ""], change, send, troubleId }: Props) {
  const { text, placeholder, options, isRequired } = prompt;
  const id = useId();
  const wanted = placeholder ?? (options.length > 0 ? options.map(({ label }) => label).join(", ") : undefined);
  return (
    <textarea
      className="input prompt-words"
      id={id}
      aria-label={text}
      rows={Math.min(6, Math.max(1, value.split("\n").length))}
      dir="auto"
      {...(wanted !== undefined && { placeholder: wanted })}
      value={value}
      aria-required={isRequired}
      aria-invalid={troubleId !== undefined}
      aria-describedby={troubleId}
      onChange={({ target }) => change([target.value])}
      onKeyDown={(event) => {
        if (event.key !== "Enter" || event.shiftKey || event.nativeEvent.isComposing) return;
        event.preventDefault();
        send([value.trim()]);
      }}
    />
  );
}

function Buttons({ prompt: { options }, send }: Props) {
  return (
    <div className="prompt-buttons">
      {options.map((option) => (
        <span key={option.id} className="prompt-button">
          <Button text={option.label} onClick={() => send([option.value])} />
          <Description option={option} />
        </span>
      ))}
    </div>
  );
}

function Dropdown({ prompt: { options, text, isRequired }, values: [value = ""], change, troubleId }: Props) {
  const chosen = options.find((option) => option.value === value);
  return (
    <>
      <select
        className="input prompt-select"
        aria-label={text}
        value={value}
        aria-required={isRequired}
        aria-invalid={troubleId !== undefined}
        aria-describedby={troubleId}
        onChange={({ target }) => change(target.value === "" ? [] : [target.value])}
      >
        <option value="">{texts.prompts.choose}</option>
        {options.map((option) => (
          <option key={option.id} value={option.value}>
            {option.label}
          </option>
        ))}
      </select>
      {chosen && <Description option={chosen} />}
    </>
  );
}

function Choices({ prompt: { inputType, options, seq }, values, change, troubleId }: Props) {
  const isMany = inputType === "checkbox";
  const toggle = (value: string) => {
    if (!isMany) return change([value]);
    // In the order of the options, not of the clicks.
    change(options.map((option) => option.value).filter((one) => values.includes(one) !== (one === value)));
  };
  return (
    <div className="prompt-choices">
      {options.map((option) => (
        <label key={option.id} className="prompt-choice">
          <input
            type={isMany ? "checkbox" : "radio"}
            name={`prompt-${seq}`}
            checked={values.includes(option.value)}
            aria-describedby={troubleId}
            onChange={() => toggle(option.value)}
          />
          <span>
            {option.label}
            <Description option={option} />
          </span>
        </label>
      ))}
    </div>
  );
}

function Description({ option: { description } }: { option: Option }) {
  return description === undefined ? null : <span className="quiet prompt-description">{description}</span>;
}
