/** Milliseconds as `0.4 s`, `12 s`, `3 m 05 s`, `1 h 02 m`. Never negative. */
export const duration = (ms: number): string => {
  const seconds = Math.max(0, ms) / 1000;
  if (seconds < 9.95) return `${seconds.toFixed(1)} s`;
  const whole = Math.round(seconds);
  if (whole < 60) return `${whole} s`;
  if (whole < 3600) return `${Math.floor(whole / 60)} m ${pad(whole % 60)} s`;
  return `${Math.floor(whole / 3600)} h ${pad(Math.floor(whole / 60) % 60)} m`;
};

/** Whole seconds, for clocks that tick while one looks. */
export const ticking = (ms: number): string => (ms < 60_000 ? `${Math.floor(Math.max(0, ms) / 1000)} s` : duration(ms));

/** US dollars: `$0.0042`, `$0.12`, `$3.40`. */
export const money = (dollars: number): string => {
  if (dollars === 0) return '$0';
  return `$${dollars < 0.1 ? dollars.toFixed(4) : dollars.toFixed(2)}`;
};

/** `940`, `12.3k`, `1.2M`. */
export const tokens = (count: number): string => {
  if (count < 1000) return String(count);
  return count < 999_950 ? `${trim(count / 1000)}k` : `${trim(count / 1_000_000)}M`;
};

/** `5 m ago`, `3 days ago`. */
export const ago = (ms: number): string => {
  if (ms < 60_000) return 'now';
  return ms < 86_400_000
    ? `${duration(ms).replace(/ \d\d [sm]$/, '')} ago`
    : `${count(Math.floor(ms / 86_400_000), 'day')} ago`;
};

/** `5,000 lines`, `1 line`. */
export const count = (n: number, noun: string): string => `${n.toLocaleString('en')} ${noun}${n === 1 ? '' : 's'}`;

const pad = (n: number): string => String(n).padStart(2, '0');
const trim = (n: number): string => n.toFixed(n < 99.95 ? 1 : 0).replace(/\.0$/, '');
