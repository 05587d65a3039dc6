import { AssertionError } from 'node:assert/strict';
import { inspect } from 'node:util';

/** How deep a chain of causes is followed. */
const MOST_CAUSES = 10;

/** Why a check failed, for people: the actual and the expected value, and every cause. */
export function explanationOf(error: unknown): string {
  const lines = [summaryOf(error)];
  let cause = error instanceof Error ? error.cause : undefined;
  for (let depth = 0; cause !== undefined && depth < MOST_CAUSES; depth++) {
    lines.push(`caused by ${summaryOf(cause)}`);
    if (cause instanceof AggregateError) lines.push(...cause.errors.map((one) => `  one of ${summaryOf(one)}`));
    cause = cause instanceof Error ? cause.cause : undefined;
  }
  return lines.join('\n');
}

/** Where it and its first cause were thrown, without the lines of Node and of the process that runs the checks. */
export function framesOf(error: unknown): string[] {
  if (!(error instanceof Error)) return [];
  const lines = framesIn(error);
  return error.cause instanceof Error ? [...lines, 'the cause was thrown', ...framesIn(error.cause)] : lines;
}

function framesIn({ stack = '' }: Error): string[] {
  const lines = stack.split('\n').filter((line) => /^ +at /.test(line));
  return lines.filter((line) => !/node:internal|conformance[\\/]command[\\/]child\.[jt]s/.test(line)).slice(0, 6);
}

function summaryOf(error: unknown): string {
  if (!(error instanceof Error)) return inspect(error);
  if (!(error instanceof AssertionError)) return `${error.name}: ${error.message}`;
  const saysAll = error.generatedMessage || error.message.includes('\n') || ['fail', '=='].includes(error.operator);
  if (saysAll) return error.message;
  return `${error.message}: expected ${brief(error.expected)}, got ${brief(error.actual)}`;
}

function brief(value: unknown): string {
  const text = inspect(value, { depth: 6, breakLength: 100, maxStringLength: 200 });
  return text.length > 2_000 ? `${text.slice(0, 2_000)} …` : text;
}

const MODULES: Readonly<Record<string, string>> = { WriteScope: 'unit-of-work' };

/** The module of the package that contains the contract of a port. */
export function contractOf(port: string): string {
  return `petstore-service/ports/${MODULES[port] ?? port.replace(/(?<=[a-z])(?=[A-Z])/g, '-').toLowerCase()}`;
}
