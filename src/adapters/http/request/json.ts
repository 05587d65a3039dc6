import { HttpError } from '../http-error.ts';

const DEEPEST_NESTING = 32;

/**
 * Reads one JSON text (RFC 8259) more strictly than `JSON.parse`: in valid UTF-8, without duplicate keys in an object, at most
 * 32 levels deep, and without numbers that would silently be rounded to another one. @throws {HttpError} `malformed_json`
 */
export function readJson(bytes: Uint8Array): unknown {
  if (bytes.length === 0) throw malformed('The body is empty; this operation requires one.');
  const text = decode(bytes);
  const value = parse(text);
  scan(text);
  return value;
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

function decode(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes);
  } catch {
    throw malformed('The body is not valid UTF-8.');
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw malformed(`The body is not valid JSON${whereabouts(error, text)}.`);
  }
}

/** The parser does not always report where it stopped. */
function whereabouts(error: unknown, text: string): string {
  const message = error instanceof Error ? error.message : '';
  const position = message.includes('end of JSON input') ? text.length : /position (\d+)/.exec(message)?.[1];
  if (position === undefined) return '';
  const before = text.slice(0, Number(position));
  const line = before.split('\n').length;
  const column = before.length - before.lastIndexOf('\n');
  return `: error at line ${line}, column ${column}`;
}

/** Scans a valid JSON text once, so that it only has to recognise strings, numbers, braces and commas. */
function scan(text: string): void {
  const objects: (Set<string> | undefined)[] = [];
  let expectsKey = false;
  for (let i = 0; i < text.length; i++) {
    switch (text.charCodeAt(i)) {
      case OPEN_BRACE:
      case OPEN_BRACKET: {
        const isObject = text.charCodeAt(i) === OPEN_BRACE;
        if (objects.length === DEEPEST_NESTING) {
          throw malformed(`The body nests deeper than ${DEEPEST_NESTING} levels.`);
        }
        objects.push(isObject ? new Set() : undefined);
        expectsKey = isObject;
        break;
      }
      case CLOSE_BRACE:
      case CLOSE_BRACKET:
        objects.pop();
        expectsKey = false;
        break;
      case COMMA:
        expectsKey = objects.at(-1) !== undefined;
        break;
      case QUOTE: {
        const end = endOfString(text, i);
        if (expectsKey) addKey(objects.at(-1), text.slice(i, end + 1));
        expectsKey = false;
        i = end;
        break;
      }
      default:
        if (isNumberPart(text.charCodeAt(i))) i = checkNumber(text, i) - 1;
    }
  }
}

const [OPEN_BRACE, CLOSE_BRACE, OPEN_BRACKET, CLOSE_BRACKET, COMMA, QUOTE, BACKSLASH, ZERO] = [
  0x7b, 0x7d, 0x5b, 0x5d, 0x2c, 0x22, 0x5c, 0x30,
] as const;

function endOfString(text: string, start: number): number {
  for (let i = start + 1; ; i++) {
    const unit = text.charCodeAt(i);
    if (unit === QUOTE) return i;
    if (unit === BACKSLASH) i++;
  }
}

function addKey(keys: Set<string> | undefined, literal: string): void {
  const key = JSON.parse(literal) as string;
  if (keys?.has(key)) throw malformed(`The body contains the duplicate key ${JSON.stringify(key.slice(0, 100))}.`);
  keys?.add(key);
}

function isNumberPart(unit: number): boolean {
  return (unit >= 0x30 && unit <= 0x39) || unit === 0x2d;
}

const NUMBER = /-?(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?/y;

/** A fraction that rounds to a whole number would be mistaken for that number. Returns where the number ends. */
function checkNumber(text: string, start: number): number {
  NUMBER.lastIndex = start;
  const [literal = '', whole = '', fraction = '', exponent = '0'] = NUMBER.exec(text) ?? [];
  if (fraction !== '' || exponent !== '0') {
    const digits = withoutZerosAtEnd(`${whole}${fraction}`);
    const shift = Number(exponent) - fraction.length + (whole.length + fraction.length - digits.length);
    if (digits !== '' && shift < 0 && Number.isInteger(Number(literal))) {
      throw malformed(`The body contains the number ${literal.slice(0, 40)}, which cannot be represented exactly.`);
    }
  }
  return start + Math.max(literal.length, 1);
}

/** A pattern would scan the zeros again from each of them. */
function withoutZerosAtEnd(digits: string): string {
  let end = digits.length;
  while (digits.charCodeAt(end - 1) === ZERO) end--;
  return digits.slice(0, end);
}

function malformed(message: string): HttpError {
  return new HttpError('malformed_json', message);
}
