import type { Definition } from './definition.ts';
import { bodyProblem, headersProblem, queryProblem } from './extra-fields.ts';
import { parsePricing } from './pricing.ts';

/** Settings of how the model's server is spoken to. */
export const endpointDefinitions = {
  'reasoning-effort': {
    kind: 'string',
    default: '',
    description: "Reasoning effort of the model, such as `low` or `high`. Empty: the model's default.",
  },
  stream: {
    kind: 'boolean',
    default: 'true',
    description: 'Stream the answers where the server supports it. The log then shows progress.',
  },
  'extra-headers': {
    kind: 'list',
    default: '',
    description: 'Extra HTTP headers for the model server, one per line: `Name: value`. Values are masked in logs.',
    locked: true,
    problem: headersProblem,
  },
  'extra-query': {
    kind: 'list',
    default: '',
    description: 'Extra query parameters for the model server, one per line: `name=value`.',
    locked: true,
    problem: queryProblem,
  },
  'extra-body': {
    kind: 'string',
    default: '',
    description: 'Extra fields for the body of every model call, as a JSON object.',
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
    description:
      'Cost limit of the whole run in US$. Needs `pricing`. A call starts only when the rest of the limit covers it. Empty: no limit.',
    limit: true,
  },
  pricing: {
    kind: 'list',
    default: '',
    description:
      'US$ per million tokens: `input=1.25,cached=0.125,output=10`. For one model only: `name: input=…`. One per line.',
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
    description:
      'Verify findings in a separate model call before posting them. `auto` verifies in the profiles `balanced`, `thorough` and `deep`.',
  },
  'verify-model': {
    kind: 'string',
    default: '',
    description: 'Model that verifies the findings, at the same `base-url`. Empty: the same as `model`.',
  },
  passes: {
    kind: 'integer',
    default: '0',
    minimum: 0,
    maximum: 5,
    description:
      'Number of independent reviews of each batch. A finding of only one of them is kept when verification confirms it. 0 uses the number of the profile: 3 in `deep`, otherwise 1.',
    limit: true,
  },
  reflect: {
    kind: 'boolean',
    default: 'false',
    description:
      'Ask the model to assess the run in one more call after delivery. The answer goes to `report-file` and `transcript-file`.',
  },
} as const satisfies { readonly [name: string]: Definition };
