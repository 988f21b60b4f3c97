import type { Definition } from './definition.ts';
import { bodyProblem, headersProblem, queryProblem } from './extra-fields.ts';
import { parsePricing } from './pricing.ts';

/** Settings of how the model's server is spoken to. */
export const endpointDefinitions = {
  'reasoning-effort': {
    kind: 'string',
    default: '',
    description: "How much the model thinks, such as `low` or `high`. Empty: not sent, the model's default.",
  },
  stream: {
    kind: 'boolean',
    default: 'true',
    description: 'Let the model stream its answers, where the server can: the log then shows how far it is.',
  },
  'extra-headers': {
    kind: 'list',
    default: '',
    description: "Headers for the model's server, one a line: `Name: value`. Their values are masked.",
    locked: true,
    problem: headersProblem,
  },
  'extra-query': {
    kind: 'list',
    default: '',
    description: "Query parameters for the model's server, one a line: `name=value`.",
    locked: true,
    problem: queryProblem,
  },
  'extra-body': {
    kind: 'string',
    default: '',
    description: 'Fields for the body of every model call, a JSON object.',
    locked: true,
    problem: ([text = '']) => bodyProblem(text),
  },
} as const satisfies { readonly [name: string]: Definition };

/** Settings of what a review may cost. */
export const costDefinitions = {
  'max-cost': {
    kind: 'number',
    default: '',
    minimum: 0.001,
    maximum: 100_000,
    description: 'US$ of the whole run, by `pricing`. A call starts only when it can be paid. Empty: no limit.',
    limit: true,
  },
  pricing: {
    kind: 'list',
    default: '',
    description:
      'US$ a million tokens: `input=1.25,cached=0.125,output=10`, for one model `name: input=…`, one a line.',
    locked: true,
    problem: (lines) => parsePricing(lines).problems[0] ?? null,
  },
} as const satisfies { readonly [name: string]: Definition };

/** Settings of how findings are checked. */
export const verificationDefinitions = {
  verify: {
    kind: 'choice',
    default: 'auto',
    choices: ['auto', 'true', 'false'],
    description: 'Check the findings in a fresh model call before they are posted. `auto`: from profile `balanced` up.',
  },
  'verify-model': {
    kind: 'string',
    default: '',
    description: 'Model that checks the findings, at the same `base-url`. Empty: `model`.',
  },
  passes: {
    kind: 'integer',
    default: '0',
    minimum: 0,
    maximum: 5,
    description:
      'Independent reviews of everything. What only one of them finds is kept when it is confirmed. 0: by profile, 3 in `deep`, else 1.',
    limit: true,
  },
  reflect: {
    kind: 'boolean',
    default: 'false',
    description:
      'After delivery let the model judge the run in one more call, for `report-file` and `transcript-file`.',
  },
} as const satisfies { readonly [name: string]: Definition };
