import { afterEach, describe, expect, it, vi } from 'vitest';
import { mask, readInputs } from '../../../src/adapters/actions/inputs.ts';
import { secretValues } from '../../../src/core/settings/extra-fields.ts';

afterEach(() => {
  vi.restoreAllMocks();
});

describe('the inputs of the action', () => {
  it('have the names of action.yml and no space around them', () => {
    const environment = { 'INPUT_MAX-COMMENTS': ' 5 ', INPUT_MODEL: 'gpt-test', INPUT_EXCLUDE: 'a\nb\n', PATH: '/bin' };
    expect(readInputs(environment)).toEqual({ 'max-comments': '5', model: 'gpt-test', exclude: 'a\nb' });
  });

  it('hold secrets that are masked first and gone from the environment afterwards', () => {
    const written: string[] = [];
    vi.spyOn(process.stdout, 'write').mockImplementation((text) => written.push(String(text)) > 0);
    const environment = { 'INPUT_API-KEY': 'key-1', 'INPUT_GITHUB-TOKEN': 'token-1', INPUT_MODEL: 'gpt-test' };
    const inputs = readInputs(environment);
    expect({ inputs, environment, written: written.map((line) => line.trim()) }).toEqual({
      inputs: { 'api-key': 'key-1', 'github-token': 'token-1', model: 'gpt-test' },
      environment: { INPUT_MODEL: 'gpt-test' },
      written: ['::add-mask::key-1', '::add-mask::token-1'],
    });
  });

  it('mask each of several keys by itself', () => {
    const written: string[] = [];
    vi.spyOn(process.stdout, 'write').mockImplementation((text) => written.push(String(text)) > 0);
    const environment = { 'INPUT_STATE-KEY': 'new-key\n\n old-key\n' };
    expect(readInputs(environment)).toEqual({ 'state-key': 'new-key\n\n old-key' });
    expect([environment, written.map((line) => line.trim())]).toEqual([
      {},
      ['::add-mask::new-key', '::add-mask::old-key'],
    ]);
  });

  it('are followed by the values of extra headers, which are as secret', () => {
    const written: string[] = [];
    vi.spyOn(process.stdout, 'write').mockImplementation((text) => written.push(String(text).trim()) > 0);
    const headers = { extraHeaders: { Authorization: 'Bearer abcdefghijkl' }, extraQuery: { tenant: 'acme' } };
    mask([...secretValues(headers), '']);
    expect(written).toEqual(['::add-mask::Bearer abcdefghijkl', '::add-mask::abcdefghijkl']);
  });

  it('mask nothing where a fork has no secret', () => {
    const write = vi.spyOn(process.stdout, 'write').mockImplementation(() => true);
    expect([readInputs({ 'INPUT_API-KEY': '' }), write.mock.calls]).toEqual([{ 'api-key': '' }, []]);
  });
});
