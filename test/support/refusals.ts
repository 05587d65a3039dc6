import { expect } from 'chai';
import type { Answer } from './client.ts';

export interface ErrorFacts {
  readonly code: string;
  readonly message: string;
  readonly status: number;
  readonly details?: readonly Detail[];
  readonly requestId?: string;
}

interface Detail {
  readonly pointer?: string;
  readonly parameter?: string;
  readonly code: string;
  readonly message: string;
}

/** Asserts that a response is this error. Returns its body. */
export function refused(answer: Answer, status: number, code: string): ErrorFacts {
  expect(
    `${answer.status} ${(answer.body as Partial<ErrorFacts> | undefined)?.code}`,
    answer.text.slice(0, 500),
  ).to.equal(`${status} ${code}`);
  return answer.body as ErrorFacts;
}

/** The paths of the faults, in the order of the error. */
export function placesOf({ details = [] }: ErrorFacts): string[] {
  return details.map(({ pointer, parameter }) => pointer ?? parameter ?? '');
}
