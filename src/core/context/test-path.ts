/** Whether a path looks like a test's, by the conventions of many languages. */
export function isTestPath(path: string): boolean {
  return test.test(path);
}

const test =
  /(^|\/)(__tests__|tests?|specs?|e2e)\/|[._-](test|tests|spec|specs|e2e)\.[a-z0-9]+$|(^|\/)test_[^/]+\.py$|_test\.[a-z0-9]+$|(^|\/)[A-Z]\w*(Test|Tests|Spec|IT)\.(java|kt|cs|scala|groovy|swift|php)$|_spec\.rb$/;

/** What a test is called after: `tax` of `tax.ts`, `tax.test.ts`, `test_tax.py`, `tax_test.go`, `TaxTest.java`. */
export function subjectStem(path: string): string {
  return path
    .slice(path.lastIndexOf('/') + 1)
    .replace(/\.[a-z0-9]+$/i, '')
    .replace(/[._-](test|tests|spec|specs|e2e)$|(?<=[a-z0-9])(Test|Tests|Spec|IT)$/, '')
    .replace(/^test_/, '')
    .toLowerCase();
}
