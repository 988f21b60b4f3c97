/** Asks once for each key. What failed is forgotten, and asked again. */
export function remember<Key, Value>(ask: (key: Key) => Promise<Value>): (key: Key) => Promise<Value> {
  const answers: Map<Key, Promise<Value>> = new Map();
  return (key) => {
    const known = answers.get(key);
    if (known !== undefined) return known;
    const answer = ask(key).catch((error: unknown) => {
      answers.delete(key);
      throw error;
    });
    answers.set(key, answer);
    return answer;
  };
}
