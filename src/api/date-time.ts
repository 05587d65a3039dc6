import { EARLIEST_INSTANT, LATEST_INSTANT } from '../domain/limits.ts';

const DATE_TIME = /^(\d{4})-(\d{2})-(\d{2})[Tt](\d{2}):(\d{2}):(\d{2})(?:\.(\d+))?(?:[Zz]|([+-])(\d{2}):(\d{2}))$/;

/**
 * Reads a date-time of RFC 3339, section 5.6, into milliseconds since 1970-01-01T00:00:00Z; digits beyond those are cut
 * off. `undefined` for anything else: impossible dates, leap seconds (no clock here has them), and instants
 * that have no four-digit year in UTC.
 */
export function parseDateTime(text: string): number | undefined {
  const match = DATE_TIME.exec(text);
  if (!match) return undefined;
  const [year, month, day, hour, minute, second] = match.slice(1, 7).map(Number) as [
    number,
    number,
    number,
    number,
    number,
    number,
  ];
  const offsetHour = Number(match[9] ?? 0);
  const offsetMinute = Number(match[10] ?? 0);
  if (hour > 23 || minute > 59 || second > 59 || offsetHour > 23 || offsetMinute > 59) return undefined;

  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  if (date.getUTCMonth() !== month - 1 || date.getUTCDate() !== day) return undefined;
  date.setUTCHours(hour, minute, second, Number((match[7] ?? '').slice(0, 3).padEnd(3, '0')));

  const offset = (match[8] === '-' ? -1 : 1) * (offsetHour * 60 + offsetMinute) * 60_000;
  const instant = date.getTime() - offset;
  return instant < EARLIEST_INSTANT || instant > LATEST_INSTANT ? undefined : instant;
}

/** UTC with milliseconds and `Z`. */
export function formatDateTime(instant: number): string {
  return new Date(instant).toISOString();
}
