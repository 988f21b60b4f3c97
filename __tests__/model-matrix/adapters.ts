import type { Refusable } from '../fakes/model-server/script.ts';

/** Who answers: an API, streaming or not, with function calling or by text. */
export type Adapter = {
  readonly name: string;
  readonly api: 'chat' | 'responses';
  readonly stream: boolean;
  readonly rejects: readonly Refusable[];
};

export const chat = both({ name: 'chat', api: 'chat', rejects: [] });
export const responses = both({ name: 'responses', api: 'responses', rejects: [] });
export const byText = both({ name: 'chat, tools by text', api: 'chat', rejects: ['tools'] });

function both(adapter: Omit<Adapter, 'stream'>): readonly Adapter[] {
  return [
    { ...adapter, stream: true, name: `${adapter.name}, streaming` },
    { ...adapter, stream: false },
  ];
}
