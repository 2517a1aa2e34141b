/** Icons on a grid of 24, in the colour of the text beside them. */
const paths = {
  add: "M12 5v14M5 12h14",
  back: "M15 5l-7 7 7 7",
  card: "M4 6h16v12H4zM8 11h4M8 14h8M16 10h.01",
  check: "M5 12.5l4.5 4.5L19 7.5",
  close: "M6 6l12 12M18 6L6 18",
  copy: "M9 9h10v10H9zM5 15V5h10",
  door: "M14 4h5v16h-5M10 8l4 4-4 4M14 12H4",
  down: "M12 5v14M6 13l6 6 6-6",
  file: "M7 3h7l4 4v14H7zM14 3v4h4",
  floor: "M4 18a8 8 0 0 1 16 0M9 18a3 3 0 0 1 6 0M12 21h.01",
  hand: "M8 12V6.5a1.5 1.5 0 0 1 3 0V11V4.5a1.5 1.5 0 0 1 3 0V11V6a1.5 1.5 0 0 1 3 0v8a6 6 0 0 1-6 6c-3 0-4.500-1.500-6-4.500L3.800 13a1.500 1.500 0 0 1 2.600-1.400L8 14",
  help: "M9 9a3 3 0 1 1 4.500 2.600c-1 .6-1.500 1.200-1.500 2.400M12 17.500h.01M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18",
  image: "M4 5h16v14H4zM8.500 10h.01M4 17l5-5 4 4 2-2 5 5",
  link: "M10 14a4 4 0 0 0 6 0l3-3a4 4 0 0 0-6-6l-1 1M14 10a4 4 0 0 0-6 0l-3 3a4 4 0 0 0 6 6l1-1",
  lock: "M6 11h12v9H6zM8.500 11V8a3.500 3.500 0 0 1 7 0v3",
  menu: "M4 7h16M4 12h16M4 17h16",
  mic: "M12 15a3 3 0 0 0 3-3V6a3 3 0 0 0-6 0v6a3 3 0 0 0 3 3zM6 11.500a6 6 0 0 0 12 0M12 18v3",
  more: "M6 12h.01M12 12h.01M18 12h.01",
  pause: "M9 6v12M15 6v12",
  pen: "M4 20l1-4L16 5l3 3L8 19zM14 7l3 3",
  people: "M9 11a3 3 0 1 0 0-6 3 3 0 0 0 0 6zM3 19a6 6 0 0 1 12 0M16 5.500a3 3 0 0 1 0 5.500M18 14a6 6 0 0 1 3 5",
  play: "M8 5l11 7-11 7z",
  search: "M11 18a7 7 0 1 0 0-14 7 7 0 0 0 0 14zM20 20l-4-4",
  send: "M4 12l16-8-6 16-3-6z",
  settings: "M4 8h10M18 8h2M4 16h2M10 16h10M16 10a2 2 0 1 0 0-4 2 2 0 0 0 0 4zM8 18a2 2 0 1 0 0-4 2 2 0 0 0 0 4z",
  sound: "M5 10v4h3l4 4V6L8 10zM16 9a4 4 0 0 1 0 6M18.500 6.500a8 8 0 0 1 0 11",
  stop: "M7 7h10v10H7z",
  warning: "M12 4l9 16H3zM12 10v4M12 17h.01",
} as const;

export type IconName = keyof typeof paths;

export function Icon({ name, size = 18 }: { name: IconName; size?: number }) {
  return (
    <svg
      width={size}
      height={size}
      viewBox="0 0 24 24"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.75"
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
      focusable="false"
    >
      <path d={paths[name]} />
    </svg>
  );
}
