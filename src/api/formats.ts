import { parseDateTime } from './date-time.ts';

/** The formats of the schemas, as Ajv takes them. */
export const FORMATS = {
  int64: { type: 'number', validate: Number.isSafeInteger },
  int32: { type: 'number', validate: (value: number) => value === (value | 0) },
  'date-time': { type: 'string', validate: (text: string) => parseDateTime(text) !== undefined },
  /** A URL to which the service may send requests. */
  uri: { type: 'string', validate: isRequestUrl },
} as const;

function isRequestUrl(text: string): boolean {
  if (!/^[!-~]+$/.test(text) || !URL.canParse(text)) return false;
  const { protocol, username, password, hash } = new URL(text);
  return (protocol === 'http:' || protocol === 'https:') && username + password + hash === '';
}
