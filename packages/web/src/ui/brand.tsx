/** The logo: rows around one speaker. */
export function Brand({ size = 28 }: { size?: number }) {
  return (
    <span className="brand">
      <svg width={size} height={size} viewBox="0 0 32 32" aria-hidden="true" focusable="false">
        <rect width="32" height="32" rx="9" fill="#1f3a5f" />
        <g fill="none" strokeLinecap="round" strokeWidth="3">
          <path d="M7 21a9 9 0 0 1 18 0" stroke="#8fb8e8" />
          <path d="M12 21a4 4 0 0 1 8 0" stroke="#f4b860" />
        </g>
        <circle cx="16" cy="26" r="2" fill="#f4b860" />
      </svg>
      <span>Plenary</span>
    </span>
  );
}
